import { Effect } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { activeOwners, hasSome } from "../../nodes/check/activeOwners.ts"
import { addressTexts } from "../../workflow/addresses.ts"
import { type Workflow, generationOf } from "../../workflow/models.ts"

/** Longest time that this may take: what it would delay is an answer about something that is done. */
const longest = "4 seconds"

/**
 * What to say of addresses that an active workflow has taken from others, but for those at which it listened `before`. Engines
 * before generation 2 let it, say nothing, and do not give them back when it is deactivated; later ones refuse it.
 */
export const takenOver = (
  workflow: Workflow,
  before: Workflow["nodes"] = []
): Effect.Effect<ReadonlyArray<string>, never, EngineClient> => {
  const { active, id, nodes: all } = workflow
  const former = new Set(addressTexts({ id, nodes: before }).map(({ address }) => address))
  const nodes = all.filter((node) => addressTexts({ id, nodes: [node] }).some(({ address }) => !former.has(address)))
  if (!active || generationOf(workflow) === "2.x" || nodes.length === 0) return Effect.succeed([])
  return EngineClient.use((engine) => activeOwners(engine, { id, nodes }, { isEnough: hasSome })).pipe(
    Effect.map(({ isWhole, owners }) => [
      ...owners.map(
        ({ address, node, owner }) =>
          `Node ${node} now gets the calls of ${address} in place of ${owner}, which is still active and is called there no ` +
          "more. To give them back, deactivate both, and then activate that one."
      ),
      ...(isWhole ? [] : [unknown("there are more active ones than were looked through.")])
    ]),
    Effect.catch((error) => Effect.succeed([unknown(error.message)])),
    Effect.timeoutOrElse({
      duration: longest,
      orElse: () => Effect.succeed([unknown(`listing them took longer than ${longest}.`)])
    })
  )
}

const unknown = (reason: string) =>
  `Whether another active workflow has lost webhooks to this one is not known: ${reason}`
