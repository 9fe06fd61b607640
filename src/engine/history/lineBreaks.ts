/** The places at which a long line can be broken so that a small change affects few lines. */
const ends = /(?<=[.!?;:] )|(?<=>)(?=<)|(?<=[,{[])(?=["{[])/

/** A text without line breaks, with a line for each sentence, tag or field. */
export const inLines = (text: string): string => `${text.split(ends).join("\n")}\n`

/** The text before it was broken into lines. */
export const inOneLine = (text: string): string => text.replaceAll("\n", "")

/** Whether breaking a text into lines can be reversed. */
export const canBeBroken = (text: string): boolean => !/[\r\n]/.test(text)
