import { Effect, Predicate, Schema } from "effect"

import { nodeKind } from "../../../../engine/naming.ts"
import { Free } from "../../../../engine/Workflow.ts"
import { Edition } from "../../store/Edition.ts"
import { freshUuid } from "../../store/fresh.ts"
import { badRequest, type Refusal } from "../../wire/Refusal.ts"
import { nodeOrder, settingsOrder } from "./shapes.ts"
import { structureProblem } from "./structure.ts"

/** A workflow as a request gives it; its shape has been checked before. */
const Draft = Schema.StructWithRest(
  Schema.Struct({
    name: Schema.String,
    nodes: Schema.Array(Free),
    connections: Free,
    settings: Free,
    description: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type Draft = typeof Draft.Type

const decode = Schema.decodeUnknownEffect(Draft)

/** Reads a body: nodes get the ids they lack, and a 2.x engine looks at the graph and puts fields in its own order. */
export const read = Effect.fnUntraced(function* (body: unknown): Effect.fn.Return<Draft, Refusal, Edition> {
  const { isSecond } = yield* Edition
  const draft = yield* Effect.orDie(decode(body))
  const problem = isSecond ? structureProblem(draft.nodes, draft.connections) : undefined
  if (problem !== undefined) return yield* badRequest(problem)
  const nodes = yield* Effect.forEach(draft.nodes, (node) =>
    complete(isSecond ? inOrder(nodeOrder, node) : node, isSecond)
  )
  return { ...draft, nodes, settings: isSecond ? inOrder(settingsOrder, draft.settings) : draft.settings }
})

const complete = Effect.fnUntraced(function* (node: Free, isSecond: boolean): Effect.fn.Return<Free> {
  const named = Predicate.isString(node.id) && node.id !== "" ? node : { ...node, id: yield* freshUuid }
  const needsAddress = isSecond && Predicate.isString(node.type) && called.has(nodeKind(node.type))
  return needsAddress && node.webhookId === undefined ? { ...named, webhookId: yield* freshUuid } : named
})

/** Kinds of nodes that are called from outside under an id of their own. */
const called = new Set(["webhook", "formTrigger", "chatTrigger", "form", "wait"])

/** These fields of an object, in this order, and no others. */
export const inOrder = (order: ReadonlyArray<string>, value: Free): Free =>
  Object.fromEntries(order.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])))

const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** Static data may be sent as an object or as the text of one. */
export const staticDataOf = (draft: Draft): Effect.Effect<unknown> =>
  Predicate.isString(draft.staticData)
    ? Effect.orDie(parse(draft.staticData))
    : Effect.succeed(draft.staticData ?? null)
