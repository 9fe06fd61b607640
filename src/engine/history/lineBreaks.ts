/** Where a long text of one line can be broken so that a change of it stays a change of few lines. */
const ends = /(?<=[.!?;:] )|(?<=>)(?=<)|(?<=[,{[])(?=["{[])/

/** A text without line breaks, a line for each of its sentences, tags or fields. */
export const inLines = (text: string): string => `${text.split(ends).join("\n")}\n`

/** The text that was put into lines. */
export const inOneLine = (text: string): string => text.replaceAll("\n", "")

/** Whether a text comes back as it was. */
export const canBeBroken = (text: string): boolean => !/[\r\n]/.test(text)
