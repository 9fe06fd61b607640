import { Effect, Result } from "effect"

import { type Body, type Sendable, type Generation, generations } from "./body.ts"
import type { EngineError } from "./EngineError.ts"
import type { Workflow } from "./models.ts"

/** A workflow as the engine now has it, and what it did not take, as paths like `settings.callerPolicy`. */
export interface Written {
  readonly workflow: Workflow
  readonly dropped: ReadonlyArray<string>
}

/**
 * Writes as much of a workflow as this engine takes. Older engines refuse a body for a single field they do not know,
 * before they look at the rest: then it goes again without such fields.
 */
export const writeFullest = Effect.fnUntraced(function* (
  bodyFor: (generation: Generation) => Sendable,
  send: (body: Body) => Effect.Effect<Workflow, EngineError>
) {
  const full = bodyFor(generations["2.x"])
  const strict = bodyFor(generations["1.x"])
  const first = yield* Effect.result(send(full.body))
  const isRefused = Result.isFailure(first) && refusesFields(first.failure)
  return isRefused && JSON.stringify(strict.body) !== JSON.stringify(full.body)
    ? { workflow: yield* send(strict.body), dropped: strict.dropped }
    : { workflow: yield* Effect.fromResult(first), dropped: full.dropped }
})

const refusesFields = (error: EngineError): boolean =>
  error._tag === "ApiError" &&
  error.httpStatus === 400 &&
  /^request\/body\S* (must NOT have additional properties|Unrecognized key\(s\) in object|is read-only)/.test(
    error.problem
  )
