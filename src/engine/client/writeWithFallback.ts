import { Effect } from "effect"

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

/** Requests in which an engine may name fields that it does not know, one object's fields in each. */
const mostNamings = 8

/**
 * Writes as much of a workflow as this engine accepts. Engines refuse a body because of unknown fields, before they check the
 * rest: it is then sent again without those that the refusal names, or, by older engines that name none, without all that these
 * do not know.
 */
export const writeWithFallback = (
  bodyFor: (generation: BodyForm) => Sendable,
  send: (body: Body) => Effect.Effect<Workflow, EngineError>
): Effect.Effect<Written, EngineError> => {
  const strict = bodyFor(bodyForms["1.x"])
  const attempt = (
    form: BodyForm,
    dropped: ReadonlyArray<string>,
    left: number
  ): Effect.Effect<Written, EngineError> => {
    const { body } = bodyFor(form)
    return Effect.catchIf(withoutRefusedGroups({ body, dropped }, send), refusesFields, (error) => {
      if (JSON.stringify(strict.body) === JSON.stringify(body)) return Effect.fail(error)
      const { fields, place } = refusedFields(error)
      const named = strict.dropped.filter((path) => isOf(path, place) && fields.includes(fieldOf(path)))
      return named.length === 0 || left === 0
        ? Effect.map(again("unknown field", send(strict.body)), (workflow) => ({ workflow, dropped: strict.dropped }))
        : again("unknown field", attempt(without(form, place, fields), [...dropped, ...named], left - 1))
    })
  }
  return attempt(bodyForms["2.x"], [], mostNamings)
}

/** A part of a body that has fields. */
type Place = "node" | "others" | "settings"

/** The fields that a refusal names, and the part of the body that has them; none where it names none. */
const refusedFields = ({ message }: EngineError): { readonly place: Place; readonly fields: ReadonlyArray<string> } => {
  const [, node, settings, words = ""] =
    /request\/body(\/nodes\/\d+)?(\/settings)? Unrecognized key\(s\) in object: ([^\n]{1,2000})/.exec(message) ?? []
  const fields = [...words.matchAll(/'([^']+)'/g)].flatMap(([, field]) => field ?? [])
  return { place: node === undefined ? (settings === undefined ? "others" : "settings") : "node", fields }
}

const fieldOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

/** Whether a path such as `settings.callerPolicy` leads into this part of a body. */
const isOf = (path: string, place: Place): boolean => {
  if (place === "others") return !path.includes(".")
  return path.startsWith(place === "node" ? "nodes." : "settings.")
}

const without = (form: BodyForm, place: Place, fields: ReadonlyArray<string>): BodyForm => {
  const taken = form[place]
  return "allBut" in taken ? { ...form, [place]: { allBut: [...taken.allBut, ...fields] } } : form
}

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
