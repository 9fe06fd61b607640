/** Control characters, and those that turn or hide the text around them. */
const hidden = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]+/gu

/** Foreign text that is safe to show in a message or to write into one log line. */
export const clean = (text: string): string => text.replace(hidden, " ").trim()
