import { Match, Schema, Struct } from "effect"

import type { CreatedId } from "../../changes/Journal.ts"
import type { Step } from "../../changes/Plan.ts"
import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { withTexts } from "./references.ts"

/** What a workflow is, apart from its state, its tags and what its runs leave behind. */
export const Content = Schema.Struct({
  name: Schema.String,
  nodes: Schema.Array(JsonObject),
  connections: JsonObject,
  settings: JsonObject,
  /** Only kept to bring a deleted workflow back. */
  staticData: Schema.optionalKey(Schema.Unknown),
  pinData: Schema.optionalKey(JsonObject)
})
export type Content = typeof Content.Type

/** Those parts of a content in which it differs from another. */
const Parts = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  nodes: Schema.optionalKey(Schema.Array(JsonObject)),
  connections: Schema.optionalKey(JsonObject),
  settings: Schema.optionalKey(JsonObject)
})
export type Parts = typeof Parts.Type

/** The id of a thing, or of the one that a step of the plan creates; `later` is a step of the plan that holds the change itself. */
export const Ref = Schema.Union([
  Schema.String,
  Schema.Struct({ created_by: Schema.String, later: Schema.optionalKey(Schema.Literal(true)) })
])
export type Ref = typeof Ref.Type

/** A text inside of a content that holds ids of workflows that steps create. */
const Reference = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  parts: Schema.Array(Schema.Union([Schema.String, Schema.Struct({ created_by: Schema.String })])),
  /** It is set by a later step than the content: until then another text stands there, and either counts as right. */
  late: Schema.optionalKey(Schema.Literal(true))
})
export type Reference = typeof Reference.Type

/** The workflow of another instance that a content comes from, with the version that was read there. */
const Source = Schema.Struct({ instance: Schema.String, id: Schema.String, version: Schema.String })
export type Source = typeof Source.Type

const onInstance = { instance: Schema.String }
/** The names of the tags that a workflow had when the plan was made, or gets where it is new: guards go by them. */
const labels = Schema.optionalKey(Schema.Array(Schema.String))
const onWorkflow = { ...onInstance, workflow: Ref, name: Schema.String, labels }
const content = {
  references: Schema.Array(Reference),
  /** How deep its calls of other workflows go: what is called comes before what calls it. */
  level: Schema.Int,
  source: Schema.optionalKey(Source)
}

const Create = Schema.Struct({
  kind: Schema.Literal("create"),
  ...onInstance,
  /** What it is made from, as no two steps of a plan share it. */
  key: Schema.String,
  content: Content,
  ...content,
  labels,
  /** The workflows that had this name before, where another one of it would be somebody else's doing. */
  namesakes: Schema.optionalKey(Schema.Array(Schema.String))
})

const Update = Schema.Struct({
  kind: Schema.Literal("update"),
  ...onWorkflow,
  before: Parts,
  after: Content,
  ...content,
  /** Of a way back: the references in what it finds. */
  found: Schema.optionalKey(Schema.Array(Reference))
})

const Tags = Schema.Struct({
  kind: Schema.Literal("tags"),
  ...onWorkflow,
  before: Schema.Array(Ref),
  after: Schema.Array(Ref)
})

const Activate = Schema.Struct({
  kind: Schema.Literal("active"),
  ...onWorkflow,
  before: Schema.Boolean,
  after: Schema.Boolean,
  level: Schema.Int,
  /** Whether those that call it cannot run before it is active. */
  isCalled: Schema.Boolean
})

const Archive = Schema.Struct({
  kind: Schema.Literal("archived"),
  ...onWorkflow,
  before: Schema.Boolean,
  after: Schema.Boolean
})

const Delete = Schema.Struct({
  kind: Schema.Literal("delete"),
  ...onWorkflow,
  key: Schema.String,
  content: Content,
  ...content
})

const CreateTag = Schema.Struct({ kind: Schema.Literal("create-tag"), ...onInstance, name: Schema.String })
const DeleteTag = Schema.Struct({ kind: Schema.Literal("delete-tag"), ...onInstance, tag: Ref, name: Schema.String })

const DeleteExecution = Schema.Struct({
  kind: Schema.Literal("delete-execution"),
  ...onInstance,
  execution: Schema.Int,
  workflow: Schema.String
})

/** What plans can change about workflows and what belongs to them. */
export const Change = Schema.Union([
  Create,
  Update,
  Tags,
  Activate,
  Archive,
  Delete,
  CreateTag,
  DeleteTag,
  DeleteExecution
])
export type Change = typeof Change.Type
export type ChangeOf<K extends Change["kind"]> = Extract<Change, { readonly kind: K }>

const textOf = (ref: Ref): string => (typeof ref === "string" ? ref : `<${ref.created_by}>`)

