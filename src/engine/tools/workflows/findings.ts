import { Effect, Fiber, Option } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { type Checked, checkWorkflow } from "../../nodes/check/checkWorkflow.ts"
import { inWords } from "../../nodes/check/Finding.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"

/** Most nodes that are looked at beside a writing; larger workflows are for `check_workflow`. */
const mostNodes = 300

/** Findings that an answer shows at most. */
const most = 10

/**
 * Begins to check a workflow that is about to be written, and answers how to take what was found, in words, when that is
 * done: what a `before` had as well is left out. Only what is at hand about the engine's node types is used, so that nobody
 * is waited for; a check that fails is none.
 */
export const checkBeside = Effect.fnUntraced(function* (after: Checked, before?: Checked) {
  const engine = yield* EngineClient
  const knowledge = yield* NodeKnowledge
  const work = Effect.gen(function* () {
    const catalog = yield* Effect.orElseSucceed(knowledge.atHand(engine), () => Option.none())
    const check = (workflow: Checked) =>
      Effect.map(checkWorkflow(workflow, Option.getOrUndefined(catalog)), (found) => found.map(inWords))
    const known = new Set(before === undefined ? [] : yield* check(before))
    return (yield* check(after)).filter((line) => !known.has(line))
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  const isLarge = [after, before].some((one) => one !== undefined && one.nodes.length > mostNodes)
  const fiber = yield* Effect.forkChild(isLarge ? Effect.succeed([]) : work)
  return Fiber.join(fiber).pipe(
    Effect.map((lines) =>
      lines.length <= most ? lines : [...lines.slice(0, most), `and ${lines.length - most} more: see check_workflow`]
    )
  )
})

/** The field of an answer that shows them. */
export const warned = (warnings: ReadonlyArray<string>) => (warnings.length === 0 ? {} : { warnings })
