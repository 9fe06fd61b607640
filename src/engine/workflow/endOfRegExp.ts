/** Characters of a regular expression; what goes on longer is none. */
const maxRegExp = 1000

/** The end of a regular expression that begins with the slash at this place; its classes may hold slashes. */
export const endOfRegExp = (code: string, at: number): number | undefined => {
  let isInClass = false
  for (let end = at + 1; end < code.length && end - at <= maxRegExp; end++) {
    const character = code.charAt(end)
    if (character === "\n") return undefined
    if (character === "\\") end += 1
    else if (character === "[") isInClass = true
    else if (character === "]") isInClass = false
    else if (character === "/" && !isInClass) return end + 1
  }
  return undefined
}