/** What a change is about, as one text: the id of its step. */
export const idOf: (change: Change) => string = Match.type<Change>().pipe(
  Match.discriminatorsExhaustive("kind")({
    create: ({ instance, key }) => `create ${instance}/${key}`,
    update: ({ instance, workflow }) => `update ${instance}/${textOf(workflow)}`,
    tags: ({ instance, workflow }) => `tags ${instance}/${textOf(workflow)}`,
    active: ({ after, instance, workflow }) => `${after ? "activate" : "deactivate"} ${instance}/${textOf(workflow)}`,
    archived: ({ after, instance, workflow }) => `${after ? "archive" : "unarchive"} ${instance}/${textOf(workflow)}`,
    delete: ({ instance, workflow }) => `delete ${instance}/${textOf(workflow)}`,
    "create-tag": ({ instance, name }) => `create tag ${instance}/${name}`,
    "delete-tag": ({ instance, tag }) => `delete tag ${instance}/${textOf(tag)}`,
    "delete-execution": ({ execution, instance }) => `delete execution ${instance}/${execution}`
  })
)

/** The whole content that a change of one finds before it. */
export const contentBefore = ({ after, before }: ChangeOf<"update">): Content => ({ ...after, ...before })

/** The parts of a content that another one has in another form. */
export const partsOf = (content: Content, others: Parts): Parts => ({
  ...(others.name === undefined ? {} : { name: content.name }),
  ...(others.nodes === undefined ? {} : { nodes: content.nodes }),
  ...(others.connections === undefined ? {} : { connections: content.connections }),
  ...(others.settings === undefined ? {} : { settings: content.settings })
})

/** The changes that undo one. A created workflow is known by what was put into it; a deleted one comes back under a new id. */
export const invert: (change: Change) => ReadonlyArray<Change> = Match.type<Change>().pipe(
  Match.withReturnType<ReadonlyArray<Change>>(),
  Match.discriminatorsExhaustive("kind")({
    create: (change) => [
      {
        ...Struct.omit(change, ["namesakes"]),
        kind: "delete",
        workflow: { created_by: idOf(change) },
        name: change.content.name
      }
    ],
    update: (change) => [
      {
        ...change,
        before: partsOf(change.after, change.before),
        after: contentBefore(change),
        references: change.found ?? [],
        found: change.references
      }
    ],
    tags: (change) => [{ ...change, before: change.after, after: change.before }],
    active: (change) => [{ ...change, before: change.after, after: change.before }],
    archived: (change) => [{ ...change, before: change.after, after: change.before }],
    delete: (change) => [
      {
        ...Struct.omit(change, ["name", "workflow"]),
        kind: "create",
        key: typeof change.workflow === "string" ? `${change.key} again, was ${change.workflow}` : change.key
      }
    ],
    "create-tag": ({ instance, kind, name }) => [
      { kind: "delete-tag", instance, tag: { created_by: idOf({ kind, instance, name }) }, name }
    ],
    "delete-tag": ({ instance, name }) => [{ kind: "create-tag", instance, name }],
    "delete-execution": () => []
  })
)

type Created = (step: string) => CreatedId | undefined

const resolveRef = (ref: Ref, created: Created): Ref | undefined => {
  if (typeof ref === "string") return ref
  const id = created(ref.created_by)
  return id === undefined ? (ref.later === true ? ref : undefined) : String(id)
}

/** A content with the ids that are known by now; nothing where one is missing that it cannot do without. */
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
  return { content: withTexts(content, texts), references: left }
}

/** Parts with the ids that are known by now. */
const resolveParts = (parts: Parts, references: ReadonlyArray<Reference>, created: Created): Parts =>
  withTexts(
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
      return change
    case "create": {
      const resolved = resolveContent(change.content, change.references, created, false)
      return resolved === undefined ? undefined : { ...change, ...resolved }
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
        return after.length === change.after.length ? { ...change, workflow, before, after } : undefined
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

/** The places of kinds of change in the order of a plan; what is called comes before what calls it, and goes after it. */
const placeOf: (change: Change) => ReadonlyArray<number> = Match.type<Change>().pipe(
  Match.withReturnType<ReadonlyArray<number>>(),
  Match.discriminatorsExhaustive("kind")({
    "create-tag": () => [0],
    archived: ({ after }) => [after ? 6 : 2],
    create: ({ level }) => [3, level, 0],
    update: ({ level }) => [3, level, 1],
    active: ({ after, isCalled, level }) => (after ? (isCalled ? [3, level, 2] : [5, level]) : [1, -level]),
    tags: () => [4],
    delete: ({ level }) => [7, -level],
    "delete-tag": () => [8],
    "delete-execution": () => [9]
  })
)

/** Steps with the same place may be read and sent side by side. */
export const groupOf = (change: Change): string => `${change.instance} ${placeOf(change).join(".")}`

const natural = new Intl.Collator("en", { numeric: true })

/** The order of a plan, the same for the same steps however they come. */
export const order = (a: Step<Change>, b: Step<Change>): number => {
  const [those, these] = [placeOf(a.change), placeOf(b.change)]
  const place = those.map((one, index) => one - (these[index] ?? 0)).find((difference) => difference !== 0) ?? 0
  return place || natural.compare(a.id, b.id) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}
