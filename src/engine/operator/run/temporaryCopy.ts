import { Struct } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Creation } from "../../client/body.ts"
import { type Connections, nameOf, type Target, type Workflow } from "../../workflow/models.ts"
import { isEnabled, isTrigger, kindOf } from "../../workflow/triggers.ts"
import { leavesOf } from "../../workflow/valuePaths.ts"
import { type Edge, edgesOf } from "../../workflow/wires.ts"
import {
  failingNode,
  forkNode,
  guardNode,
  mockPayload,
  mockFeeder,
  outputsOf,
  nodeAt,
  previewNode,
  splitNode,
  webhookNode
} from "./helperNodes.ts"
import type { Mock, Mocks } from "./mocks.ts"
import type { Part } from "./Part.ts"

/** The options of a temporary copy. */
export interface TemporaryCopyOptions {
  readonly name: string
  /** The path of its webhook, which cannot be guessed. */
  readonly path: string
  /** The secret of the one call that may start it, and its SHA-256 digest, which is all that the copy holds of it. */
  readonly secret: { readonly text: string; readonly digest: string }
  readonly items: ReadonlyArray<JsonObject>
  readonly mocks: Mocks
  /** The last node to run. */
  readonly to?: string | undefined
  /** Seconds after which the engine itself ends its run. */
  readonly seconds: number
  /** Whether the parameters of mocked nodes are evaluated, so that they can be shown. */
  readonly previews?: boolean
}

/** A workflow for a single run: its creation, and the body for its webhook. */
export interface TemporaryCopy {
  readonly creation: Creation
  readonly body: JsonObject
  /** The webhook. */
  readonly hook: string
  /** The node that makes items of the webhook's body; where it stands in for a trigger it has the trigger's name. */
  readonly entry: string
  /** Names of the nodes that were added. */
  readonly helpers: ReadonlySet<string>
  /** The node that feeds each mocked one. */
  readonly feeding: ReadonlyMap<string, string>
  /** The names of the mocked nodes. */
  readonly mocked: ReadonlySet<string>
  /** The node that evaluates the parameters of each mocked one. */
  readonly previewing: ReadonlyMap<string, string>
}

/**
 * Makes the temporary copy of a workflow: a webhook takes the place of the trigger and brings the items and the mocks, of a
 * single call. Nodes that cannot run, and all other triggers, become No Operation nodes of the same name, so that none of
 * them ever fires.
 */
export const temporaryCopyOf = (workflow: Workflow, part: Part, options: TemporaryCopyOptions): TemporaryCopy => {
  const names = namesFor(workflow, part, options)
  const { entry, feeding, forking, guard, hook, mocked, previewing } = names
  return {
    creation: {
      name: options.name,
      nodes: [...helperNodesOf(workflow, part, options, names), ...copiedNodes(workflow, part, names)],
      connections: connectionsOf(wiresOf(workflow, part, options.to, names)),
      settings: { ...runSettings(workflow.settings), ...savedData, executionTimeout: options.seconds },
      ...(isJsonObject(workflow.staticData) ? { staticData: workflow.staticData } : {})
    },
    body: {
      secret: options.secret.text,
      items: options.items,
      mocks: mocked.map(([, given]) => mockPayload(given))
    },
    hook,
    entry,
    helpers: new Set([
      hook,
      guard,
      ...(part.isTrigger ? [] : [entry]),
      ...feeding.values(),
      ...forking.values(),
      ...previewing.values()
    ]),
    feeding,
    mocked: new Set(mocked.map(([name]) => name)),
    previewing
  }
}

/** The names of the nodes that are added, none of which the workflow has. */
interface Names {
  /** The nodes of the part that run. */
  readonly runs: ReadonlySet<string>
  readonly mocked: ReadonlyArray<readonly [name: string, mock: Mock]>
  readonly hook: string
  readonly guard: string
  readonly entry: string
  /** The node that feeds each mocked one. */
  readonly feeding: ReadonlyMap<string, string>
  /** The node between these two, for mocks with several outputs. */
  readonly forking: ReadonlyMap<string, string>
  /** The node that evaluates the parameters of each mocked one that has expressions. */
  readonly previewing: ReadonlyMap<string, string>
}

/** Expressions of one node that are evaluated. */
const mostExpressions = 60

/** The expressions in the parameters of a node, with their paths. */
export const expressionsOf = ({ parameters }: JsonObject) =>
  leavesOf(parameters)
    .filter(({ text }) => text.startsWith("="))
    .slice(0, mostExpressions)

