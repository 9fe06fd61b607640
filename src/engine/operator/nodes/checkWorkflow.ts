import { Effect, Option, Predicate, Result } from "effect"

import { fitted } from "../../../internal/json/values.ts"
import { isJsonObject, type JsonObject, objectOf, objectsOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { reads } from "../../../mcp/annotations.ts"
import { InvalidArgument, ToolError } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { Catalog } from "../../nodes/Catalog.ts"
import { checkWebhooks } from "../../nodes/check/activeOwners.ts"
import { checkWorkflow as check, parser } from "../../nodes/check/checkWorkflow.ts"
import type { Finding } from "../../nodes/check/Finding.ts"
import {
  checkCredentialIds,
  checkPackages,
  checkResources,
  checkSettings,
  checkSubWorkflows
} from "../../nodes/check/instanceReferences.ts"
import { asKept } from "../../nodes/check/structure.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import type { NodeType } from "../../nodes/NodeType.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { asInCreate, optional, workflowId } from "../../tools/parameters.ts"
import { codeReader } from "../../upgrade/code.ts"
import type { Subject } from "../../upgrade/Rule.ts"
import { findingsIn, newestVersion, ruleOf, rulesOn, severityOf } from "../../upgrade/rules.ts"
import { toConnections } from "../../workflow/connections.ts"
import { shortValue } from "../../workflow/differenceOfValues.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { validate } from "../../workflow/validate.ts"

export const checkWorkflow = EngineTool.make("check_workflow", {
  title: "Check workflow",
  description: "Find mistakes in a workflow, saved or given: nodes, parameters, credentials, expressions, webhooks",
  annotations: reads,
  arguments: {
    id: optional(workflowId),
    nodes: optional(asInCreate.nodes),
    connections: optional(asInCreate.connections)
  },
  run: Effect.fnUntraced(function* ({ connections, id, nodes }) {
    const engine = yield* EngineClient
    if (id === undefined && nodes === undefined) {
      return yield* new InvalidArgument({ argument: "id", problem: "is missing: give it, or nodes" })
    }
    const saved = id === undefined ? undefined : yield* engine.getWorkflow(id)
    const all: ReadonlyArray<JsonObject> = nodes ?? saved?.nodes ?? []
    const given = connections ?? saved?.connections
    const { catalog, hint } = yield* (yield* NodeKnowledge).of(engine)
    const broken = Result.getFailure(validate({ nodes: all, connections: given }))
    const links = Result.getOrElse(toConnections(given), () => ({}))
    const findings = yield* Effect.mapError(
      check({ nodes: all, connections: links }, catalog),
      ({ message }) => new ToolError({ blame: "upstream", code: "CACHE_ERROR", message, details: {} })
    )
    const whole = { nodes: all, ...(saved?.settings === undefined ? {} : { settings: saved.settings }) }
    const around = yield* Effect.all(
      [
        checkWebhooks(engine, id, asKept(all, catalog)),
        checkCredentialIds(engine, all),
        checkSubWorkflows(engine, whole),
        checkResources(engine, all),
        checkPackages(engine, all, catalog)
      ],
      { concurrency: "unbounded" }
    )
    // The first broken rule says nothing new where what breaks it was found at its place.
    const isTold = findings.some(({ field = "" }) => /^(name|connections|nodes$)/.test(field))
    const rules = Option.toArray(broken).map(({ message }): Finding => ({ level: "error", problem: message }))
    const without = new Set(findings.flatMap(({ field, node }) => (field === "type" ? [node] : [])))
    const upgrade = (yield* stoppedByUpgrades({ ...whole, connections: links }, catalog?.version)).filter(
      ({ node }) => !without.has(node)
    )
    const allFindings = [...(isTold ? [] : rules), ...findings, ...checkSettings(whole), ...around.flat(), ...upgrade]
    const shownFindings = fitted(allFindings.slice(0, most), room)
    const errors = allFindings.filter(({ level }) => level === "error").length
    return {
      ok: errors === 0,
      errors,
      warnings: allFindings.length - errors,
      findings: shownFindings,
      ...(allFindings.length > shownFindings.length ? { more: allFindings.length - shownFindings.length } : {}),
      ...(hint === undefined ? {} : { notice: `Types and parameters of nodes were not checked. ${hint}` }),
      ...(yield* unverifiable(all, catalog)),
      ...uncheckedOf(all, (type) => catalog === undefined || catalog.find(type) !== undefined, findings)
    }
  })
})

/** Warnings of what later versions of the engine stop, as far as the workflow itself shows it. */
const stoppedByUpgrades = Effect.fnUntraced(function* (workflow: Subject, from: string | undefined) {
  const facts = {
    code: codeReader(yield* parser),
    outlines: new Map<string, never>(),
    seconds: new Map<string, never>()
  }
  return findingsIn(workflow, facts, rulesOn({ from, to: newestVersion }))
    .filter((finding) => severityOf(finding) === "stops")
    .map(({ field, message, node, rule }): Finding => {
      const { advice = "", since = newestVersion } = ruleOf(rule) ?? {}
      return {
        level: "warning",
        ...(node === undefined ? {} : { node }),
        ...(field === undefined ? {} : { field }),
        problem: `from version ${since} on: ${message}`,
        fix: advice
      }
    })
})

/** Findings that are shown at most. */
const most = 60

/** Bytes that they may have. */
const room = 6500

/** Values that are named at most as not checked. */
const mostValues = 15

/** Values that only the service behind a node knows, such as the name of a model: nobody has checked them. */
const unverifiable = Effect.fnUntraced(function* (nodes: ReadonlyArray<JsonObject>, catalog: Catalog | undefined) {
  const values = yield* Effect.forEach(objectsOf(nodes), (node) =>
    Effect.map(
      Effect.orElseSucceed(catalog?.read(textOf(node.type)) ?? Effect.succeed([]), (): ReadonlyArray<NodeType> => []),
      (versions) => {
        const parameters = objectOf(node.parameters)
        const description = versions.find((one) => one.versions.includes(Number(node.typeVersion)))
        const names = (description?.properties ?? []).flatMap(({ isDynamic, name, type }) =>
          isDynamic === true || type === "resourceLocator" ? [name] : []
        )
        return [...new Set(names)].flatMap((name) => {
          const given = parameters[name]
          const value = isJsonObject(given) ? given.value : given
          return Predicate.isString(value) && value !== "" && !value.startsWith("=")
            ? [`${nameOf(node)}: ${name} ${shortValue(value, name)}`]
            : []
        })
      }
    )
  )
  const lines = values.flat()
  return lines.length === 0
    ? {}
    : {
        notChecked: [
          ...lines.slice(0, mostValues),
          ...(lines.length > mostValues ? [`and ${lines.length - mostValues} more`] : [])
        ]
      }
})

/** Types without a description, which were not checked. */
const uncheckedOf = (
  nodes: ReadonlyArray<JsonObject>,
  isKnown: (type: string) => boolean,
  findings: ReadonlyArray<Finding>
) => {
  const nodesWithFinding = new Set(findings.filter(({ field }) => field === "type").map(({ node }) => node))
  const types = objectsOf(nodes)
    .filter(({ name, type }) => Predicate.isString(type) && !isKnown(type) && !nodesWithFinding.has(String(name)))
    .map(({ type }) => String(type))
  return types.length === 0 ? {} : { unchecked: [...new Set(types)] }
}
