import type { CallChange } from "../call/CallChange.ts"
import type { Ref } from "../Change.ts"
import { idOf } from "../Change.ts"
import { type Step, stepOf } from "../Step.ts"
import type { Built } from "./Built.ts"
import type { Input, Place } from "./Input.ts"

type Places = Pick<Input, "resources" | "to">

const creation = (
  instance: string,
  project: string,
  path: ReadonlyArray<string>,
  parent: Ref | undefined
): CallChange => {
  const name = path.at(-1) ?? ""
  return {
    kind: "call",
    instance,
    call: "POST /projects/{projectId}/folders",
    path: `/projects/${encodeURIComponent(project)}/folders`,
    query: {},
    body: { name, ...(typeof parent === "string" ? { parentFolderId: parent } : {}) },
    read: { as: "list", query: { take: "250" } },
    before: null,
    after: { name, ...(typeof parent === "object" ? {} : { parentFolderId: parent ?? null }) },
    namesakes: [],
    // A folder tells by itself what lies in it, and stays where that is something.
    back: { call: "DELETE /projects/{projectId}/folders/{folderId}", read: { as: "item", query: {} } },
    made: path.join("/"),
    ...(typeof parent === "object" ? { parent: { created_by: parent.created_by } } : {})
  }
}

/** The folder of new workflows on the target, and the steps that make what of its path is not there yet. */
export const targetFolder = ({ resources, to }: Places) => {
  const place = resources?.place
  return place === undefined || place.unread !== undefined ? { steps: [] } : folderAt(to, place, `not on ${to} yet`)
}

/** The folder of a path, and the steps that make what of it is not there. */
export const folderAt = (
  to: string,
  { folders, path, project }: Place,
  reason: string
): { readonly folder?: Ref; readonly steps: ReadonlyArray<Step> } => {
  const steps: Array<Step> = []
  let folder: Ref | undefined
  for (const [depth, name] of path.entries()) {
    const parent = folder
    const match =
      typeof parent === "object"
        ? undefined
        : folders.find((one) => one.name === name && (one.parentFolderId ?? undefined) === parent)
    if (match === undefined) {
      const change = creation(to, project, path.slice(0, depth + 1), parent)
      steps.push(stepOf(change, reason))
      folder = { created_by: idOf(change) }
    } else folder = match.id
  }
  return { ...(folder === undefined ? {} : { folder }), steps }
}

/** The steps and warnings about the folder of workflows that are new on the target; others stay where they are. */
export const folderSteps = (places: Places, built: ReadonlyArray<Built>) => {
  if (built.every(({ counterpart }) => counterpart !== undefined)) return { steps: [], warnings: [] }
  const { steps } = targetFolder(places)
  const unread = places.resources?.place?.unread
  return {
    steps,
    warnings: unread === undefined ? [] : [`New workflows go to the root of ${places.to}, into no folder: ${unread}`]
  }
}
