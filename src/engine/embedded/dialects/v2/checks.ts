import { Predicate } from "effect"

import { type JsonObject, listOf, objectOf } from "../../../../internal/schema/JsonObject.ts"
import type { Draft } from "../../api/Dialect.ts"
import { missingCredential } from "../../nodes/nodeTypes.ts"
import { isEnabled, isPassiveTrigger, isTrigger, kindOf, parametersOf } from "../../run/triggers.ts"
import type { WorkflowRecord } from "../../store/records.ts"
import type { Tables } from "../../store/Store.ts"
import { textOf } from "../../store/values.ts"
import { badRequest, notFound, type Refusal } from "../../wire/http.ts"
import { typeName } from "../../wire/shapes.ts"

interface Finding {
  readonly at: string
  readonly code: string
  readonly problem: string
}

/** The error for an invalid graph, if it is. */
export const graphProblem = ({ connections, nodes }: Draft): string | undefined => {
  const malformed = [...nodes.flatMap(nodeFindings), ...Object.entries(connections).flatMap(connectionFindings)]
  const findings = malformed.length > 0 ? malformed : [...doubles(nodes), ...strays(nodes, connections)]
  if (findings.length === 0) return undefined
  const list = findings.map(({ at, code, problem }) => `${at} (${code}): ${problem}`)
  return `Workflow structure is invalid. ${list.join("; ")}`
}

const required = (at: string): Finding => ({ at, code: "invalid_type", problem: "Required" })

const expected = (at: string, type: string, value: unknown): Finding => ({
  at,
  code: "invalid_type",
  problem: `Expected ${type}, received ${typeName(value)}`
})

const nodeFindings = (node: JsonObject, index: number): ReadonlyArray<Finding> => {
  const at = `nodes[${index}]`
  const missing = ["name", "type", "position"].filter((field) => node[field] === undefined)
  const length = Array.isArray(node.position) ? node.position.length : 2
  return [
    ...missing.map((field) => required(`${at}.${field}`)),
    ...(node.type === ""
      ? [{ at: `${at}.type`, code: "too_small", problem: "String must contain at least 1 character(s)" }]
      : []),
    ...(length < 2
      ? [{ at: `${at}.position`, code: "too_small", problem: "Array must contain at least 2 element(s)" }]
      : []),
    ...(length > 2
      ? [{ at: `${at}.position`, code: "too_big", problem: "Array must contain at most 2 element(s)" }]
      : [])
  ]
}

const connectionFindings = ([source, types]: [string, unknown]): ReadonlyArray<Finding> => {
  const at = `connections.${source}`
  if (!Predicate.isObject(types)) return [expected(at, "object", types)]
  return Object.entries(types).flatMap(([type, branches]) =>
    Array.isArray(branches)
      ? branches.flatMap((branch: unknown, index) => branchFindings(`${at}.${type}[${index}]`, branch))
      : [expected(`${at}.${type}`, "array", branches)]
  )
}

const branchFindings = (at: string, branch: unknown): ReadonlyArray<Finding> => {
  if (branch === null) return []
  if (!Array.isArray(branch)) return [expected(at, "array", branch)]
  return branch.flatMap((target: unknown, index) =>
    Predicate.isObject(target)
      ? ["node", "type", "index"]
          .filter((field) => target[field] === undefined)
          .map((field) => required(`${at}[${index}].${field}`))
      : [expected(`${at}[${index}]`, "object", target)]
  )
}

const doubles = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<Finding> =>
  nodes.flatMap((node, index) => {
    const before = nodes.slice(0, index)
    const sameId = before.find(({ id }) => id !== undefined && id !== "" && id === node.id)
    return [
      ...(before.some(({ name }) => name === node.name)
        ? [
            {
              at: `nodes[${index}].name`,
              code: "duplicate_node_name",
              problem: `Duplicate node name "${String(node.name)}"`
            }
          ]
        : []),
      ...(sameId === undefined
        ? []
        : [
            {
              at: `nodes[${index}].id`,
              code: "duplicate_node_id",
              problem: `Nodes "${String(sameId.name)}" and "${String(node.name)}" share the node ID "${String(node.id)}"`
            }
          ])
    ]
  })

const strays = (nodes: ReadonlyArray<JsonObject>, connections: JsonObject): ReadonlyArray<Finding> => {
  const names = new Set(nodes.map(({ name }) => name))
  return Object.entries(connections).flatMap(([source, types]) => [
    ...(names.has(source)
      ? []
      : [
          {
            at: `connections.${source}`,
            code: "unknown_connection_source",
            problem: `Connection source "${source}" does not reference an existing node`
          }
        ]),
    ...targetsOf(types)
      .filter(({ node }) => !names.has(node))
      .map(({ at, node }) => ({
        at: `connections.${source}.${at}.node`,
        code: "unknown_connection_target",
        problem: `Connection target "${String(node)}" does not reference an existing node`
      }))
  ])
}

