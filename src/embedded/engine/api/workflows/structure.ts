import { Predicate } from "effect"

import type { Free } from "../../../../engine/Workflow.ts"
import { asFree, asList } from "../../store/values.ts"
import { typeName } from "../../wire/Words.ts"

interface Finding {
  readonly at: string
  readonly code: string
  readonly problem: string
}

/** What a 2.x engine says about the graph of a workflow that it will not take, or nothing. */
export const structureProblem = (nodes: ReadonlyArray<Free>, connections: Free): string | undefined => {
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

const nodeFindings = (node: Free, index: number): ReadonlyArray<Finding> => {
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

const doubles = (nodes: ReadonlyArray<Free>): ReadonlyArray<Finding> =>
  nodes.flatMap((node, index) => {
    const before = nodes.slice(0, index)
    const twin = before.find(({ id }) => id !== undefined && id !== "" && id === node.id)
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
      ...(twin === undefined
        ? []
        : [
            {
              at: `nodes[${index}].id`,
              code: "duplicate_node_id",
              problem: `Nodes "${String(twin.name)}" and "${String(node.name)}" share the node ID "${String(node.id)}"`
            }
          ])
    ]
  })

const strays = (nodes: ReadonlyArray<Free>, connections: Free): ReadonlyArray<Finding> => {
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
  Object.entries(asFree(types)).flatMap(([type, branches]) =>
    asList(branches).flatMap((branch, output) =>
      asList(branch).flatMap((target, index) =>
        Predicate.isObject(target) ? [{ at: `${type}[${output}][${index}]`, node: target.node }] : []
      )
    )
  )
