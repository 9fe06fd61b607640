import type { Instances } from "../client/Instances.ts"

/**
 * The configured instances in one line, the default one first: `production (default), staging (read-only)`. What does
 * not fit into this many characters is counted.
 */
export const instanceNames = (
  { defaultName, names, readOnly }: Pick<Instances["Service"], "defaultName" | "names" | "readOnly">,
  room: number
): string => {
  const marks = (name: string) => [
    ...(name === defaultName ? ["default"] : []),
    ...(readOnly.has(name) ? ["read-only"] : [])
  ]
  const words = [...names]
    .sort((a, b) => Number(b === defaultName) - Number(a === defaultName))
    .map((name) => (marks(name).length === 0 ? name : `${name} (${marks(name).join(", ")})`))
  const all = words.join(", ")
  if (all.length <= room) return all
  const most = words.findLastIndex((_, last) => shortened(words, last).length <= room)
  return shortened(words, Math.max(most, 0))
}

const shortened = (words: ReadonlyArray<string>, last: number): string => {
  const shown = words.slice(0, last + 1).join(", ")
  return last + 1 === words.length ? shown : `${shown} and ${words.length - last - 1} more`
}
