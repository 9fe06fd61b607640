import { Effect, Option, Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { everything, firstPages, firstPagesIfSupported } from "../../client/listAll.ts"
import { freshWebhookId } from "../../client/webhookIds.ts"
import type { Page, PageQuery, Workflow } from "../../workflow/models.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { versionIn } from "./adding.ts"
import type { KnownCredential, Lookups } from "./Draft.ts"
import type { Operation } from "./Operation.ts"
import { typesOfNewNodes } from "./typesOfNewNodes.ts"

/** Asks the instance for what these operations need to know of it, and for nothing else. */
export const lookUp = Effect.fnUntraced(function* (workflow: Workflow, operations: ReadonlyArray<Operation>) {
  const engine = yield* EngineClient
  const needsCredentials = operations.some((one) => one.op === "credential" && one.value !== null)
  const listed = needsCredentials ? yield* allCredentials(engine) : Option.some([])
  const { missingTypes, open, typeVersions } = yield* typesOfNewNodes(workflow, operations)
  const others = Option.isNone(listed) || open.length > 0 ? yield* itemsOf(engine.listWorkflows) : []
  const nodes = [workflow, ...others].flatMap(nodesOf)
  const used = open.flatMap((type) => {
    const version = versionIn(nodes, type)
    return version === undefined ? [] : [[type, version] as const]
  })
  return {
    credentials: Option.getOrElse(listed, () => credentialsIn(nodes)),
    hasAllCredentials: Option.isSome(listed),
    tags: operations.some(({ op }) => op === "tag") ? yield* itemsOf(engine.listTags) : [],
    typeVersions: new Map([...typeVersions, ...used]),
    missingTypes,
    nodeIds: operations.some(({ op }) => op === "group") ? yield* Effect.forEach(operations, () => freshWebhookId) : [],
    webhookIds: yield* Effect.forEach(operations, () => freshWebhookId)
  } satisfies Lookups
})

/** Pages that are read at most: larger instances are not read whole for one name. */
const maxPages = 20

/** The items of the first pages. */
const itemsOf = <A>(list: (query: PageQuery) => Effect.Effect<Page<A>, EngineError>) =>
  Effect.map(firstPages(list, { pages: maxPages }, everything), ({ matches }) => matches)

/** Every credential with its type, where the engine lists them, and this key may see them. */
const allCredentials = (engine: EngineClient["Service"]) =>
  firstPagesIfSupported(engine.listCredentialsIfSupported, { pages: maxPages }, (page) =>
    page.flatMap(asCredential)
  ).pipe(
    Effect.map(Option.map(({ matches }) => matches)),
    Effect.catchTag("PermissionDenied", () => Effect.succeed(Option.none<ReadonlyArray<KnownCredential>>()))
  )

const asCredential = ({ id, name, type }: JsonObject): ReadonlyArray<KnownCredential> =>
  Predicate.isString(id) && Predicate.isString(name) && Predicate.isString(type) ? [{ id, name, type }] : []

/** The credentials that nodes use, each once. */
const credentialsIn = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<KnownCredential> => {
  const found = nodes.flatMap(({ credentials }) =>
    Object.entries(objectOf(credentials)).flatMap(([type, one]) =>
      isJsonObject(one) ? asCredential({ ...one, type }) : []
    )
  )
  return [...new Map(found.map((one) => [`${one.type} ${one.id}`, one])).values()]
}
