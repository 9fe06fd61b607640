import type { Tag, Workflow } from "../../workflow/models.ts"
import type { KnownCredentials } from "../credentials.ts"
import type { Scope } from "../replacing.ts"

/** An action on each of many workflows. */
export type Action =
  | { readonly _tag: "activate" }
  | { readonly _tag: "archive" }
  | { readonly _tag: "deactivate" }
  | { readonly _tag: "delete" }
  | { readonly _tag: "replace_credential"; readonly find: string; readonly value: string }
  | {
      readonly _tag: "replace_text"
      readonly find: string
      readonly value: string
      readonly match: "part" | "whole"
      readonly scope: Scope
    }
  | { readonly _tag: "set_error_workflow"; readonly value: string }
  | { readonly _tag: "tag"; readonly value: string }
  | { readonly _tag: "unarchive" }
  | { readonly _tag: "untag"; readonly value: string }

/** The input from which a change of many workflows is worked out. */
export interface BulkRequest {
  readonly instance: string
  readonly action: Action
  readonly selected: ReadonlyArray<Workflow>
  /** All workflows of the instance, in outline where they are not selected or stay as they are, for what refers to those that are selected. */
  readonly all: ReadonlyArray<Workflow>
  readonly tags: ReadonlyArray<Tag>
  readonly credentials: KnownCredentials
  /** Whether something of those that are selected is masked, where texts are replaced. */
  readonly hasSecrets: boolean
  /** Whether the engine can archive workflows. */
  readonly archives: boolean
}
