import { Match, Schema } from "effect"

import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { CallChange, callId } from "./call/CallChange.ts"
import { TableChange, tableChangeId } from "./tables/TableChange.ts"

/** The content of a workflow: everything except its state, its tags and what its runs leave behind. */
export const Content = Schema.Struct({
  name: Schema.String,
  nodes: Schema.Array(JsonObject),
  connections: JsonObject,
  settings: JsonObject,
  /** Only kept to bring a deleted workflow back. */
  staticData: Schema.optionalKey(Schema.Unknown),
  /** Of an update, these: where it is changed, too. */
  nodeGroups: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  pinData: Schema.optionalKey(JsonObject),
  description: Schema.optionalKey(Schema.String)
})
export type Content = typeof Content.Type

/** The parts in which a content differs from another. */
const Parts = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  nodes: Schema.optionalKey(Schema.Array(JsonObject)),
  connections: Schema.optionalKey(JsonObject),
  settings: Schema.optionalKey(JsonObject),
  nodeGroups: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  pinData: Schema.optionalKey(JsonObject),
  description: Schema.optionalKey(Schema.String)
})
export type Parts = typeof Parts.Type

/** An id, or a step that creates what has it. With `later` it is a step of the very plan that contains this change, such as a rollback. */
export const Ref = Schema.Union([
  Schema.String,
  Schema.Struct({ created_by: Schema.String, later: Schema.optionalKey(Schema.Literal(true)) })
])
export type Ref = typeof Ref.Type

/** A text inside a content that contains ids of workflows which steps create. */
const Reference = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  parts: Schema.Array(Schema.Union([Schema.String, Schema.Struct({ created_by: Schema.String })])),
  /** It is set by a later step than the content: until then another text stands there, and either counts as right. */
  late: Schema.optionalKey(Schema.Literal(true))
})
export type Reference = typeof Reference.Type

/** The names of the tags and settings that a promotion brought. All others are the target's own. */
const Brought = Schema.Struct({ tags: Schema.Array(Schema.String), settings: Schema.Array(Schema.String) })
export type Brought = typeof Brought.Type

/** The workflow of another instance that a change comes from, with the version that was read there. */
const Source = Schema.Struct({
  instance: Schema.String,
  id: Schema.String,
  version: Schema.String,
  /** The tags and settings that have been brought along once the change is made, and those that had been before it. */
  brought: Schema.optionalKey(Brought),
  broughtBefore: Schema.optionalKey(Brought)
})
export type Source = typeof Source.Type

/** Names by ids, for people who read the plan. */
const Names = Schema.Record(Schema.String, Schema.String)
export type Names = typeof Names.Type

const onInstance = { instance: Schema.String }
/** The names of the tags that a workflow had when the plan was made, or gets if it is new: guards use them. */
const labels = Schema.optionalKey(Schema.Array(Schema.String))
const onWorkflow = { ...onInstance, workflow: Ref, name: Schema.String, labels }
const besideContent = {
  references: Schema.Array(Reference),
  /** The depth of its calls of other workflows: called workflows come before their callers. */
  level: Schema.Int,
  /** The steps without which it is not made: they make the variables that it uses. */
  needs: Schema.optionalKey(Schema.Array(Schema.String)),
  source: Schema.optionalKey(Source)
}

const Create = Schema.Struct({
  kind: Schema.Literal("create"),
  ...onInstance,
  /** The origin of the workflow as one text, unique among the steps of a plan. */
  key: Schema.String,
  content: Content,
  ...besideContent,
  labels,
  /** The folder in which it is made; that of a project without one where it is left out. */
  folder: Schema.optionalKey(Ref),
  /** The ids of workflows that had this name before; any other one was made by somebody else. */
  namesakes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** In a rollback: the ids of workflows that had this name when it was planned, so that they are not what it makes. */
  others: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The deleted workflow that it makes anew: nothing is made as long as that is there. */
  formerly: Schema.optionalKey(Schema.String)
})

const Update = Schema.Struct({
  kind: Schema.Literal("update"),
  ...onWorkflow,
  before: Parts,
  after: Content,
  ...besideContent,
  names: Schema.optionalKey(Names),
  /** In a rollback: the references in the content that it finds. */
  // oxlint-disable-next-line id-denylist -- a field of journals on disk
  found: Schema.optionalKey(Schema.Array(Reference))
})

