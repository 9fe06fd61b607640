import { Effect, Option, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"

import { clipped } from "../../../internal/foreignText.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { cursor, optional, text, workflowId } from "../../tools/parameters.ts"
import { rewritableRules, rewriteWorkflow } from "../../upgrade/rewrites/rewrites.ts"
import type { RuleId } from "../../upgrade/Rule.ts"
import { newestVersion, ruleOf } from "../../upgrade/rules.ts"
import { isConnections } from "../../workflow/connections.ts"
import { generationOf, WorkflowId } from "../../workflow/models.ts"
import * as AcrossTool from "../AcrossTool.ts"
import { fleetReport, type Place, workflowReport } from "./report.ts"
import { severities, type Survey, surveyAll, type UpgradeFinding } from "./survey.ts"

/** A version in full, or its first numbers: of `3.0` as a number, clients send `3`. */
const version = text("Version, e.g. 2.48.5; default 3.0").check(
  Schema.isPattern(/^\d{1,4}(?:\.\d{1,4}){0,2}(?:-[\w.]{1,20})?$/, {
    message: "must be a version such as 2.48.5 or 3.0"
  })
)

/** The rest of a report; opaque to the caller. */
const Cursor = Schema.fromJsonString(
  Schema.Struct({
    list: Schema.Literal("check_upgrade"),
    to: Schema.String,
    instances: Schema.Array(Schema.String),
    workflow: Schema.optionalKey(Schema.String),
    skip: Schema.optionalKey(Schema.Int),
    after: Schema.optionalKey(
      Schema.Struct({
        severity: Schema.Literals(severities),
        findings: Schema.Int,
        instance: Schema.String,
        id: Schema.String
      })
    )
  })
)
type Cursor = typeof Cursor.Type

const writeCursor = (rest: Omit<Cursor, "list">) =>
  Base64.encode(Schema.encodeSync(Cursor)({ list: "check_upgrade", ...rest }))

const readCursor = (given: string) =>
  Option.flatMap(Result.getSuccess(Base64.decodeString(given)), Schema.decodeUnknownOption(Cursor))

export const checkUpgrade = AcrossTool.make("check_upgrade", {
  title: "Check upgrade",
  description:
    "Tell what an upgrade of the engine breaks: which workflows stop or give other results, the nodes and what to do. With " +
    "`workflow`: every finding. Only reads",
  annotations: reads,
  arguments: { to: optional(version), workflow: optional(workflowId), cursor },
  run: Effect.fnUntraced(function* ({ cursor: given, ...request }, chosen) {
    const rest = given === undefined ? undefined : Option.getOrUndefined(readCursor(given))
    if (given !== undefined && rest === undefined) {
      const problem = "must be the nextCursor of an earlier check_upgrade"
      return yield* new InvalidArgument({ argument: "cursor", problem })
    }
    const { resolve } = yield* Instances
    const engines = rest === undefined ? chosen : yield* Effect.forEach(rest.instances, (name) => resolve(name))
    const { to = newestVersion, workflow } = rest ?? request
    const { failures, source, surveys } = yield* surveyAll(engines, to)
    const [failure] = failures
    if (surveys.length === 0 && failure !== undefined) return yield* failure.error
    const failed = failures.map(({ error, instance }) => ({ instance, error: error.message }))
    const carried = { to, instances: engines.map(({ instance }) => instance) }
    if (workflow === undefined) {
      const cursorAfter = (after: Place) => writeCursor({ ...carried, after })
      return fleetReport(surveys, { to, source, after: rest?.after, cursorAfter, failed })
    }
    const { id, on } = yield* workflowAmong(surveys, workflow)
    const rewritingOf = yield* rewriting(yield* resolve(on.instance), on, id)
    const cursorAt = (skip: number) => writeCursor({ to, instances: [on.instance], workflow: id, skip })
    return workflowReport(on, { id, source, skip: rest?.skip ?? 0, cursorAt, rewritingOf })
  })
})

/** The only workflow of an id or a name. */
const workflowAmong = Effect.fnUntraced(function* (surveys: ReadonlyArray<Survey>, given: string) {
  const all = surveys.flatMap((on) => [...on.outlines.values()].map(({ id, name }) => ({ id, name, on })))
  const withId = all.filter(({ id }) => id === given)
  const [only, ...others] = withId.length > 0 ? withId : all.filter(({ name }) => name === given.trim())
  if (only !== undefined && others.length === 0) return only
  const problem =
    only === undefined
      ? `is no id or name of a workflow of ${surveys.map(({ instance }) => instance).join(", ")}`
      : `is that of several workflows: name one instance, and one of the ids ${[only, ...others]
          .map(({ id, on }) => `${id} (${on.instance})`)
          .slice(0, 5)
          .join(", ")}`
  return yield* new InvalidArgument({ argument: "workflow", problem })
})

/** Whether a machine can mend what findings of a workflow tell, and the conditions or the reason why not. */
const rewriting = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  { affected, outlines }: Survey,
  id: string
): Effect.fn.Return<(finding: UpgradeFinding) => JsonObject, EngineError> {
  const findings = affected.find((one) => one.id === id)?.findings ?? []
  const rewritable = findings.flatMap(({ node, rule }) =>
    isRewritable(rule) ? [{ rule, ...(node === undefined ? {} : { node }) }] : []
  )
  if (rewritable.length === 0) return () => ({ rewrite: "none" })
  const workflow = yield* engine.getWorkflow(WorkflowId.make(id))
  const { connections, nodes, settings } = workflow
  if (!isConnections(connections)) return () => ({ rewrite: "none", why: "its connections cannot be read" })
  const { left, parts } = rewriteWorkflow({ nodes, connections, settings: settings ?? {} }, rewritable, {
    parse: yield* parser,
    callers: [...outlines.values()].flatMap((one) => (one.calls.includes(id) && one.id !== id ? [one.id] : [])),
    takesCallerPolicy: generationOf(workflow) === "2.x",
    problemOf: () => undefined
  })
  return ({ node, rule }) => {
    const isIt = (part: { readonly rule: string; readonly node: string | undefined }) =>
      part.rule === rule && part.node === node
    const part = parts.find(isIt)
    if (part !== undefined) {
      const [condition] = part.conditions
      return condition === undefined && ruleOf(rule)?.rewrite !== "after review"
        ? { rewrite: "proved possible" }
        : { rewrite: "after review", ...(condition === undefined ? {} : { if: clipped(condition, 160) }) }
    }
    const reason = left.find(isIt)?.reason
    return { rewrite: "none", ...(reason === undefined ? {} : { why: clipped(reason, 400) }) }
  }
})

const isRewritable = (rule: string): rule is RuleId => rewritableRules.has(rule)
