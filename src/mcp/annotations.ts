import type { Annotations } from "./Tool.ts"

/** Changes nothing. */
export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false
}

/** Adds something new each time. */
export const creates: Annotations = { ...reads, readOnlyHint: false, idempotentHint: false }

/** Replaces or removes something; a second time changes nothing more. */
export const changes: Annotations = { ...reads, readOnlyHint: false, destructiveHint: true }

/** Switches something on that may act on the world outside. */
export const switchesOn: Annotations = { ...reads, readOnlyHint: false, openWorldHint: true }

/** Runs something that may do anything outside, each time. */
export const runs: Annotations = { ...creates, openWorldHint: true }

/** Tells clients that cap results that this one is worth more. */
export const large = { "anthropic/maxResultSizeChars": 500_000 } as const
