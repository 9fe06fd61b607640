/** Whether a text is a page of something on the way, such as a proxy: the interface has no answers that begin like one. */
export const isPage = (text: string): boolean => text.trimStart().startsWith("<")

export const cameAsPage = "a page came instead of JSON"
