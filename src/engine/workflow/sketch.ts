import { Predicate } from "effect"

import { clipped, oneLine } from "../../internal/clipped.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../client/models.ts"
import { shortType } from "../client/naming.ts"
import type { Edge } from "./differenceOfConnections.ts"
import { groupsIn } from "./differenceOfGroups.ts"
import { type Flow, flowOf } from "./flow.ts"
import { maskText } from "./maskSecrets.ts"
import { outputName } from "./outputs.ts"
import type { NodeRun } from "./runs.ts"
import { subWorkflowOf } from "./subWorkflows.ts"
import { summaryOf } from "./summary.ts"

/** What a sketch may know beside the workflow. */
export interface Beside {
  /** Names of other workflows by their ids. */
  readonly workflows?: ReadonlyMap<string, string>
  /** What became of its nodes in an execution. */
  readonly runs?: ReadonlyMap<string, NodeRun> | undefined
  /** Characters that it may have. */
  readonly room?: number
}

/**
 * A workflow as a person would sketch it: a line for each node, with its name, kind, what it does and where it leads, in
 * the order in which it runs; what serves an agent stands below it. Large ones say less of each node, and at last name
 * only how many are left out.
 */
export const sketchOf = (workflow: JsonObject, { room = 6_500, runs, workflows = new Map() }: Beside = {}): string => {
  const flow = flowOf(workflow)
  const pins = objectOf(workflow.pinData)
  let text = ""
  for (const size of sizes) {
    text = [...drawing(flow, { size, runs, workflows, pins }), ...groupLines(workflow)].join("\n")
    if (text.length <= room) return text
  }
  return cutAt(text, room)
}

/** Characters for what a node does, from generous to none. */
const sizes = [110, 60, 30, 0]

const cutAt = (text: string, room: number): string => {
  const lines = text.split("\n")
  let size = 0
  const kept = lines.findIndex((line) => (size += line.length + 1) > room - 60)
  return [...lines.slice(0, kept), `… ${lines.length - kept} more lines are left out; name nodes to see them.`].join(
    "\n"
  )
}

interface Pen {
  /** Characters for what a node does. */
  readonly size: number
  readonly runs: ReadonlyMap<string, NodeRun> | undefined
  readonly workflows: ReadonlyMap<string, string>
  /** Pinned data by the names of nodes. */
  readonly pins: JsonObject
}

const drawing = (flow: Flow, pen: Pen): ReadonlyArray<string> => {
  const shown = new Set<string>()
  const withServants = (node: JsonObject): ReadonlyArray<string> => [
    line(node, flow, pen),
    ...servantLines(nameOf(node), "  ", flow, pen, shown)
  ]
  const strangers = [...(pen.runs?.keys() ?? [])].filter((name) => !flow.named.has(name))
  return [
    ...flow.reached.flatMap(withServants),
    ...(flow.unreached.length === 0 ? [] : ["No trigger leads to:"]),
    ...flow.unreached.flatMap(withServants),
    ...flow.notes.map((node) => `Note: ${summaryOf(node, Math.max(pen.size, 40)) || '""'}`),
    ...(strangers.length === 0 ? [] : [`Ran and is not here any more: ${strangers.join(", ")}`])
  ]
}

const groupLines = (workflow: JsonObject): ReadonlyArray<string> =>
  groupsIn(workflow).map(({ members, name }) => `Group ${oneLine(name)}: ${members.map(oneLine).join(", ")}`)

/** Roles of what serves a node, in the words of the editor. */
const roles: Readonly<Record<string, string>> = {
  ai_languageModel: "model",
  ai_outputParser: "output parser",
  ai_vectorStore: "vector store",
  ai_textSplitter: "text splitter"
}

const roleOf = (type: string) => (Object.hasOwn(roles, type) ? roles[type] : type.replace(/^ai_/, ""))

/** What serves a node, below it; who serves several is told once. */
const servantLines = (
  parent: string,
  indent: string,
  flow: Flow,
  pen: Pen,
  shown: Set<string>
): ReadonlyArray<string> =>
  (flow.serving.get(parent) ?? []).flatMap(({ source, type }) => {
    const node = flow.named.get(source)
    if (node === undefined) return []
    const start = `${indent}${roleOf(type)}: `
    if (shown.has(source)) return [`${start}${source} (above)`]
    shown.add(source)
    return [start + line(node, flow, pen), ...servantLines(source, `${indent}  `, flow, pen, shown)]
  })

