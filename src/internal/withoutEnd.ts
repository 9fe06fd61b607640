/** A text without the same character at its end; an expression such as `/-+$/` takes the square of the time. */
export const withoutEnd = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === character) end -= 1
  return text.slice(0, end)
}

/** A text without the same character at its beginning and its end. */
export const withoutEnds = (text: string, character: string): string => {
  const rest = withoutEnd(text, character)
  let start = 0
  while (rest.charAt(start) === character) start += 1
  return rest.slice(start)
}
