/** Whether a text is an HTML page, such as that of a proxy: no answer of the API begins like one. */
export const isPage = (text: string): boolean => text.trimStart().startsWith("<")

export const cameAsPage = "a page came instead of JSON"
