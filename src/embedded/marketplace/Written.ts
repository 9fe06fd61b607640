import type { Reply } from "./Reply.ts"
import type { State } from "./State.ts"

/** What a write leads to; a refused one leaves everything as it was. */
export interface Written {
  readonly state: State
  readonly reply: Reply
}

export const refuse = (state: State, reply: Reply): Written => ({ state, reply })