const namesFor = (
  workflow: Workflow,
  part: Part,
  { mocks, previews = false }: Pick<TemporaryCopyOptions, "mocks" | "previews">
): Names => {
  const taken = new Set(workflow.nodes.map(nameOf))
  const free = (wanted: string) => {
    let name = wanted
    for (let count = 1; taken.has(name); count++) name = `${wanted} ${count}`
    taken.add(name)
    return name
  }
  const runs = new Set(part.nodes.map(nameOf))
  const mocked = [...mocks].filter(([name]) => runs.has(name))
  const hook = free("Run input")
  const guard = free("Run guard")
  const entry = part.isTrigger ? part.start : free("Run items")
  const fed = mocked.filter(([, { error }]) => error === undefined)
  const feeding = new Map(fed.map(([name]) => [name, free(`Mock of ${name}`)]))
  const forking = new Map(
    mocked.filter(([, given]) => outputsOf(given) > 1).map(([name]) => [name, free(`Items of ${name}`)])
  )
  const evaluated = part.nodes.filter((node) => previews && mocks.has(nameOf(node)) && expressionsOf(node).length > 0)
  const previewing = new Map(evaluated.map((node) => [nameOf(node), free(`Parameters of ${nameOf(node)}`)]))
  return { runs, mocked, hook, guard, entry, feeding, forking, previewing }
}

const helperNodesOf = (
  workflow: Workflow,
  part: Part,
  { mocks, path, secret }: TemporaryCopyOptions,
  { entry, feeding, forking, guard, hook, mocked, previewing }: Names
) => {
  const start = workflow.nodes.find((node) => nameOf(node) === part.start) ?? {}
  return [
    webhookNode(hook, path, responseModeFor(part, mocks), start),
    guardNode(guard, secret.digest, start),
    splitNode(entry, "body.items", start),
    ...mocked.flatMap(([name, given], index) => {
      const feeder = feeding.get(name)
      return feeder === undefined ? [] : [mockFeeder(feeder, hook, index, given, start)]
    }),
    ...[...forking.values()].map((name) => splitNode(name, "items", start)),
    ...workflow.nodes.flatMap((node) => {
      const preview = previewing.get(nameOf(node))
      const texts = expressionsOf(node).map(({ text }) => text)
      return preview === undefined ? [] : [previewNode(preview, texts, start)]
    })
  ]
}

/** The workflow's own nodes: as they are, as mocks, or without effect. */
const copiedNodes = (workflow: Workflow, part: Part, { forking, hook, mocked, runs }: Names) =>
  workflow.nodes
    .filter((node) => kindOf(node) !== "stickyNote" && !(part.isTrigger && nameOf(node) === part.start))
    .map((node) => {
      const name = nameOf(node)
      if (!runs.has(name) || isTrigger(node)) return nodeAt(name, "noOp", 1, {}, node)
      const index = mocked.findIndex(([one]) => one === name)
      const given = mocked[index]?.[1]
      if (given === undefined) return Struct.omit(node, ["webhookId"])
      if (given.error !== undefined) return failingNode(name, given.error, node)
      return forking.has(name) ? forkNode(name, hook, index, given, node) : splitNode(name, "items", node)
    })

const wiresOf = (
  { connections }: Workflow,
  part: Part,
  to: string | undefined,
  { entry, feeding, forking, guard, hook, mocked, previewing, runs }: Names
): ReadonlyArray<Edge> => {
  const edges = edgesOf(connections).filter(
    (edge) => runs.has(edge.source) && runs.has(edge.target) && !(edge.type === "main" && edge.source === to)
  )
  const mockedInputs = new Map(mocked.map(([name]) => [name, firstInput(edges, name)]))
  /** The nodes to which the input of a node of the part goes. */
  const takersOf = (name: string): ReadonlyArray<string> => {
    const preview = previewing.get(name)
    return [feeding.get(name) ?? name, ...(preview === undefined ? [] : [preview])]
  }
  const keptEdges = edges.flatMap((edge): ReadonlyArray<Edge> => {
    const isMocked = mockedInputs.has(edge.target)
    if (edge.type !== "main") return isMocked ? [] : [edge]
    if (part.isTrigger && edge.target === part.start) return []
    if (!isMocked) return [edge]
    const takers = edge.input === mockedInputs.get(edge.target) ? takersOf(edge.target) : []
    return takers.map((target) => ({ ...edge, target, input: 0 }))
  })
  return [
    main(hook, guard),
    main(guard, entry),
    ...(part.isTrigger ? [] : takersOf(part.start).map((taker) => main(entry, taker))),
    ...keptEdges,
    ...[...feeding].flatMap(([name, feeder]) => {
      const forked = forking.get(name)
      return forked === undefined ? [main(feeder, name)] : [main(feeder, forked), main(forked, name)]
    })
  ]
}

/** The settings that affect a run; none that name other workflows. */
const runSettings = (settings: Workflow["settings"]): JsonObject =>
  Object.fromEntries(
    Object.entries(settings ?? {}).filter(
      ([name, value]) => ["executionOrder", "timezone", "binaryMode"].includes(name) && value !== "DEFAULT"
    )
  )

const savedData = { saveDataSuccessExecution: "all", saveDataErrorExecution: "all", callerPolicy: "none" }

/** A webhook has to say whether a respond node answers for it. */
const responseModeFor = ({ nodes }: Part, mocks: Mocks) =>
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

/** Only this input triggers a mocked node, so that it gives out its items once. */
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
