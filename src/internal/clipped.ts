/** A text of so many characters at most, and a sign where more of it followed. */
export const clipped = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`)

/** A name from elsewhere, in which nothing ends the line or the quotation. */
export const quotedName = (name: string): string => JSON.stringify(clipped(name, 120))
