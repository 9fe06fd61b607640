/** The values of the variable segments when a path has the form of a pattern, letter case aside, or nothing. */
export const match = (pattern: string, path: string): ReadonlyMap<string, string> | undefined => {
  const wanted = pattern.split("/")
  const given = path.replace(/(?<=.)\/$/, "").split("/")
  if (wanted.length !== given.length) return undefined
  const variables = new Map<string, string>()
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ""
    if (segment.startsWith(":") && value !== "") variables.set(segment.slice(1), decodeSegment(value))
    else if (segment.toLowerCase() !== value.toLowerCase()) return undefined
  }
  return variables
}

/** One segment of a path in plain; what is not well encoded stays as it is. */
export const decodeSegment = (segment: string): string =>
  new URLSearchParams(`_=${segment.replace(/[+&]/g, encodeURIComponent)}`).get("_") ?? segment
