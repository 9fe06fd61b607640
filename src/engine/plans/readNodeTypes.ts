import { Effect, Option } from "effect"

import type { EngineClient } from "../client/EngineClient.ts"
import { checkType } from "../nodes/check/node.ts"
import { type CatalogLookup, NodeKnowledge } from "../nodes/NodeKnowledge.ts"
import { nodePackages, packageOf, toEngineType } from "../workflow/naming.ts"
import { type NodeTypes, versioned } from "./NodeTypes.ts"

type Client = EngineClient["Service"]

/** Longest wait for what an engine tells of its node types. */
const longest = "20 seconds"

const inNoTime: CatalogLookup = {
  catalog: undefined,
  hint: "The engine's node types are still being fetched: plan again in a minute."
}

/** The version that an engine makes public; undefined where it tells none, or does not answer. */
export const publicVersionOf = (client: Client): Effect.Effect<string | undefined> =>
  Effect.map(Effect.orElseSucceed(client.publicVersion, Option.none<string>), Option.getOrUndefined)

/**
 * The node types of the target, as far as they are known: by its engine or its packages, else by its version and by those
 * that its workflows use (`versioned`).
 */
export const readNodeTypes = Effect.fnUntraced(function* (
  source: Client,
  target: Client,
  used: ReadonlySet<string>
): Effect.fn.Return<NodeTypes> {
  const { of } = yield* NodeKnowledge
  const { catalog, hint } = yield* of(target).pipe(
    Effect.timeoutOrElse({ duration: longest, orElse: () => Effect.succeed(inNoTime) }),
    Effect.catch(({ message }) => Effect.succeed<CatalogLookup>({ catalog: undefined, hint: message }))
  )
  const [one, other] = yield* Effect.all([publicVersionOf(source), publicVersionOf(target)])
  const isSame = one !== undefined && one === other
  const isOwn = (type: string) => nodePackages.some((name) => name === packageOf(type))
  return {
    problemOf: (node) => {
      const finding = catalog === undefined ? undefined : checkType(node, catalog)
      return finding === undefined
        ? undefined
        : `${finding.problem}${finding.fix === undefined ? "" : `. ${finding.fix}`}`
    },
    isKnown: (node) => {
      const type = toEngineType(String(node.type))
      return catalog?.find(type) !== undefined || (isSame && isOwn(type)) || used.has(versioned(node))
    },
    hint,
    freezingVersion: yield* target.freezingVersion
  }
})
