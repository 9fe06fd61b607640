import { Effect, Option } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { frozenNodes, isOfFrozenType } from "../workflow/frozenTypes.ts"
import type { Workflow } from "../workflow/models.ts"
import { compareVersions, frozenFrom } from "../workflow/releases.ts"
import type { Changes, Creation } from "./body.ts"
import { type EngineError, FrozenNodes } from "./EngineError.ts"
import type { restCalls } from "./restCalls.ts"

type Client = ReturnType<typeof restCalls>

/** The same client, which sends no node of a type that the engine has frozen, and understands the engine where it refuses one. */
export const freezing = <C extends Client>(client: C, isBlocking: boolean) => {
  const { instance, publicVersion } = client

  const freezingVersion = isBlocking
    ? Effect.map(Effect.orElseSucceed(publicVersion, Option.none<string>), (version) =>
        Option.getOrUndefined(Option.filter(version, (one) => compareVersions(one, frozenFrom) >= 0))
      )
    : Effect.undefined

  /** Fails where the engine would refuse nodes; its version is only asked for where there are such nodes. */
  const allowed = Effect.fnUntraced(function* (nodes: ReadonlyArray<JsonObject>, present?: ReadonlyArray<JsonObject>) {
    if (!nodes.some(isOfFrozenType)) return undefined
    const version = yield* freezingVersion
    const names = frozenNodes(nodes, version, present)
    return names.length === 0 ? undefined : yield* new FrozenNodes({ instance, names, version: version ?? "" })
  })

  const understood = <A>(write: Effect.Effect<A, EngineError>) =>
    Effect.mapError(write, (error) => {
      const [, name] = error._tag === "ApiError" && error.httpStatus === 400 ? (refusal.exec(error.problem) ?? []) : []
      return name === undefined ? error : new FrozenNodes({ instance, names: [name], reply: error.message })
    })

  return {
    ...client,
    freezingVersion,
    createWorkflow: (creation: Creation) =>
      Effect.andThen(allowed(creation.nodes), understood(client.createWorkflow(creation))),
    updateWorkflow: (current: Workflow, changes: Changes) =>
      Effect.andThen(allowed(changes.nodes ?? [], current.nodes), understood(client.updateWorkflow(current, changes)))
  }
}

/** The refusal of a node whose type is deprecated, with its name. */
const refusal = /^Cannot (?:use|modify) an? "[^"]*" node \("(.*?)"\): this node type is deprecated/
