import { Context, MutableHashSet, MutableRef } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"

/** Which workflows only change after a person has agreed to it by name. */
export interface Protected {
  readonly hasName: (name: string) => boolean
  readonly tags: ReadonlySet<string>
}

/** A workflow that a call would change; without an id, one that it would make. */
export interface Changed {
  readonly id?: string
  readonly name: string
  readonly tags?: ReadonlyArray<{ readonly name: string }> | undefined
  /** The workflow as it is and as it would be, where that is known. */
  readonly becoming?: { readonly before: JsonObject; readonly after: JsonObject }
}

/** What is protected from single changes; nothing where nobody has configured it. */
export const Protection = Context.Reference<Protected | undefined>("workflow-tool-server/engine/Protection", {
  defaultValue: () => undefined
})

/** What a person has agreed to for the call that is under way. */
export interface Agreement {
  /** Names of workflows and tags, or whatever there is. */
  readonly names: ReadonlySet<string> | "all"
  /** Whether something was sent: from then on the call cannot be made again from its beginning. */
  readonly isBegun: MutableRef.MutableRef<boolean>
  /** Workflows that the call itself has made: what it does to them next is part of that. */
  readonly made?: MutableHashSet.MutableHashSet<string>
}

/** An agreement for one attempt at a call. */
export const agreement = (names: Agreement["names"]): Agreement => ({
  names,
  isBegun: MutableRef.make(false),
  made: MutableHashSet.empty()
})

/** Nobody has agreed to anything. */
export const noAgreement: Agreement = { names: new Set(), isBegun: MutableRef.make(false) }

/** The agreement for the call that is under way; there is none by itself. */
export const Agreed = Context.Reference<Agreement>("workflow-tool-server/engine/Agreed", {
  defaultValue: () => noAgreement
})
