/** A text of so many characters at most, and a sign where more of it followed. */
export const clipped = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`)

/** A text from elsewhere in which nothing begins a line of its own. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim()

/** A name from elsewhere, in which nothing ends the line or the quotation. */
export const quotedName = (name: string): string => JSON.stringify(clipped(name, 120))
