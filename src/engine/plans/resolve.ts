import type { CreatedId } from "../../changes/Journal.ts"
import { objectOf } from "../../internal/schema/JsonObject.ts"
import { replaceTextsAt } from "../workflow/valuePaths.ts"
import { isCreation } from "./call/CallChange.ts"
import type { Change, Content, Names, Parts, Ref, Reference } from "./Change.ts"
import { resolveTable } from "./tables/TableChange.ts"
import { newTagName } from "./withNames.ts"

type Created = (step: string) => CreatedId | undefined

const resolveRef = (ref: Ref, created: Created): Ref | undefined => {
  if (typeof ref === "string") return ref
  const id = created(ref.created_by)
  return id === undefined ? (ref.later === true ? ref : undefined) : String(id)
}

/** The names of tags that earlier steps have created, by the ids that these have got. */
const createdNames = (tags: ReadonlyArray<Ref>, created: Created): Names =>
  Object.fromEntries(
    tags.flatMap((tag) => {
      const id = typeof tag === "string" ? undefined : created(tag.created_by)
      return typeof tag === "string" || id === undefined ? [] : [[String(id), newTagName(tag)] as const]
    })
  )

/** A content with the ids that are known by now; undefined if one is missing that it needs. */
const resolveContent = (
  content: Content,
  references: ReadonlyArray<Reference>,
  created: Created,
  isPatient: boolean
): { readonly content: Content; readonly references: ReadonlyArray<Reference> } | undefined => {
  const left: Array<Reference> = []
  const texts: Array<readonly [Reference["path"], string]> = []
  for (const reference of references) {
    const parts = reference.parts.map((part) => (typeof part === "string" ? part : created(part.created_by)))
    const isKnown = parts.every((part) => part !== undefined)
    if (isKnown) texts.push([reference.path, parts.join("")])
    if (reference.late === true || !isKnown) left.push(reference)
    if (!isKnown && reference.late !== true && !isPatient) return undefined
  }
  return { content: replaceTextsAt(content, texts), references: left }
}

/** Parts with the ids that are known by now. */
const resolveParts = (parts: Parts, references: ReadonlyArray<Reference>, created: Created): Parts =>
  replaceTextsAt(
    parts,
    references.flatMap((reference) => {
      const texts = reference.parts.map((part) => (typeof part === "string" ? part : created(part.created_by)))
      const isThere = Object.keys(parts).some((part) => part === reference.path[0])
      return isThere && texts.every((text) => text !== undefined) ? [[reference.path, texts.join("")] as const] : []
    })
  )

/** The change with the ids of what earlier steps have created; nothing where one is not there. */
export const resolve = (change: Change, created: Created): Change | undefined => {
  switch (change.kind) {
    case "create-tag":
    case "delete-execution":
    case "retry":
    case "run-anew":
      return change
    case "table":
      return resolveTable(change, created)
    case "call": {
      if (isCreation(change) && change.parent !== undefined) {
        const parentFolderId = created(change.parent.created_by)
        const fields = { ...objectOf(change.after), parentFolderId }
        return parentFolderId === undefined ? undefined : { ...change, body: fields, after: fields }
      }
      const thing = change.thing === undefined ? undefined : resolveRef(change.thing, created)
      if (thing === undefined) return change.thing === undefined ? change : undefined
      return typeof thing === "string" ? { ...change, thing } : change
    }
    case "create": {
      const resolved = resolveContent(change.content, change.references, created, false)
      const folder = change.folder === undefined ? undefined : resolveRef(change.folder, created)
      if (resolved === undefined || (change.folder !== undefined && folder === undefined)) return undefined
      return { ...change, ...resolved, ...(folder === undefined ? {} : { folder }) }
    }
    case "delete-tag": {
      const tag = resolveRef(change.tag, created)
      return tag === undefined ? undefined : { ...change, tag }
    }
    default: {
      const workflow = resolveRef(change.workflow, created)
      if (workflow === undefined) return undefined
      if (change.kind === "active" || change.kind === "archived") return { ...change, workflow }
      if (change.kind === "tags") {
        const before = change.before.flatMap((tag) => resolveRef(tag, created) ?? [])
        const after = change.after.flatMap((tag) => resolveRef(tag, created) ?? [])
        if (after.length < change.after.length) return undefined
        const names = { ...change.names, ...createdNames([...change.before, ...change.after], created) }
        return { ...change, workflow, before, after, ...(Object.keys(names).length === 0 ? {} : { names }) }
      }
      if (change.kind === "delete") {
        return { ...change, workflow, ...resolveContent(change.content, change.references, created, true) }
      }
      const resolved = resolveContent(change.after, change.references, created, false)
      if (resolved === undefined) return undefined
      const before = resolveParts(change.before, change.found ?? [], created)
      return { ...change, workflow, before, after: resolved.content, references: resolved.references }
    }
  }
}
