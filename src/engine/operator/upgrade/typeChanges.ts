import { Effect, Option } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { Instances } from "../../client/Instances.ts"
import type { Catalog } from "../../nodes/Catalog.ts"
import { archivedTypes, NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import type { NodeType } from "../../nodes/NodeType.ts"
import { changesOf, type TypeChange, typeChange, type TypeFinding } from "../../upgrade/compareTypes.ts"
import { packageOf, toEngineType } from "../../workflow/naming.ts"
import { compareVersions } from "../../workflow/releases.ts"

/** The node types of the target, and where they come from. */
export interface Target {
  readonly catalog: Catalog | undefined
  readonly source: string
}

/** Whether a version is the one that was asked for, of which the last numbers may be left out: 3.0.4 is a 3.0. */
const isOf = (version: string, to: string) => version === to || version.startsWith(`${to}.`)

/** Longest wait for the version of an instance that may have the node types. */
const longestWait = "3 seconds"

/** The node types of a version: of a configured instance that has it, else those that were fetched of its packages. */
export const targetTypes = Effect.fnUntraced(function* (to: string) {
  const { names, resolve } = yield* Instances
  const knowledge = yield* NodeKnowledge
  const there = yield* Effect.forEach(
    names,
    (name) =>
      Effect.gen(function* () {
        const engine = yield* resolve(name)
        const version = Option.getOrUndefined(yield* Effect.timeout(engine.publicVersion, longestWait))
        return version !== undefined && isOf(version, to) ? [{ name, version, engine }] : []
      }).pipe(Effect.orElseSucceed(() => [])),
    { concurrency: 4 }
  )
  const newest = there.flat().toSorted((a, b) => compareVersions(b.version, a.version))[0]
  if (newest !== undefined) {
    const { catalog } = yield* Effect.orElseSucceed(knowledge.of(newest.engine), () => ({ catalog: undefined }))
    if (catalog !== undefined)
      return { catalog, source: `those of ${newest.version}, from ${newest.name}` } satisfies Target
  }
  for (const version of [to, `${to}.0`]) {
    const archived = yield* archivedTypes(version)
    if (Option.isSome(archived)) {
      return { catalog: archived.value, source: `those of ${version}, from its packages` } satisfies Target
    }
  }
  return {
    catalog: undefined,
    source: `not compared: no instance has ${to}. "workflow-tool-server nodes fetch --engine VERSION" fetches them once it is released`
  } satisfies Target
})

/** Compares nodes with the node types of the target; each type is read once. */
export const typeComparer = (target: Catalog | undefined, present: Catalog | undefined) => {
  const changes = new Map<string, TypeChange | undefined>()
  const keyOf = (node: JsonObject) => `${toEngineType(String(node.type))}@${String(node.typeVersion)}`
  const read = (catalog: Catalog, type: string) =>
    Effect.orElseSucceed(catalog.read(type), (): ReadonlyArray<NodeType> => [])
  return {
    /** Reads the types of these nodes, as far as they were not read before. */
    prepare: (nodes: ReadonlyArray<JsonObject>) =>
      target === undefined
        ? Effect.void
        : Effect.forEach(
            nodes.filter((node) => typeof node.type === "string" && !changes.has(keyOf(node))),
            Effect.fnUntraced(function* (node) {
              if (changes.has(keyOf(node))) return
              const type = toEngineType(String(node.type))
              // A package that the catalog does not hold may have the type all the same.
              const isThere = target.packages.includes(packageOf(type)) || target.find(type) !== undefined
              const sides = isThere && {
                present: present === undefined ? undefined : yield* read(present, type),
                target: yield* read(target, type)
              }
              changes.set(keyOf(node), sides === false ? undefined : typeChange(Number(node.typeVersion), sides))
            }),
            { discard: true }
          ),
    findings: (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<TypeFinding> =>
      nodes.flatMap((node) => {
        const change = changes.get(keyOf(node))
        return change === undefined ? [] : changesOf(node, change)
      })
  }
}
