import { Predicate } from "effect"

import { clipped, nameAmongWords, oneLine, quotedName, quotedText } from "../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { maskText } from "../../internal/secrets/maskSecrets.ts"
import type { Edge } from "./differenceOfConnections.ts"
import { groupsIn } from "./differenceOfGroups.ts"
import { type Flow, flowOf } from "./flow.ts"
import { nameOf } from "./models.ts"
import { shortType } from "./naming.ts"
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
  function* linesOf(size: number) {
    yield* drawing(flow, { size, runs, workflows, pins })
    yield* groupLines(workflow)
  }
  for (const size of sizes) {
    const text = within(room, linesOf(size))
    if (text !== undefined) return text
  }
  return cutAt([...linesOf(0)].join("\n"), room)
}

/** Characters for what a node does, from generous to none. */
const sizes = [110, 60, 30, 0]

/** Lines as a text, if it has room; what comes behind that is not drawn. */
const within = (room: number, lines: Iterable<string>): string | undefined => {
  const drawn: Array<string> = []
  let length = -1
  for (const line of lines) {
    length += line.length + 1
    if (length > room) return undefined
    drawn.push(line)
  }
  return drawn.join("\n")
}

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

function* drawing(flow: Flow, pen: Pen): Generator<string, void, void> {
  const shown = new Set<string>()
  function* withServants(node: JsonObject) {
    yield line(node, flow, pen)
    yield* servantLines(nameOf(node), "  ", flow, pen, shown)
  }
  for (const node of flow.reached) yield* withServants(node)
  if (flow.unreached.length > 0) yield "No trigger leads to:"
  for (const node of flow.unreached) yield* withServants(node)
  for (const node of flow.notes) yield `Note: ${summaryOf(node, Math.max(pen.size, 40)) || '""'}`
  const strangers = [...(pen.runs?.keys() ?? [])].filter((name) => !flow.named.has(name))
  if (strangers.length > 0) yield `Ran and is not here any more: ${strangers.map(label).join(", ")}`
}

const label = (name: string): string => (name === "" ? "(no name)" : nameAmongWords(name))

const groupLines = (workflow: JsonObject): ReadonlyArray<string> =>
  groupsIn(workflow).map(({ members, name }) => `Group ${label(name)}: ${members.map(label).join(", ")}`)

/** Roles of what serves a node, in the words of the editor. */
const roles: Readonly<Record<string, string>> = {
  ai_languageModel: "model",
  ai_outputParser: "output parser",
  ai_vectorStore: "vector store",
  ai_textSplitter: "text splitter"
}

const roleOf = (type: string) => (Object.hasOwn(roles, type) ? roles[type] : oneLine(type.replace(/^ai_/, "")))

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
    if (shown.has(source)) return [`${start}${label(source)} (above)`]
    shown.add(source)
    return [start + line(node, flow, pen), ...servantLines(source, `${indent}  `, flow, pen, shown)]
  })

const line = (node: JsonObject, flow: Flow, pen: Pen): string => {
  const kind = Predicate.isString(node.type) ? shortType(node.type) : "?"
  const words = pen.size === 0 ? "" : wordsOf(node, pen)
  const marks = [...runMarks(nameOf(node), pen.runs), ...marksOf(node, flow, pen)].map((mark) => ` · ${mark}`).join("")
  return `${label(nameOf(node))} [${oneLine(kind)}]${words === "" ? "" : ` ${words}`}${marks}${leads(node, flow)}`
}

const wordsOf = (node: JsonObject, { size, workflows }: Pen): string => {
  const called = subWorkflowOf(node)
  const named = called === undefined ? undefined : workflows.get(called.id)
  return named === undefined ? summaryOf(node, size) : quotedName(named)
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

const quoted = (text: string) => quotedText(clipped(maskText(text), 50))

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
  label(target) + (named.has(target) ? (input === 0 ? "" : ` (input ${input + 1})`) : " (MISSING)")
