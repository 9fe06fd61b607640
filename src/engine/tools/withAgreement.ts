import { Effect, MutableRef, Predicate } from "effect"

import { clipped, oneLine, quotedName, visible } from "../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { monotonicMillis } from "../../internal/time.ts"
import type { Tool } from "../../mcp/Tool.ts"
import { ToolError } from "../../mcp/ToolError.ts"
import { EngineClient } from "../client/EngineClient.ts"
import type { ProtectedWorkflow } from "../client/EngineError.ts"
import { type Agreement, agreement } from "../client/Protection.ts"
import { type Change, differences } from "../workflow/difference.ts"
import { shortValue } from "../workflow/differenceOfValues.ts"
import { inQuotes, type Kind, type Named } from "../workflow/names.ts"
import { kindOf } from "../workflow/triggers.ts"

interface ChangeCall {
  readonly tool: Pick<Tool, "name" | "title">
  /** The arrival of the call, in `monotonicMillis`. */
  readonly since: number
  /** Whether the caller says that a person has agreed. */
  readonly isAgreed: boolean
  /** The arguments of the tool. */
  readonly rest: unknown
}

const subjectOf = ({ kind, name, others }: ProtectedWorkflow, { tool }: ChangeCall): string =>
  `${tool.title} changes the protected ${kind}${others.length === 0 ? "" : "s"} ${[name, ...others].map(quotedName).join(", ")}`

const questionOf = (error: ProtectedWorkflow, call: ChangeCall, isAgain: boolean): string =>
  [
    ...(isAgain ? ["This is more, or another, than what was agreed to; nothing was changed yet."] : []),
    `${subjectOf(error, call)} on ${error.instance}:`,
    ...questionLines(call.tool.name, call.rest, error.becoming),
    "Do it?"
  ].join("\n")

/**
 * Attempts a change. Where it meets protected workflows before anything is sent, the person at the client is asked, and the
 * change starts again with all of its time. Protected workflows that it meets then are covered by the agreement, or asked
 * about again. Where no person can be asked, the caller's word counts.
 */
export const withAgreement = <A, E extends { readonly _tag: string }, R>(
  attempt: (agreed: Agreement, since: number) => Effect.Effect<A, E | ProtectedWorkflow, R>,
  call: ChangeCall
): Effect.Effect<A, E | ProtectedWorkflow | ToolError, R> => {
  const next = (changes: ReadonlySet<string>, since: number): Effect.Effect<A, E | ProtectedWorkflow | ToolError, R> =>
    Effect.suspend(() => {
      const agreed = agreement(changes)
      return Effect.catchIf(attempt(agreed, since), isProtected, (error) =>
        Effect.gen(function* () {
          if (MutableRef.get(agreed.isBegun)) return yield* error
          const { agreedTo } = yield* Effect.promise(() => import("../../mcp/agreement.ts"))
          const isAgreed = yield* agreedTo({
            message: questionOf(error, call, changes.size > 0),
            subject: subjectOf(error, call),
            covers: error.fingerprints
          })
          if (isAgreed) return yield* next(new Set([...changes, ...error.fingerprints]), yield* monotonicMillis)
          return yield* call.isAgreed ? attempt(agreement("all"), since) : error
        })
      )
    })
  return next(new Set(), call.since)
}

/**
 * Lets a person agree to the deletion of what was given by its name: names are easily taken for another's. Where nobody can be
 * asked, nothing is deleted, and the refusal says the id with which it is.
 */
export const agreeToDeletion =
  ({ name: tool, title }: Pick<Tool, "name" | "title">) =>
  (kind: Kind, { id, name, state }: Named) =>
    Effect.gen(function* () {
      const { instance } = yield* EngineClient
      const { agreedTo } = yield* Effect.promise(() => import("../../mcp/agreement.ts"))
      const thing = `${inQuotes(name)} is ${kind} ${id}${state === "" ? "" : ` (${oneLine(state)})`} on instance ${instance}`
      const isAgreed = yield* agreedTo({
        message: `${title}: ${thing}. It was named, not given by its id. Delete it for good?`,
        subject: `${thing}, and would be deleted by its name`,
        covers: { tool, instance, id }
      })
      const message =
        `${thing}. Nothing was deleted: a person has to agree to a deletion by name, and this client cannot ask one. ` +
        `Call again with id ${id} to delete it.`
      const refusal = new ToolError({ blame: "caller", code: "NOT_AGREED", message, details: { instance, id, name } })
      yield* isAgreed ? Effect.void : Effect.fail(refusal)
    })

const isProtected = (error: { readonly _tag: string }): error is ProtectedWorkflow => error._tag === "ProtectedWorkflow"