const targetsOf = (types: unknown): ReadonlyArray<{ readonly at: string; readonly node: unknown }> =>
  Object.entries(objectOf(types)).flatMap(([type, branches]) =>
    listOf(branches).flatMap((branch, output) =>
      listOf(branch).flatMap((target, index) =>
        Predicate.isObject(target) ? [{ at: `${type}[${output}][${index}]`, node: target.node }] : []
      )
    )
  )

/** Refusal of a new workflow for its name, its project or its folder. */
export const creationProblem = (
  { name, parentFolderId, projectId }: Draft,
  { owner, things }: Tables
): Refusal | undefined => {
  if (name.length === 0 || name.length > 128) return badRequest("Workflow name must be 1 to 128 characters long.")
  const project = projectId === undefined ? owner.projectId : textOf(projectId)
  if (project !== owner.projectId && things.get(project)?.kind !== "project") return notFound("Project not found")
  if (parentFolderId === undefined) return undefined
  const folder = things.get(textOf(parentFolderId))
  return folder?.kind === "folder" && folder.project === project
    ? undefined
    : notFound(`Could not find the folder: ${textOf(parentFolderId)}`)
}

/** Refusal to publish a workflow; it lists every node with an issue. Unreachable nodes do not matter. */
export const activationProblem = ({ connections, nodes }: WorkflowRecord): Refusal | undefined => {
  if (!nodes.some(isStart)) {
    return badRequest(
      "Workflow cannot be activated because it has no trigger node. At least one trigger, webhook, or polling node is required."
    )
  }
  const targets = targetsIn(connections)
  const issues = nodes
    .filter((node) => isEnabled(node) && (isStart(node) || targets.has(textOf(node.name))))
    .flatMap((node) => {
      const lines = issuesOf(node)
      return lines.length === 0 ? [] : [`Node "${textOf(node.name)}":\n${lines.join("\n")}`]
    })
  if (issues.length === 0) return undefined
  const count = issues.length === 1 ? "1 node have" : `${issues.length} nodes have`
  return badRequest(`Cannot publish workflow: ${count} configuration issues:\n\n${issues.join("\n\n")}`)
}

/** A workflow is published only after those that its nodes call, except itself. */
export const callProblem = ({ id, nodes }: WorkflowRecord, { workflows }: Tables): Refusal | undefined => {
  const missing = nodes.flatMap((node) => {
    const called = calledBy(node)
    if (called === undefined || called === "" || called === id || !isEnabled(node)) return []
    const other = workflows.get(called)
    if (other !== undefined && other.published !== null) return []
    const name = other === undefined ? "" : ` ("${other.name}")`
    return [`Node "${textOf(node.name)}" references workflow ${called}${name} which is not published`]
  })
  return missing.length === 0
    ? undefined
    : badRequest(`Cannot publish workflow: ${missing.join("; ")}. Please publish all referenced sub-workflows first.`)
}

/** The id of the workflow that a node calls, unless it is determined at run time; "" if none is given. */
const calledBy = (node: JsonObject): string | undefined => {
  const { source, workflowId } = parametersOf(node)
  if (kindOf(node) !== "executeWorkflow" || (source !== undefined && source !== "database")) return undefined
  const called = textOf(Predicate.isObject(workflowId) ? objectOf(workflowId).value : workflowId)
  return called.startsWith("=") ? undefined : called
}

/** Includes triggers that other workflows start. */
const isStart = (node: JsonObject) => isTrigger(node) || isPassiveTrigger(node)

/** The names of reachable nodes. */
const targetsIn = (connections: JsonObject): ReadonlySet<string> =>
  new Set(
    Object.values(connections)
      .flatMap((types) => Object.values(objectOf(types)))
      .flatMap(listOf)
      .flatMap(listOf)
      .map((target) => textOf(objectOf(target).node))
  )

const issuesOf = (node: JsonObject): ReadonlyArray<string> => {
  const credential = missingCredential(node)
  const parameter = missingParameter(node)
  return [
    ...(credential === undefined ? [] : [`  - Missing required credential: ${credential}`]),
    ...(parameter === undefined ? [] : [`  - Missing or invalid required parameters: ${parameter}`])
  ]
}

/** A required parameter; only of the most common kinds. */
const missingParameter = (node: JsonObject): string | undefined => {
  const { inputSource, url, workflowInputs } = parametersOf(node)
  if (kindOf(node) === "httpRequest") return textOf(url) === "" ? "url" : undefined
  if (kindOf(node) === "executeWorkflow") return calledBy(node) === "" ? "workflowId" : undefined
  const takesAnything = node.typeVersion === 1 || inputSource === "passthrough" || inputSource === "jsonExample"
  const isVague = !takesAnything && Object.keys(objectOf(workflowInputs)).length === 0
  return kindOf(node) === "executeWorkflowTrigger" && isVague ? "workflowInputs" : undefined
}
