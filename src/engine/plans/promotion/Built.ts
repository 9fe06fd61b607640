import type { DataTable } from "../../workflow/dataTables.ts"
import type { Workflow } from "../../workflow/models.ts"
import type { Brought, Content, Reference } from "../Change.ts"
import type { Drift } from "./drift.ts"
import { tagsOf } from "./settingsAndTags.ts"

/** One workflow as it is to be on the target. */
export interface Built {
  readonly id: string
  readonly content: Content
  /** Nothing where it is new. */
  readonly counterpart: Workflow | undefined
  /** The key of its creation, where it is new. */
  readonly key: string
  readonly references: ReadonlyArray<Reference>
  readonly level: number
  /** The level at which everything it refers to is there. */
  readonly linkLevel: number
  /** Whether a counterpart is another one than it is to be, apart from its tags. */
  readonly isChanged: boolean
  /** Settings that it loses, because the source has them no more. */
  readonly removed: ReadonlyArray<string>
  /** Fields of nodes and settings that rules keep as they are there, where the source has others. */
  readonly kept: ReadonlyArray<string>
  /** The tags that the source gives it, by their names on the target. */
  readonly tags: ReadonlyArray<string>
  /** The settings that the source gives it. */
  readonly given: ReadonlyArray<string>
  /** The tags and settings that promotions have brought to it before. */
  readonly brought: Brought | undefined
  /** Its other tags and settings, of which nobody knows where they come from. */
  readonly unclaimed: ReadonlyArray<string>
  /** The change that somebody has made to its counterpart, and that this would go over. */
  readonly drift: Drift | undefined
  /** The parts that the engine cannot run: it goes along all the same, where it is not to be active there. */
  readonly impossible: ReadonlyArray<string>
  /** Texts that hold a value of the mapping, and stay as they are. */
  readonly stays: ReadonlyArray<string>
  /** The data tables of the source that it uses and the target lacks. */
  readonly missing: ReadonlyArray<DataTable>
  /** The variables that it uses and the target lacks. */
  readonly variables: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/** The tags and settings that promotions have brought to it, once its content is as it is to be. */
export const broughtBy = ({ given, tags, counterpart }: Built, areTagsSet: boolean): Brought => {
  const present = tagsOf(counterpart)
  return { settings: given, tags: areTagsSet ? tags : tags.filter((name) => present.includes(name)) }
}
