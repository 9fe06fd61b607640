import { Result, Struct } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/schema/nearest.ts"
import type { Creation } from "../../client/body.ts"
import { type Connections, nameOf, type Target, type Workflow } from "../../client/models.ts"
import { shortType } from "../../client/naming.ts"
import { type Edge, edgesOf } from "../../workflow/differenceOfConnections.ts"
import { flowOf } from "../../workflow/flow.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { fork, handedOver, mock, outputsOf, placed, split, webhook } from "./helpers.ts"
import type { Mocks } from "./mocks.ts"

/** What part of a workflow runs. */
export interface Part {
  /** The trigger whose place the webhook takes, or the node that gets the items. */
  readonly start: string
  readonly isTrigger: boolean
  /** The nodes that can run, mocked ones among them, in the order in which a person would tell of them. */
  readonly nodes: ReadonlyArray<JsonObject>
}

/** Finds what would run from a node on (the first trigger where none is named), and up to one. */
export const partOf = (
  workflow: Workflow,
  mocks: Mocks,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }
): Result.Result<Part, { readonly argument: string; readonly problem: string }> =>
  Result.gen(function* () {
    const names = workflow.nodes.map(nameOf)
    for (const [argument, name] of Object.entries({ from, to })) {
      if (name !== undefined && !names.includes(name))
        return yield* Result.fail({ argument, problem: noNode(name, names) })
    }
    const { named, reached } = flowOf(workflow)
    const triggers = reached.filter(isTrigger)
    const first = from === undefined ? (triggers.find(isEnabled) ?? triggers[0]) : named.get(from)
    if (first === undefined) {
      return yield* Result.fail({ argument: "from", problem: "the workflow has no trigger: name the node to run from" })
    }
    const start = nameOf(first)
    const edges = edgesOf(workflow.connections)
    const isStart = isTrigger(first) || isStrangeStart(first, edges)
    const after = reachedFrom([start], mainOf(edges), ({ source, target }) => [source, target])
    if (to !== undefined && !after.has(to)) {
      return yield* Result.fail({ argument: "to", problem: `no way leads from ${start} to ${to}` })
    }
    const before = to === undefined ? after : reachedFrom([to], mainOf(edges), ({ source, target }) => [target, source])
    const main = [...after].filter((name) => before.has(name))
    const served = main.filter((name) => !mocks.has(name) && !(name === start && isStart))
    const parts = edges.filter(({ type }) => type !== "main")
    const serving = reachedFrom(served, parts, ({ source, target }) => [target, source])
    const all = new Set([...main, ...serving])
    const nodes = workflow.nodes.filter((node) => all.has(nameOf(node)) && kindOf(node) !== "stickyNote")
    return { start, isTrigger: isStart, nodes }
  })

/** What nothing leads to in packages of other makers may start the workflow, whatever it is called. */
const isStrangeStart = (node: JsonObject, edges: ReadonlyArray<Edge>): boolean =>
  shortType(String(node.type)) === String(node.type) && !mainOf(edges).some(({ target }) => target === nameOf(node))

const mainOf = (edges: ReadonlyArray<Edge>) => edges.filter(({ type }) => type === "main")

/** Everything that edges lead to from these names on, themselves among them. */
const reachedFrom = (
  names: ReadonlyArray<string>,
  edges: ReadonlyArray<Edge>,
  ends: (edge: Edge) => readonly [from: string, to: string]
): ReadonlySet<string> => {
  const found = new Set(names)
  for (const name of found) {
    for (const edge of edges) {
      const [from, to] = ends(edge)
      if (from === name) found.add(to)
    }
  }
  return found
}

const noNode = (name: string, names: ReadonlyArray<string>) => {
  const guess = nearest(name, names)
  return `there is no node ${name}. ${guess === undefined ? `Its nodes: ${names.slice(0, 30).join(", ")}` : `Did you mean ${guess}?`}`
}

/** What a temporary copy is made with. */
export interface Making {
  readonly name: string
  /** The path of its webhook, which nobody can guess. */
  readonly path: string
  readonly items: ReadonlyArray<JsonObject>
  readonly mocks: Mocks
  /** Up to which node it runs. */
  readonly to?: string | undefined
  /** Seconds after which the engine itself ends its run. */
  readonly seconds: number
}

/** A workflow for one run: what to create, and what to send to its webhook. */
export interface TemporaryCopy {
  readonly creation: Creation
  readonly body: JsonObject
  /** The node that splits up what was handed over, under the trigger's name where one stands for it. */
  readonly entry: string
  /** Names of the nodes that were put in. */
  readonly helpers: ReadonlySet<string>
  /** The node that feeds each mocked one. */
  readonly feeding: ReadonlyMap<string, string>
}

/**
 * The temporary copy of a workflow: a webhook hands over the items, under the trigger's own name, and what mocked nodes
 * give out. What cannot run, and every other trigger, stands there by its name alone, so that none of them ever fires.
 */
