/** Tells clients that cap results that this one is worth more: whole workflows and executions are long. */
export const large = { "anthropic/maxResultSizeChars": 500_000 } as const

/** What to do where one workflow is larger than the server may answer. */
export const readElsewhere = "Read this workflow in the engine UI, or raise answerLimit in the configuration."