const line = (node: JsonObject, flow: Flow, pen: Pen): string => {
  const name = nameOf(node) || "(no name)"
  const kind = Predicate.isString(node.type) ? shortType(node.type) : "?"
  const words = pen.size === 0 ? "" : wordsOf(node, pen)
  const marks = [...runMarks(nameOf(node), pen.runs), ...marksOf(node, flow, pen)].map((mark) => ` · ${mark}`).join("")
  return `${oneLine(name)} [${kind}]${words === "" ? "" : ` ${words}`}${marks}${leads(node, flow)}`
}

const wordsOf = (node: JsonObject, { size, workflows }: Pen): string => {
  const called = subWorkflowOf(node)
  const named = called === undefined ? undefined : workflows.get(called.id)
  return named === undefined ? summaryOf(node, size) : `"${oneLine(named)}"`
}

const runMarks = (name: string, runs: Pen["runs"]): ReadonlyArray<string> => {
  if (runs === undefined) return []
  const run = runs.get(name)
  if (run === undefined) return ["not reached"]
  const times = run.times > 1 ? `${run.times} runs, ` : ""
  const took = `${run.milliseconds} ms`
  if (run.error !== undefined) return [`FAILED after ${times}${took}: ${run.error}`]
  const counts = run.items.join("|") || "0"
  return [`ran: ${counts === "1" ? "1 item" : `${counts} items`}, ${times}${took}`]
}

const marksOf = (node: JsonObject, { leaving }: Flow, { pins, size }: Pen): ReadonlyArray<string> => {
  const {
    alwaysOutputData,
    continueOnFail,
    credentials,
    disabled,
    executeOnce,
    maxTries,
    notes,
    onError,
    retryOnFail
  } = node
  const errorOutput = (leaving.get(nameOf(node)) ?? []).some(({ output }) => outputName(node, output) === "error")
  return [
    ...(disabled === true ? ["DISABLED"] : []),
    ...(Object.hasOwn(pins, nameOf(node)) ? ["pinned data"] : []),
    ...credentialMarks(credentials),
    ...(retryOnFail === true ? [`retries ${Predicate.isNumber(maxTries) ? maxTries : 3}×`] : []),
    ...(onError === "continueRegularOutput" || continueOnFail === true ? ["goes on after errors"] : []),
    ...(onError === "continueErrorOutput" && !errorOutput ? ["errors lead nowhere"] : []),
    ...(executeOnce === true ? ["once for all items"] : []),
    ...(alwaysOutputData === true ? ["always gives an item"] : []),
    ...(Predicate.isString(notes) && notes !== "" && size >= 60 ? [`note ${quoted(notes)}`] : [])
  ]
}

const quoted = (text: string) => `"${clipped(oneLine(maskText(text)), 50)}"`

const credentialMarks = (credentials: unknown): ReadonlyArray<string> =>
  Object.entries(objectOf(credentials)).map(([type, credential]) => {
    const { id, name } = isJsonObject(credential) ? credential : { id: undefined, name: credential }
    return `credential ${quoted(Predicate.isString(name) && name !== "" ? name : Predicate.isString(id) ? `id ${id}` : type)}`
  })

/** Where a node leads, by the names of its outputs. */
const leads = (node: JsonObject, { leaving, named }: Flow): string => {
  const byOutput = new Map<number, ReadonlyArray<Edge>>()
  for (const edge of leaving.get(nameOf(node)) ?? []) {
    byOutput.set(edge.output, [...(byOutput.get(edge.output) ?? []), edge])
  }
  const parts = [...byOutput].map(([output, edges]) => {
    const name = outputName(node, output)
    return `${name === "" ? "" : `(${oneLine(name)}) `}${edges.map((edge) => targetWords(edge, named)).join(", ")}`
  })
  return parts.length === 0 ? "" : ` → ${parts.join("; ")}`
}

const targetWords = ({ input, target }: Edge, named: Flow["named"]): string =>
  oneLine(target) + (named.has(target) ? (input === 0 ? "" : ` (input ${input + 1})`) : " (MISSING)")
