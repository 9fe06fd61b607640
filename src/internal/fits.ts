/** Whether names fit a pattern, in which a wildcard stands for any characters; it may be long, and is read once. */
export const fitting = (pattern: string, wildcard = "*"): ((name: string) => boolean) => {
  const [first = "", ...rest] = pattern.split(wildcard)
  if (rest.length === 0) return (name) => pattern === name
  const last = rest.pop() ?? ""
  const parts = rest.filter((part) => part !== "")
  const least = parts.reduce((sum, part) => sum + part.length, first.length + last.length)
  return (name) => {
    if (name.length < least || !name.startsWith(first) || !name.endsWith(last)) return false
    let at = first.length
    const end = name.length - last.length
    for (const part of parts) {
      const place = name.indexOf(part, at)
      if (place < 0 || place + part.length > end) return false
      at = place + part.length
    }
    return true
  }
}

/** Whether one name fits. */
export const fits = (pattern: string, name: string): boolean => fitting(pattern)(name)
