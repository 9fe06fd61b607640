import { Effect, Option } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import type { Catalog } from "../../nodes/Catalog.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import { suggestTypes } from "../../nodes/suggestNodes.ts"
import { fullType, portableVersion } from "../../nodes/typeVersions.ts"
import type { Workflow } from "../../workflow/models.ts"
import { packageOf, toEngineType } from "../../workflow/naming.ts"
import { versionIn } from "./adding.ts"
import type { Operation } from "./Operation.ts"

/**
 * What the instance says of the types of new nodes: their versions, which it does not have, and of which (`open`) only
 * its workflows can tell a version. It is only asked for its types where one is not known without.
 */
export const typesOfNewNodes = Effect.fnUntraced(function* ({ nodes }: Workflow, operations: ReadonlyArray<Operation>) {
  const engine = yield* EngineClient
  const strange = operations.flatMap((one) => {
    if (one.op !== "add") return []
    const type = toEngineType(fullType(one.type))
    const needsVersion = one.typeVersion === undefined && portableVersion(type) === undefined
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

const catalogFor = Effect.fnUntraced(function* (strange: ReadonlyArray<{ readonly needsVersion: boolean }>) {
  const engine = yield* EngineClient
  const knowledge = yield* NodeKnowledge
  if (strange.length === 0) return Option.none<Catalog>()
  const asked = strange.some(({ needsVersion }) => needsVersion)
    ? Effect.map(knowledge.of(engine), ({ catalog }) => Option.fromUndefinedOr(catalog))
    : knowledge.atHand(engine)
  return yield* Effect.orElseSucceed(asked, () => Option.none<Catalog>())
})

const missing = (instance: string, { entries, version }: Catalog, type: string) => {
  const [similar] = suggestTypes(type, entries, 1)
  const hint = similar === undefined ? "" : ` Did you mean ${similar}?`
  return `instance ${instance} (${version}) has no node type ${type}.${hint}`
}
