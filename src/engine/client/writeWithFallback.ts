import { Effect, Result } from "effect"

import { again } from "../../internal/http/resend.ts"
import type { Workflow } from "../workflow/models.ts"
import { type Body, type Sendable, type BodyForm, bodyForms } from "./body.ts"
import type { EngineError } from "./EngineError.ts"
import { groupPath, refusedGroup } from "./refusedGroups.ts"

/** A workflow as stored by the engine, and what it did not accept, as paths like `settings.callerPolicy`. */
export interface Written {
  readonly workflow: Workflow
  readonly dropped: ReadonlyArray<string>
}

/**
 * Writes as much of a workflow as this engine accepts. Older engines refuse a body because of a single unknown field, before
 * they check the rest: it is then sent again without such fields.
 */
export const writeWithFallback = Effect.fnUntraced(function* (
  bodyFor: (generation: BodyForm) => Sendable,
  send: (body: Body) => Effect.Effect<Workflow, EngineError>
) {
  const full = bodyFor(bodyForms["2.x"])
  const strict = bodyFor(bodyForms["1.x"])
  const first = yield* Effect.result(withoutRefusedGroups(full, send))
  const isRefused = Result.isFailure(first) && refusesFields(first.failure)
  return isRefused && JSON.stringify(strict.body) !== JSON.stringify(full.body)
    ? { workflow: yield* again("unknown field", send(strict.body)), dropped: strict.dropped }
    : yield* Effect.fromResult(first)
})

/** A node group that the write would tear apart must not prevent it: it is left out and reported. */
const withoutRefusedGroups = (
  { body, dropped }: Sendable,
  send: (body: Body) => Effect.Effect<Workflow, EngineError>
): Effect.Effect<Written, EngineError> =>
  Effect.matchEffect(send(body), {
    onSuccess: (workflow) => Effect.succeed({ workflow, dropped }),
    onFailure: (error) => {
      const { nodeGroups, ...rest } = body
      if (nodeGroups !== undefined && knowsNoGroups(error)) {
        return again("unknown field", withoutRefusedGroups({ body: rest, dropped: [...dropped, "nodeGroups"] }, send))
      }
      const group = refusedGroup(error, nodeGroups)
      if (group === undefined || !Array.isArray(nodeGroups)) return Effect.fail(error)
      const others = nodeGroups.filter((one) => one !== group)
      return again(
        "unknown field",
        withoutRefusedGroups({ body: { ...body, nodeGroups: others }, dropped: [...dropped, groupPath(group)] }, send)
      )
    }
  })

/** Not all engines of generation 2 know groups, and these refuse only that. */
const knowsNoGroups = (error: EngineError): boolean =>
  refusesFields(error) && error._tag === "ApiError" && error.problem.endsWith("in object: 'nodeGroups'")

const refusesFields = (error: EngineError): boolean =>
  error._tag === "ApiError" &&
  error.httpStatus === 400 &&
  /^request\/body\S* (must NOT have additional properties|Unrecognized key\(s\) in object|is read-only)/.test(
    error.problem
  )
