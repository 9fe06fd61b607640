/** The values of the variable segments when a path has the form of a pattern, letter case aside, or nothing. */
export const match = (pattern: string, path: string): ReadonlyMap<string, string> | undefined => {
  const wanted = pattern.split("/")
  const given = path.replace(/(?<=.)\/$/, "").split("/")
  if (wanted.length !== given.length) return undefined
  const variables = new Map<string, string>()
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ""
    if (segment.startsWith(":") && value !== "") variables.set(segment.slice(1), decode(value))
    else if (segment.toLowerCase() !== value.toLowerCase()) return undefined
  }
  return variables
}

/** A segment that is not well encoded stays as it is. */
const decode = (segment: string): string =>
  /^(?:[^%]|%[0-7][0-9a-f])*$/i.test(segment) ? decodeURIComponent(segment) : segment