const Tags = Schema.Struct({
  kind: Schema.Literal("tags"),
  ...onWorkflow,
  before: Schema.Array(Ref),
  after: Schema.Array(Ref),
  names: Schema.optionalKey(Names),
  source: Schema.optionalKey(Source)
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
  ...besideContent,
  folder: Schema.optionalKey(Ref),
  /** The tags that a rollback gives back: a workflow that has others by now is not deleted. */
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The ids of other workflows of this name: one that comes later was made in its place. */
  namesakes: Schema.optionalKey(Schema.Array(Schema.String))
})

const CreateTag = Schema.Struct({ kind: Schema.Literal("create-tag"), ...onInstance, name: Schema.String })
const DeleteTag = Schema.Struct({ kind: Schema.Literal("delete-tag"), ...onInstance, tag: Ref, name: Schema.String })

const DeleteExecution = Schema.Struct({
  kind: Schema.Literal("delete-execution"),
  ...onInstance,
  execution: Schema.Int,
  workflow: Schema.String,
  /** The name of the workflow, where the plan has read it. */
  name: Schema.optionalKey(Schema.String)
})

const retried = {
  ...onInstance,
  execution: Schema.Int,
  workflow: Schema.String,
  name: Schema.String,
  labels,
  /** Milliseconds between the beginnings of two such runs on one instance; default a second. */
  interval: Schema.optionalKey(Schema.Int)
}

/** A failed execution that the engine runs again, from the node that failed. */
const Retry = Schema.Struct({
  kind: Schema.Literal("retry"),
  ...retried,
  /** Whether the workflow runs as it is now, and not as it was. */
  latest: Schema.optionalKey(Schema.Literal(true))
})

/** A failed execution whose webhook is called again as it was called then. */
const RunAnew = Schema.Struct({ kind: Schema.Literal("run-anew"), ...retried })

/** A change of a workflow, or of what belongs to it, in a plan. */
export const Change = Schema.Union([
  Create,
  Update,
  Tags,
  Activate,
  Archive,
  Delete,
  CreateTag,
  DeleteTag,
  DeleteExecution,
  Retry,
  RunAnew,
  CallChange,
  TableChange
])
export type Change = typeof Change.Type
export type ChangeOf<K extends Change["kind"]> = Extract<Change, { readonly kind: K }>

/** A change that runs a failed execution again. */
export type Retried = ChangeOf<"retry" | "run-anew">

export const isRetried = (change: Change): change is Retried => change.kind === "retry" || change.kind === "run-anew"

const textOf = (ref: Ref): string => (typeof ref === "string" ? ref : `<${ref.created_by}>`)

/** The id of the step that changes the content of a workflow. */
export const updateOf = ({ instance, workflow }: { readonly instance: string; readonly workflow: Ref }): string =>
  `update ${instance}/${textOf(workflow)}`

/** The id of the step that deletes a workflow. */
export const deletionOf = ({ instance, workflow }: { readonly instance: string; readonly workflow: Ref }): string =>
  `delete ${instance}/${textOf(workflow)}`

/** The id of the step for a change: what it is about, as one text. */
export const idOf: (change: Change) => string = Match.type<Change>().pipe(
  Match.discriminatorsExhaustive("kind")({
    create: ({ instance, key }) => `create ${instance}/${key}`,
    update: updateOf,
    tags: ({ instance, workflow }) => `tags ${instance}/${textOf(workflow)}`,
    active: ({ after, instance, workflow }) => `${after ? "activate" : "deactivate"} ${instance}/${textOf(workflow)}`,
    archived: ({ after, instance, workflow }) => `${after ? "archive" : "unarchive"} ${instance}/${textOf(workflow)}`,
    delete: deletionOf,
    "create-tag": ({ instance, name }) => `create tag ${instance}/${name}`,
    "delete-tag": ({ instance, tag }) => `delete tag ${instance}/${textOf(tag)}`,
    "delete-execution": ({ execution, instance }) => `delete execution ${instance}/${execution}`,
    retry: ({ execution, instance }) => `retry ${instance}/${execution}`,
    "run-anew": ({ execution, instance }) => `run anew ${instance}/${execution}`,
    call: callId,
    table: tableChangeId
  })
)

/** The whole content before an update. */
export const contentBefore = ({ after, before }: ChangeOf<"update">): Content => ({ ...after, ...before })
