/** Seconds that callers wait for the answer of a tool; most give up after a minute. */
export const patienceSeconds = 55
