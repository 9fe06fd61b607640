/** Tells clients that cap results that this one is worth more: whole workflows and executions are long. */
export const large = { "anthropic/maxResultSizeChars": 500_000 } as const
