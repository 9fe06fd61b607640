import type { Annotations } from "./Tool.ts"

/** Changes nothing. */
export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false
}

/** Adds something new with each call. */
export const creates: Annotations = { ...reads, readOnlyHint: false, idempotentHint: false }

/** Replaces or removes something; repeating it changes nothing more. */
export const changes: Annotations = { ...reads, readOnlyHint: false, destructiveHint: true }

/** Changes something from what it is then; repeating it may change more. */
export const edits: Annotations = { ...changes, idempotentHint: false }

/** Activates something that may act on the outside world. */
export const switchesOn: Annotations = { ...reads, readOnlyHint: false, openWorldHint: true }

/** Runs something that may act on the outside world, with each call. */
export const runs: Annotations = { ...creates, openWorldHint: true }

/** Tells clients that limit results to allow more for this one. */
export const large = { "anthropic/maxResultSizeChars": 500_000 } as const
