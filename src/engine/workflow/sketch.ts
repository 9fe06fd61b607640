import { Predicate } from "effect"

import { grouped } from "../../internal/collections.ts"
import { clipped, nameAmongWords, oneLine, quotedName, quotedText } from "../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { maskText } from "../../internal/secrets/maskSecrets.ts"
import { type Flow, flowOf } from "./flow.ts"
import { shortType } from "./naming.ts"
import { groupsIn } from "./nodeGroups.ts"
import { nameOf } from "./nodes.ts"
import { outputNames } from "./outputs.ts"
import type { NodeRun } from "./runs.ts"
import { subWorkflowOf } from "./subWorkflows.ts"
import { summaryOf } from "./summary.ts"
import type { Edge } from "./wires.ts"

/** Facts for a sketch beside the workflow. */
interface SketchContext {
  /** Names of other workflows by their ids. */
  readonly workflows?: ReadonlyMap<string, string>
  /** The runs of its nodes in an execution. */
  readonly runs?: ReadonlyMap<string, NodeRun> | undefined
  /** Characters that it may have. */
  readonly room?: number
}

/**
 * A workflow as a person would sketch it: a line for each node, with its name, kind, what it does and where it leads, in
 * the order in which it runs; what serves an agent stands below it. Large ones say less of each node, and at last name
 * only how many are left out.
 */
export const sketchOf = (
  workflow: JsonObject,
  { room = 6_500, runs, workflows = new Map() }: SketchContext = {}
): string => {
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
  const drawnParts = new Set<string>()
  function* withParts(node: JsonObject) {
    yield line(node, flow, pen)
    yield* partLines(nameOf(node), "  ", flow, pen, drawnParts)
  }
  for (const node of flow.reached) yield* withParts(node)
  if (flow.unreached.length > 0) yield "No trigger leads to:"
  for (const node of flow.unreached) yield* withParts(node)
  for (const node of flow.notes) yield `Note: ${summaryOf(node, Math.max(pen.size, 40)) || '""'}`
  const missingNames = [...(pen.runs?.keys() ?? [])].filter((name) => !flow.named.has(name))
  if (missingNames.length > 0) yield `Ran and is not here any more: ${missingNames.map(label).join(", ")}`
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

/** Blanks before the deepest parts: parts of parts may go on for thousands of nodes. */
const deepest = 40

/** The parts of a node, below it; a part of several nodes is drawn once. */
const partLines = (
  parent: string,
  indent: string,
  flow: Flow,
  pen: Pen,
  drawnParts: Set<string>
): ReadonlyArray<string> =>
  (flow.serving.get(parent) ?? []).flatMap(({ source, type }) => {
    const node = flow.named.get(source)
    if (node === undefined) return []
    const start = `${indent}${roleOf(type)}: `
    if (drawnParts.has(source)) return [`${start}${label(source)} (above)`]
    drawnParts.add(source)
    const drawn = start + line(node, flow, pen)
    if (indent.length >= deepest) return flow.serving.has(source) ? [drawn, `${indent}  …`] : [drawn]
    return [drawn, ...partLines(source, `${indent}  `, flow, pen, drawnParts)]
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
  const nameAt = outputNames(node)
  const errorOutput = (leaving.get(nameOf(node)) ?? []).some(({ output }) => nameAt(output) === "error")
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

/** The targets of a node, by the names of its outputs. */
const leads = (node: JsonObject, { leaving, named }: Flow): string => {
  const byOutput = grouped(leaving.get(nameOf(node)) ?? [], ({ output }) => output)
  const nameAt = outputNames(node)
  const parts = [...byOutput].map(([output, edges]) => {
    const name = nameAt(output)
    return `${name === "" ? "" : `(${oneLine(name)}) `}${edges.map((edge) => targetWords(edge, named)).join(", ")}`
  })
  return parts.length === 0 ? "" : ` → ${parts.join("; ")}`
}

const targetWords = ({ input, target }: Edge, named: Flow["named"]): string =>
  label(target) + (named.has(target) ? (input === 0 ? "" : ` (input ${input + 1})`) : " (MISSING)")
