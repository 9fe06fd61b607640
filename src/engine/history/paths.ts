import { withoutEnd, withoutEnds } from "../../internal/texts.ts"
import type { KeptList } from "../client/History.ts"
import { idPattern } from "../workflow/models.ts"

/** The folder of an instance, from which its name can be read back: neither hidden nor called like another file of ours. */
export const folderOf = (instance: string): string => {
  const isTaken = /^readme\.md$/i.test(instance)
  return Array.from(instance, (char, place) =>
    /[\p{L}\p{N}_ -]/u.test(char) || (char === "." && place > 0 && !isTaken) ? char : escaped(char)
  ).join("")
}

/** Longest name of a folder or file on usual systems, in bytes. */
const longestName = 255

/** The reason for which the name of an instance makes no folder; undefined if it does. */
export const folderProblem = (instance: string): string | undefined => {
  if (instance === "") return "its instance has an empty name"
  if (!instance.isWellFormed()) return "the name of its instance is no valid text"
  return bytesOf(folderOf(instance)) > longestName ? "the name of its instance is too long for a folder" : undefined
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length

const escaped = (char: string) =>
  Array.from(new TextEncoder().encode(char), (byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("")

/** Identifies a workflow of an instance. */
export const keyOf = (instance: string, id: string): string => keyAt(folderOf(instance), id)
export const keyAt = (folder: string, id: string): string => `${folder}/${id}`

/** Most bytes of a text in a file name, beside which an id, a field and an extension have to find room. */
const longestSlug = 120

/** The beginning of a text that fits in so many bytes. */
export const withinBytes = (text: string, most: number): string => {
  if (bytesOf(text) <= most) return text
  let room = most
  return Array.from(text)
    .filter((char) => (room -= bytesOf(char)) >= 0)
    .join("")
}

/** A text as part of a file name that is valid on every system: `Order intake` becomes `Order-intake`. */
export const slug = (text: string): string => {
  const words = withoutEnds(
    text
      .slice(0, 1000)
      .normalize("NFC")
      .replace(/[^\p{L}\p{N}_]+/gu, "-"),
    "-"
  )
  const short = withoutEnd(withinBytes(Array.from(words).slice(0, 60).join(""), longestSlug), "-")
  return short === "" ? "unnamed" : short
}

/** Path of a workflow: its own file has the suffix `.json`, its texts are in a folder of that name without suffix. */
export const baseOf = (instance: string, name: string, id: string): string =>
  `${folderOf(instance)}/${slug(name)}.${id}`

/** Whether a workflow of this id has files of its own: `json` would make its folder `tags.json`. */
export const isFileId = (id: string): boolean => idPattern.test(id) && id.toLowerCase() !== "json"

/** The id of the workflow that a file in an instance's folder belongs to; undefined for files that are not ours. */
export const idAt = (path: string): string | undefined => {
  const [, entry = "", ...deeper] = path.split("/")
  const form = deeper.length === 0 ? /^[^.]+\.([^.]+)\.json$/ : /^[^.]+\.([^.]+)$/
  const id = form.exec(entry)?.[1]
  return id !== undefined && isFileId(id) ? id : undefined
}

/** The file of a list of an instance; that of rows is called by the id of their data table. Newer lists have a line for each item. */
export const listFile = (instance: string, list: KeptList["list"], table?: { readonly id: string }): string => {
  const folder = folderOf(instance)
  if (list === "rows") return `${folder}/data-tables/${table?.id ?? ""}.jsonl`
  return `${folder}/${list}.json${list === "tags" || list === "credentials" ? "" : "l"}`
}
