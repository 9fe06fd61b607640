/** At most this many characters of a text, and `…` if there were more. */
export const clipped = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`)

/** The first of these texts with commas between, and how many more there are: `a, b and 3 more`. */
export const listed = (texts: ReadonlyArray<string>, most: number): string =>
  texts.length <= most ? texts.join(", ") : `${texts.slice(0, most).join(", ")} and ${texts.length - most} more`

/** A text from elsewhere on a single line. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim()

/** A name from elsewhere in quotation marks, which nothing in it can end. */
export const quotedName = (name: string): string => JSON.stringify(clipped(name, 120))
