/** How often an operation may be called: `limit` in `periodMs`, `burst` of them at once. */
export interface Limit {
  readonly limit: number
  readonly periodMs: number
  readonly burst: number
}

/** Milliseconds between two calls in a steady run. */
export const intervalMs = ({ limit, periodMs }: Limit): number => periodMs / limit

/** How many calls may go at once: the largest part of the limit that the burst allows and that divides it. */
export const width = ({ burst, limit }: Limit): number => {
  const most = Math.max(1, Math.min(burst, limit))
  return Array.from({ length: most }, (_, below) => most - below).find((count) => limit % count === 0) ?? 1
}
