/** The folder of an instance, from which its name can be read back. */
export const folderOf = (instance: string): string =>
  Array.from(instance, (char, place) =>
    /[\p{L}\p{N}_ -]/u.test(char) || (char === "." && place > 0) ? char : escaped(char)
  ).join("")

const escaped = (char: string) =>
  Array.from(new TextEncoder().encode(char), (byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("")

/** Identifies a workflow of an instance. */
export const keyOf = (instance: string, id: string): string => keyAt(folderOf(instance), id)
export const keyAt = (folder: string, id: string): string => `${folder}/${id}`

/** A text as part of a file name that is valid on every system: `Order intake` becomes `Order-intake`. */
export const slug = (text: string): string => {
  const words = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}_]+/gu, "-")
    .replace(/^-+|-+$/g, "")
  const short = Array.from(words).slice(0, 60).join("").replace(/-+$/, "")
  return short === "" ? "unnamed" : short
}

/** Path of a workflow: its own file has the suffix `.json`, its texts are in a folder of that name without suffix. */
export const baseOf = (instance: string, name: string, id: string): string =>
  `${folderOf(instance)}/${slug(name)}.${id}`

/** The id of the workflow that a file in an instance's folder belongs to; undefined for files that are not ours. */
export const idAt = (path: string): string | undefined => {
  const [, entry = ""] = path.split("/")
  return /^[^.]+\.([A-Za-z0-9_-]{1,128})(?:\.json)?$/.exec(entry)?.[1]
}

/** The files with an instance's tags and the names of its credentials. */
export const tagsFile = (instance: string): string => `${folderOf(instance)}/tags.json`
export const credentialsFile = (instance: string): string => `${folderOf(instance)}/credentials.json`
