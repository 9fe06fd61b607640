import { Effect, Option, Predicate } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { everything, firstPages, firstPagesIfSupported } from "../../client/listAll.ts"
import { freshWebhookId } from "../../client/webhookIds.ts"
import type { Catalog } from "../../nodes/Catalog.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import type { NodeType } from "../../nodes/NodeType.ts"
import { suggestTypes } from "../../nodes/suggestNodes.ts"
import { fullType, portableVersion } from "../../nodes/typeVersions.ts"
import type { Page, PageQuery, Workflow } from "../../workflow/models.ts"
import { packageOf, toEngineType } from "../../workflow/naming.ts"
import { type Credential, credentialsIn, nodesOf } from "../../workflow/nodes.ts"
import { versionIn } from "./adding.ts"
import type { Lookups } from "./Draft.ts"
import { newTypeOf, type Operation } from "./Operation.ts"

/** Reads from the instance the facts that these operations need, and nothing else. */
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
    credentials: Option.getOrElse(listed, () => credentialsIn([workflow, ...others])),
    hasAllCredentials: Option.isSome(listed),
    tags: operations.some(({ op }) => op === "tag") ? yield* itemsOf(engine.listTags) : [],
    typeVersions: new Map([...typeVersions, ...used]),
    missingTypes,
    descriptions: yield* descriptionsFor(operations),
    nodeIds: operations.some(({ op }) => op === "group") ? yield* Effect.forEach(operations, () => freshWebhookId) : [],
    webhookIds: yield* Effect.forEach(operations, () => freshWebhookId)
  } satisfies Lookups
})

/** Pages that are read at most: larger instances are not read whole for one name. */
const maxPages = 20

/** The items of the first pages. */
const itemsOf = <A>(list: (query: PageQuery) => Effect.Effect<Page<A>, EngineError>) =>
  Effect.map(firstPages(list, { pages: maxPages }, everything), ({ matches: items }) => items)

/** Every credential with its type, where the engine lists them, and this key may see them. */
const allCredentials = (engine: EngineClient["Service"]) =>
  firstPagesIfSupported(engine.listCredentialsIfSupported, { pages: maxPages }, (page) =>
    page.flatMap(asCredential)
  ).pipe(
    Effect.map(Option.map(({ matches: credentials }) => credentials)),
    Effect.catchTag("PermissionDenied", () => Effect.succeed(Option.none<ReadonlyArray<Credential>>()))
  )

const asCredential = ({ id, name, type }: JsonObject): ReadonlyArray<Credential> =>
  Predicate.isString(id) && Predicate.isString(name) && Predicate.isString(type) ? [{ id, name, type }] : []

/**
 * The types of new nodes on the instance: their versions, the types that it does not have, and those (`open`) whose version
 * only its workflows can tell. The instance is only asked for its types where a version cannot be told without.
 */
const typesOfNewNodes = Effect.fnUntraced(function* ({ nodes }: Workflow, operations: ReadonlyArray<Operation>) {
  const engine = yield* EngineClient
  const strange = operations.flatMap((one) => {
    const given = newTypeOf(one)
    if (given === undefined) return []
    const type = toEngineType(fullType(given))
    const needsVersion = !("typeVersion" in one) && portableVersion(type) === undefined
    return versionIn(nodes, type) === undefined ? [{ type, needsVersion }] : []
  })
  const catalog = Option.getOrUndefined(yield* catalogFor(strange))
  const typeVersions = new Map<string, number>()
  const missingTypes = new Map<string, string>()
  for (const { type } of strange) {
    const entry = catalog?.find(type)
    if (entry !== undefined) typeVersions.set(type, entry.defaultVersion)
    else if (catalog?.packages.includes(packageOf(type)) === true) {
      missingTypes.set(type, missing(engine.instance, catalog, type))
    }
  }
  const open = strange
    .filter(({ needsVersion, type }) => needsVersion && !typeVersions.has(type) && !missingTypes.has(type))
    .map(({ type }) => type)
  return { typeVersions, missingTypes, open }
})

/** The descriptions of the types that nodes get in place of theirs; none where they cannot be looked up within a moment. */
const descriptionsFor = Effect.fnUntraced(function* (operations: ReadonlyArray<Operation>) {
  const types = operations.flatMap((one) => {
    const type = one.op === "add" ? undefined : newTypeOf(one)
    return type === undefined ? [] : [toEngineType(fullType(type))]
  })
  if (types.length === 0) return new Map<string, ReadonlyArray<NodeType>>()
  const { catalog } = yield* (yield* NodeKnowledge).soon(yield* EngineClient)
  const described = yield* Effect.forEach([...new Set(types)], (type) =>
    Effect.map(
      Effect.orElseSucceed(catalog?.read(type) ?? Effect.succeed([]), (): ReadonlyArray<NodeType> => []),
      (versions) => [type, versions] as const
    )
  )
  return new Map(described)
})

const catalogFor = Effect.fnUntraced(function* (strange: ReadonlyArray<{ readonly needsVersion: boolean }>) {
  const engine = yield* EngineClient
  const knowledge = yield* NodeKnowledge
  if (strange.length === 0) return Option.none<Catalog>()
  const catalogRead = strange.some(({ needsVersion }) => needsVersion)
    ? Effect.map(knowledge.of(engine), ({ catalog }) => Option.fromUndefinedOr(catalog))
    : knowledge.atHand(engine)
  return yield* Effect.orElseSucceed(catalogRead, () => Option.none<Catalog>())
})

const missing = (instance: string, { entries, version }: Catalog, type: string) => {
  const [similar] = suggestTypes(type, entries, 1)
  const hint = similar === undefined ? "" : ` Did you mean ${similar}?`
  return `instance ${instance} (${version}) has no node type ${type}.${hint}`
}
