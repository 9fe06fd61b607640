import { credentialTypesPath, nodeTypesPath, settingsPath } from "../workflow/naming.ts"

const root = "/api/v1/"

/** Segments of the API's paths that are not ids. */
const words = new Set(
  (
    "workflows executions credentials tags discover community-packages activate deactivate archive unarchive retry stop " +
    "test history versions variables projects folders data-tables rows columns update delete"
  ).split(" ")
)

const isWord = (part: string, place: number) => (place === 1 ? part === "schema" : words.has(part))

const fixed = new Set(["/", credentialTypesPath, nodeTypesPath, settingsPath])

/** A path of the engine with `{id}` in place of ids; undefined for an address of a workflow, which may be a secret. */
export const routeOf = (path: string): string | undefined => {
  if (fixed.has(path)) return path
  if (!path.startsWith(root)) return undefined
  const parts = path.slice(root.length).split("/")
  return root + parts.map((part, place) => (isWord(part, place) ? part : "{id}")).join("/")
}
