import { Context, MutableHashSet, MutableRef } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"

/** The workflows that are changed only after a person has agreed to it by name. */
export interface Protected {
  readonly hasName: (name: string) => boolean
  readonly tags: ReadonlySet<string>
}

/** Whether a configuration protects anything from single changes. */
export const protectsAnything = ({
  directWrites,
  names,
  tags
}: {
  readonly directWrites: boolean
  readonly names: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
}): boolean => directWrites && names.length + tags.length > 0

/** A workflow that a call would change; without an id, one that it would create. */
export interface Changed {
  readonly id?: string
  readonly name: string
  readonly tags?: ReadonlyArray<{ readonly name: string }> | undefined
  /** The workflow before and after, if known. */
  readonly becoming?: { readonly before: JsonObject; readonly after: JsonObject }
}

/** The protection from single changes; undefined if nothing is configured. */
export const Protection = Context.Reference<Protected | undefined>("workflow-tool-server/engine/Protection", {
  defaultValue: () => undefined
})

/** The changes in the current call to which a person has agreed. */
export interface Agreement {
  /** Fingerprints of workflows and tags with what is done to them, or everything. */
  readonly changes: ReadonlySet<string> | "all"
  /** Whether something was sent: from then on, the call cannot be restarted. */
  readonly isBegun: MutableRef.MutableRef<boolean>
  /** Workflows created by the call itself, which it may change further. */
  readonly made?: MutableHashSet.MutableHashSet<string>
  /**
   * Workflows and tags seen to be as agreed, by id or name: further changes of them in this attempt were agreed to as well.
   */
  readonly cleared?: MutableHashSet.MutableHashSet<string>
}

/** An agreement for one attempt at a call. */
export const agreement = (changes: Agreement["changes"]): Agreement => ({
  changes,
  isBegun: MutableRef.make(false),
  made: MutableHashSet.empty(),
  cleared: MutableHashSet.empty()
})

export const noAgreement: Agreement = { changes: new Set(), isBegun: MutableRef.make(false) }

/** The agreement for the current call; none by default. */
export const Agreed = Context.Reference<Agreement>("workflow-tool-server/engine/Agreed", {
  defaultValue: () => noAgreement
})
