import { Option, Predicate, Result } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import {
  holdsSecrets,
  mapShownTexts,
  maskStandsForSecret,
  meaningOf,
  orWhereRead,
  secretsStay
} from "../../../internal/secrets/maskSecrets.ts"
import { unmasked } from "../../../internal/secrets/unmasked.ts"
import { mostAdded } from "../../../internal/texts.ts"
import { nameOf } from "../../workflow/models.ts"
import {
  mergePatch,
  parsePath,
  type Path,
  pathText,
  valueAt,
  withoutFormerNames,
  withValueAt
} from "../../workflow/valuePaths.ts"
import { retype } from "./adding.ts"
import { type Apply, nodeNamed, withNode, withWorkflow } from "./Draft.ts"
import { newTypeOf } from "./Operation.ts"

/** Fields of a node beside its parameters; `id` and `name` are not for setting. */
const nodeFields = new Set<string | number>([
  "alwaysOutputData",
  "continueOnFail",
  "credentials",
  "disabled",
  "executeOnce",
  "maxTries",
  "notes",
  "notesInFlow",
  "onError",
  "parameters",
  "position",
  "retryOnFail",
  "type",
  "typeVersion",
  "waitBetweenTries",
  "webhookId"
])

/** A path inside a node; what is no field of a node is one of its parameters. */
const readPath = (text: string): Result.Result<Path, string> =>
  Result.flatMap(parsePath(text), (path) => {
    if (path.length === 1 && path[0] === "name") return Result.fail("a node gets another name by op rename")
    if (path.length === 1 && path[0] === "id") return Result.fail("the id of a node cannot be changed")
    return Result.succeed(nodeFields.has(path[0] ?? "") ? path : ["parameters", ...path])
  })

/** Sets parameters by a merge patch, or one value at a path. */
export const set: Apply<"set"> = (draft, operation, lookups, place) =>
  Result.gen(function* () {
    const { node: name, parameters, path, value } = operation
    const type = newTypeOf(operation)
    if (type !== undefined) return yield* retype(draft, { op: "retype", node: name, type }, lookups, place)
    const node = yield* nodeNamed(draft, name)
    if (path !== undefined) {
      if (parameters !== undefined) return yield* Result.fail("give either parameters, or path and value")
      if (value === undefined) return yield* Result.fail("value is required; null removes")
      const at = yield* readPath(path)
      const there = valueAt(node, at)
      const put = value === null ? undefined : yield* withItsSecrets(asThere(value, there), there, fieldAt(node, at))
      const changed = yield* withValueAt(node, at, put)
      return isJsonObject(changed) ? withNode(draft, node, renamed(node, changed)) : draft
    }
    const patch = parameters ?? (Predicate.isString(value) ? Option.getOrUndefined(parseJson(value)) : value)
    if (!isJsonObject(patch)) return yield* Result.fail("give parameters as an object, or path and value")
    const whole = yield* withItsSecrets(patch, node.parameters, "parameters")
    const merged = { ...node, parameters: mergePatch(node.parameters ?? {}, whole) }
    return withNode(draft, node, renamed(node, merged))
  })

/** A new value with the secrets of the old one in place of its masks. */
const withItsSecrets = (given: unknown, there: unknown, field: string) =>
  Result.mapError(unmasked(given, there, field), () => `${maskStandsForSecret}${orWhereRead}`)

const renamed = (before: JsonObject, after: JsonObject): JsonObject =>
  after.parameters === undefined
    ? after
    : { ...after, parameters: withoutFormerNames(before.parameters, after.parameters) }

/** Parses JSON in a text where the present value is no text: some clients can only send texts. */
const asThere = (given: unknown, there: unknown): unknown => {
  if (!Predicate.isString(given) || there === undefined || there === null || Predicate.isString(there)) return given
  const read = Option.getOrUndefined(parseJson(given))
  return typeof read === typeof there && Array.isArray(read) === Array.isArray(there) && read !== null ? read : given
}

/** Replaces a text as often as expected, in a field, a node or all nodes. */
export const replace: Apply<"replace"> = (draft, { count = 1, find, node: name, path, value }) =>
  Result.gen(function* () {
    const nodes = name === undefined ? draft.workflow.nodes : [yield* nodeNamed(draft, name)]
    const at = path === undefined ? ["parameters"] : yield* readPath(path)
    const places = nodes.map((node) => ({ node, times: occurrences(node, at, find) })).filter(({ times }) => times > 0)
    const total = places.reduce((sum, { times }) => sum + times, 0)
    if (total !== count) {
      const stays = nodes.some((node) => holdsSecrets(valueAt(node, at), fieldAt(node, at))) ? `. ${secretsStay}` : ""
      return yield* Result.fail(`${miscounted({ find, count, total, places, name, at })}${stays}`)
    }
    const added = total * (value.length - find.length)
    if (added > mostAdded) return yield* Result.fail(`it would grow by ${added} characters, more than ${mostAdded}`)
    const changed = new Map<JsonObject, JsonObject>()
    for (const { node } of places) {
      const texts = mapShownTexts(valueAt(node, at), (text) => text.replaceAll(find, () => value), fieldAt(node, at))
      const whole = yield* withValueAt(node, at, texts)
      if (isJsonObject(whole)) changed.set(node, renamed(node, whole))
    }
    return withWorkflow(draft, { nodes: draft.workflow.nodes.map((node) => changed.get(node) ?? node) })
  })

/** Occurrences of a text where nothing is masked: the content of secrets is not revealed, not even by a number. */
const occurrences = (node: JsonObject, at: Path, find: string): number => {
  let count = 0
  const counted = (text: string) => {
    count += text.split(find).length - 1
    return text
  }
  mapShownTexts(valueAt(node, at), counted, fieldAt(node, at))
  return count
}

/** The name of the field at a path; items of lists have the name of their list. */
const fieldAt = (node: JsonObject, at: Path): string => {
  const last = at.at(-1)
  const above = at.slice(0, -1)
  if (typeof last === "number") return fieldAt(node, above)
  const parent = above.length === 0 ? node : valueAt(node, above)
  return last === undefined || !isJsonObject(parent) ? "" : meaningOf(parent, last)
}

/** A text that occurs in other numbers than expected; without a name, in all nodes. */
interface Miscount {
  readonly find: string
  readonly count: number
  readonly total: number
  readonly places: ReadonlyArray<{ readonly node: JsonObject; readonly times: number }>
  readonly name: string | undefined
  readonly at: Path
}

const miscounted = ({ at, count, find, name, places, total }: Miscount): string => {
  const where = name === undefined ? `${pathText(at)} of all nodes` : `${pathText(at)} of ${name}`
  const spread =
    name === undefined
      ? places
          .map(({ node, times }) => `${nameOf(node)} ${times}`)
          .slice(0, 20)
          .join(", ")
      : ""
  const times = total === 1 ? "once" : `${total} times`
  const occurrence = total === 0 ? "does not occur" : `occurs ${times}${spread === "" ? "" : ` (${spread})`}`
  return `${JSON.stringify(find.slice(0, 80))} ${occurrence} in ${where}, expected ${count}. Give count, or a longer text`
}