/** A workflow before and after the change, as far as that can be told before it is sent. */
interface Becoming {
  readonly before: JsonObject
  readonly after: JsonObject
}

/** Lines of one question, and characters of one line. */
const mostLines = 20
const longest = 240

/** Lines of a text that changes. */
const mostInside = 8

/** Effects of tools that do not show in their arguments. */
const effects: Readonly<Record<string, string>> = {
  activate_workflow: "it is activated",
  create_workflow: "it is created",
  deactivate_workflow: "it is deactivated",
  delete_tag: "the tag is deleted, and with it the protection of its workflows",
  delete_workflow: "it is deleted, with its executions, for good",
  restore_workflow: "it is brought back to what it was"
}

/** Arguments that only identify the workflow, which the question names above. */
const omitted = new Set(["id", "ifVersion", "dry_run"])

/** Arguments that are shown by their differences, where the changed workflow is available. */
const content = new Set(["name", "nodes", "connections", "settings"])

/** The effects of a call, in lines for the person who decides: names first, and secrets masked. */
const questionLines = (tool: string, given: unknown, becoming: Becoming | undefined): ReadonlyArray<string> => {
  const args = objectOf(given)
  const effect = effects[tool]
  const named = Object.entries(args).flatMap(([name, value]) => {
    if (omitted.has(name) || (becoming !== undefined && content.has(name))) return []
    const isPartly = becoming !== undefined && name === "operations" && Array.isArray(value)
    return linesOf(tool, name, isPartly ? value.filter(isBeside) : value)
  })
  const changed = becoming === undefined ? [] : differences(becoming.before, becoming.after).map(changeText)
  const lines = [...(effect === undefined ? [] : [effect]), ...named, ...changed]
  const rest = lines.length - mostLines
  return [...lines.slice(0, mostLines), ...(rest > 0 ? [`and ${rest} more`] : [])].map((line) => `- ${line}`)
}

/** Longer texts with the beginning of what is new in them, far from where a line of the question begins. */
const changeText = ({ hunk, text }: Change): string => {
  const inside = (hunk ?? "").split(/\r?\n/).filter((line) => line !== "")
  const shownLines = inside.slice(0, mostInside).map((line) => `  > ${clipped(visible(line), longest)}`)
  const rest = inside.length - shownLines.length
  return [clipped(oneLine(text), longest), ...shownLines, ...(rest > 0 ? [`  and ${rest} more lines`] : [])].join("\n")
}

/** Operations that change something else than the content. */
const isBeside = (operation: unknown) =>
  isJsonObject(operation) && (operation["op"] === "tag" || operation["op"] === "untag")

const linesOf = (tool: string, name: string, value: unknown): ReadonlyArray<string> => {
  switch (name) {
    case "active":
      return [value === true ? "it is activated" : "it is deactivated"]
    case "archived":
      return [value === false ? "it is brought back from the archive" : "it is archived"]
    case "addTrigger":
      return value === true ? ["it gets a daily Schedule Trigger if it has no trigger"] : []
    case "name":
      return tool === "create_workflow" ? [] : [`it is renamed to ${quotedName(String(value))}`]
    case "nodes":
      return [clipped(`its nodes are: ${Array.isArray(value) ? value.map(nodeText).join(", ") : ""}`, 3 * longest)]
    case "connections":
      return [Array.isArray(value) ? `connections: ${value.length}` : "its connections are set"]
    case "operations":
      return (Array.isArray(value) ? value : [value]).map(operationText)
    default:
      return [`${name}: ${shortValue(value, name, longest)}`]
  }
}

const nodeText = (node: unknown): string =>
  isJsonObject(node) ? `${quotedName(textOf(node["name"]))} (${oneLine(kindOf(node))})` : shortValue(node)

/** Such as `set "Fetch" url: "https://…"`. */
const operationText = (operation: unknown): string => {
  if (!isJsonObject(operation)) return shortValue(operation)
  const { node, op, ...rest } = operation
  const tags = rest["value"] ?? rest["name"] ?? rest["tag"] ?? rest["tags"]
  if (isBeside(operation) && tags !== undefined) {
    const names = (Array.isArray(tags) ? tags : [tags]).map((tag) => quotedName(textOf(tag))).join(", ")
    return `${op === "tag" ? "it is tagged" : "it is no longer tagged"} ${names}`
  }
  const fields = Object.entries(rest).map(([name, value]) => `${oneLine(name)}: ${shortValue(value, name)}`)
  const named = node === undefined ? [] : [quotedName(textOf(node))]
  return clipped([oneLine(textOf(op)), ...named, fields.join(", ")].join(" ").trimEnd(), longest)
}

const textOf = (value: unknown): string => (Predicate.isString(value) ? value : (JSON.stringify(value) ?? ""))