export const temporaryCopyOf = (workflow: Workflow, part: Part, making: Making): TemporaryCopy => {
  const taken = new Set(workflow.nodes.map(nameOf))
  const free = (wanted: string) => {
    let name = wanted
    for (let count = 1; taken.has(name); count++) name = `${wanted} ${count}`
    taken.add(name)
    return name
  }
  const runs = new Set(part.nodes.map(nameOf))
  const mocked = [...making.mocks].filter(([name]) => runs.has(name))
  const hook = free("Run input")
  const entry = part.isTrigger ? part.start : free("Run items")
  const feeding = new Map(mocked.map(([name]) => [name, free(`Mock of ${name}`)]))
  const forking = new Map(
    mocked.filter(([, given]) => outputsOf(given) > 1).map(([name]) => [name, free(`Items of ${name}`)])
  )
  const isStart = (node: JsonObject) => part.isTrigger && nameOf(node) === part.start

  const nodes = workflow.nodes
    .filter((node) => kindOf(node) !== "stickyNote" && !isStart(node))
    .map((node) => {
      if (!runs.has(nameOf(node)) || isTrigger(node)) return placed(nameOf(node), "noOp", 1, {}, node)
      const index = mocked.findIndex(([name]) => name === nameOf(node))
      const given = mocked[index]?.[1]
      if (given === undefined) return Struct.omit(node, ["webhookId"])
      return forking.has(nameOf(node))
        ? fork(nameOf(node), hook, index, given, node)
        : split(nameOf(node), "items", node)
    })
  const start = workflow.nodes.find((node) => nameOf(node) === part.start) ?? {}
  const helpers = [
    webhook(hook, making.path, responds(part, making.mocks), start),
    split(entry, "body.items", start),
    ...mocked.map(([name, given], index) => mock(feeding.get(name) ?? "", hook, index, given, start)),
    ...[...forking.values()].map((name) => split(name, "items", start))
  ]

  const edges = edgesOf(workflow.connections).filter(
    (edge) => runs.has(edge.source) && runs.has(edge.target) && !(edge.type === "main" && edge.source === making.to)
  )
  const intoMocks = new Map(mocked.map(([name]) => [name, firstInput(edges, name)]))
  const wired = edges.flatMap((edge): ReadonlyArray<Edge> => {
    const feeder = feeding.get(edge.target)
    if (edge.type !== "main") return feeder === undefined ? [edge] : []
    if (part.isTrigger && edge.target === part.start) return []
    if (feeder === undefined) return [edge]
    return edge.input === intoMocks.get(edge.target) ? [{ ...edge, target: feeder, input: 0 }] : []
  })
  const wires = [
    main(hook, entry),
    ...(part.isTrigger ? [] : [main(entry, feeding.get(part.start) ?? part.start)]),
    ...wired,
    ...[...feeding].flatMap(([name, feeder]) => {
      const forked = forking.get(name)
      return forked === undefined ? [main(feeder, name)] : [main(feeder, forked), main(forked, name)]
    })
  ]
  return {
    creation: {
      name: making.name,
      nodes: [...helpers, ...nodes],
      connections: connectionsOf(wires),
      settings: { ...kept(workflow.settings), ...saving, executionTimeout: making.seconds },
      ...(isJsonObject(workflow.staticData) ? { staticData: workflow.staticData } : {})
    },
    body: { items: making.items, mocks: mocked.map(([, given]) => handedOver(given)) },
    entry,
    helpers: new Set([hook, ...(part.isTrigger ? [] : [entry]), ...feeding.values(), ...forking.values()]),
    feeding
  }
}

/** The settings that decide how a run goes; none that name other workflows. */
const kept = (settings: Workflow["settings"]): JsonObject =>
  Object.fromEntries(
    Object.entries(settings ?? {}).filter(
      ([name, value]) => ["executionOrder", "timezone", "binaryMode"].includes(name) && value !== "DEFAULT"
    )
  )

const saving = { saveDataSuccessExecution: "all", saveDataErrorExecution: "all", callerPolicy: "none" }

/** A node that respond nodes answer through has to say so. */
const responds = ({ nodes }: Part, mocks: Mocks) =>
  nodes.some((node) => kindOf(node) === "respondToWebhook" && isEnabled(node) && !mocks.has(nameOf(node)))
    ? "responseNode"
    : "onReceived"

const main = (source: string, target: string): Edge => ({
  source,
  type: "main",
  output: 0,
  target,
  targetType: "main",
  input: 0
})

/** A mocked node gives out its items once, whatever comes in at its other inputs. */
const firstInput = (edges: ReadonlyArray<Edge>, name: string): number =>
  Math.min(...edges.filter(({ target, type }) => target === name && type === "main").map(({ input }) => input))

const connectionsOf = (edges: ReadonlyArray<Edge>): Connections => {
  const sources = new Map<string, Map<string, Array<Array<Target>>>>()
  for (const { input, output, source, target, targetType, type } of edges) {
    const types = sources.get(source) ?? new Map<string, Array<Array<Target>>>()
    const outputs = types.get(type) ?? []
    while (outputs.length <= output) outputs.push([])
    outputs[output]?.push({ node: target, type: targetType, index: input })
    sources.set(source, types.set(type, outputs))
  }
  return Object.fromEntries([...sources].map(([name, types]) => [name, Object.fromEntries(types)]))
}

/** The problem of what nobody can mock: the model, memory or tool of an agent. */
export const unmockable = (workflow: Workflow, mocks: Mocks): string | undefined => {
  const parts = edgesOf(workflow.connections).filter(({ type }) => type !== "main")
  const part = parts.find(({ source }) => mocks.has(source))
  return part === undefined ? undefined : `${part.source} serves ${part.target}: mock ${part.target} instead`
}

/** The nodes of a part that really run: neither mocked, nor the trigger whose place the webhook takes. */
export const runningOf = ({ isTrigger: isReplaced, nodes, start }: Part, mocks: Mocks): ReadonlyArray<JsonObject> =>
  nodes.filter((node) => !mocks.has(nameOf(node)) && !(isReplaced && nameOf(node) === start))
