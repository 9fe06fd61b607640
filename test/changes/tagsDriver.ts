import { Effect, Match, Schema } from "effect"

import type { Driver, Failure } from "../../src/changes/Driver.ts"
import type { CreatedId } from "../../src/changes/Journal.ts"
import type { RemoteState } from "../../src/changes/RemoteState.ts"
import type { EngineClient } from "../../src/engine/client/EngineClient.ts"
import { TagId, WorkflowId } from "../../src/engine/workflow/models.ts"

/** A tag by its id, or the one that an earlier step creates. */
const TagRef = Schema.Union([Schema.String, Schema.Struct({ created_by: Schema.String })])

/** A change of tags: they are created, renamed and deleted, and workflows get and lose them. */
export const TagChange = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("create"), name: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("rename"), tag: TagRef, before: Schema.String, after: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("delete"), tag: TagRef, name: Schema.String }),
  Schema.Struct({
    kind: Schema.Literal("label"),
    workflow: Schema.String,
    tag: TagRef,
    before: Schema.Boolean,
    after: Schema.Boolean
  })
])
export type TagChange = typeof TagChange.Type
type Client = EngineClient["Service"]
type EngineFailure = Effect.Error<ReturnType<Client["getTag"] | Client["listTags"] | Client["setWorkflowTags"]>>

/** Hooks of a test around a change: before it is carried out, and after. */
export interface Faults {
  readonly before?: (change: TagChange) => Effect.Effect<void, EngineFailure>
  readonly after?: (change: TagChange) => Effect.Effect<void, EngineFailure>
}

const order: ReadonlyArray<TagChange["kind"]> = ["create", "rename", "label", "delete"]
const refOf = (change: TagChange) => (change.kind === "create" ? undefined : change.tag)
const textOf = (tag: ReturnType<typeof refOf>) => (typeof tag === "string" ? tag : `<${tag?.created_by}>`)

export const idOf = (change: TagChange): string => {
  if (change.kind === "create") return `create ${change.name}`
  return change.kind === "label"
    ? `label ${change.workflow}/${textOf(change.tag)}`
    : `${change.kind} ${textOf(change.tag)}`
}

export const invert = (change: TagChange): ReadonlyArray<TagChange> => {
  if (change.kind === "create") return [{ kind: "delete", tag: { created_by: idOf(change) }, name: change.name }]
  if (change.kind === "delete") return [{ kind: "create", name: change.name }]
  if (typeof change.tag !== "string") return []
  return change.kind === "rename"
    ? [{ ...change, before: change.after, after: change.before }]
    : [{ ...change, before: change.after, after: change.before }]
}

const explain = (error: EngineFailure): Failure => {
  const problem = error.message
  if (error._tag === "ApiError") return { _tag: "Refused", problem, isWhole: false }
  return error._tag === "OutcomeUnknown"
    ? { _tag: "OutcomeUnknown", reason: error._tag, problem }
    : { _tag: "Stopped", reason: error._tag, problem, isUnsent: true }
}

const read = Effect.fnUntraced(function* (client: Client, changes: ReadonlyArray<TagChange>) {
  const { data: tags } = yield* client.listTags({ limit: 250 })
  const ids = [...new Set(changes.flatMap((change) => (change.kind === "label" ? [change.workflow] : [])))]
  const labels = new Map(
    yield* Effect.forEach(ids, (id) =>
      Effect.map(
        client.getWorkflow(WorkflowId.make(id)),
        (workflow) => [id, (workflow.tags ?? []).map((tag) => tag.id)] as const
      )
    )
  )
  const nameOf = (tag: ReturnType<typeof refOf>) => tags.find(({ id }) => id === tag)?.name
  /** Whether a change shows as wanted, and as it was. */
  const compared = Match.type<TagChange>().pipe(
    Match.withReturnType<readonly [isAfter: boolean, isBefore: boolean]>(),
    Match.discriminatorsExhaustive("kind")({
      create: ({ name }) => [false, !tags.some((tag) => tag.name === name)],
      rename: ({ after, before, tag }) => [nameOf(tag) === after, nameOf(tag) === before],
      delete: ({ name, tag }) => [nameOf(tag) === undefined, nameOf(tag) === name],
      label: ({ after, before, tag, workflow }) => {
        const has = labels.get(workflow)?.some((id) => id === tag) === true
        return [has === after, has === before]
      }
    })
  )
  return {
    labels,
    judge: (change) => {
      const [isAfter, isBefore] = compared(change)
      return isAfter ? "already" : isBefore ? "pending" : "drift"
    },
    findLostCreation: (change) => {
      const tag = change.kind === "create" ? tags.find(({ name }) => name === change.name) : undefined
      return tag === undefined ? {} : { created: tag.id }
    }
  } satisfies RemoteState<TagChange> & { readonly labels: ReadonlyMap<string, ReadonlyArray<string>> }
})
type TagsState = Effect.Success<ReturnType<typeof read>>

/** Carries one change out; returns the id of a tag that it created. */
const carryOut = Effect.fnUntraced(function* (client: Client, change: TagChange, { labels }: TagsState) {
  if (change.kind === "create") return (yield* client.createTag(change.name)).id
  const tag = TagId.make(textOf(change.tag))
  if (change.kind === "rename") yield* client.updateTag(tag, change.after)
  else if (change.kind === "delete") yield* client.deleteTag(tag)
  else {
    const others = (labels.get(change.workflow) ?? []).filter((id) => id !== tag).map((id) => TagId.make(id))
    yield* client.setWorkflowTags(WorkflowId.make(change.workflow), change.after ? [...others, tag] : others)
  }
  return undefined
})

/** Tags of an engine, for plans that change them: the smallest driver there can be. */
export const make = (
  client: Client,
  { after = () => Effect.void, before = () => Effect.void }: Faults = {}
): Driver<TagChange, TagsState, EngineFailure> => ({
  idOf,
  kindOf: ({ kind }) => kind,
  subjectOf: (change) => (typeof refOf(change) === "string" ? textOf(refOf(change)) : undefined),
  resolve: (change, created: (step: string) => CreatedId | undefined) => {
    if (change.kind === "create" || typeof change.tag === "string") return change
    const tag = created(change.tag.created_by)
    return typeof tag === "string" ? { ...change, tag } : undefined
  },
  order: (a, b) => order.indexOf(a.change.kind) - order.indexOf(b.change.kind) || (a.id < b.id ? -1 : 1),
  batches: (steps) =>
    order.flatMap((kind) => {
      const some = steps.filter(({ change }) => change.kind === kind)
      return kind === "label" && some.length > 0 ? [some] : some.map((step) => [step])
    }),
  sending: ({ kind }) => ({ isAlone: false, isRepeatable: kind === "rename" || kind === "label" }),
  creations: {
    isCreation: ({ kind }) => kind === "create",
    describe: idOf,
    unknownReason: "OutcomeUnknown",
    search: "The next call looks for it.",
    advice: "rename it",
    missing: "its tag was not created"
  },
  visibleMs: 1000,
  readRemoteState: (changes) => read(client, changes),
  send: Effect.fnUntraced(function* (changes, state) {
    let created: string | undefined
    for (const change of changes) {
      yield* before(change)
      created = yield* carryOut(client, change, state)
      yield* after(change)
    }
    return { refused: [], ...(created === undefined ? {} : { created }) }
  }),
  explain,
  invert,
  describe: (change) =>
    "before" in change
      ? { before: change.before, after: change.after }
      : change.kind === "create"
        ? { before: null, after: change.name }
        : { before: change.name, after: null },
  upstream: "the engine"
})
