import { Effect, type JsonSchema, Option, Predicate, Result } from "effect"

import { lazy } from "../../../internal/caching.ts"
import { visible, visibleJson } from "../../../internal/foreignText.ts"
import { listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import * as Arguments from "../../../mcp/Arguments.ts"
import type { Prompt, PromptArgument, PromptMessage } from "../../../mcp/Prompt.ts"
import { Instances } from "../../client/Instances.ts"
import { checkWorkflow } from "../../nodes/check/checkWorkflow.ts"
import { NodeKnowledge } from "../../nodes/NodeKnowledge.ts"
import { toConnections } from "../../workflow/connections.ts"

/** The proposal of a prompt: the arguments of `create_workflow`, and hints for before and after. */
interface Proposal {
  readonly workflow: WorkflowProposal
  readonly hints: ReadonlyArray<string>
}

interface PromptDefinition<Fields extends Arguments.Fields> {
  readonly title: string
  readonly description: string
  /** Each with a description; `examples` are offered as completions. Made at the first look, which most sessions never take. */
  readonly arguments: () => Fields
  readonly propose: (args: Arguments.Decoded<Fields>) => Proposal
}

/** A prompt from its definition and arguments: a message of instructions, then one that is nothing but JSON. */
export const make = <const Fields extends Arguments.Fields>(
  name: string,
  definition: PromptDefinition<Fields>
): Prompt => {
  const parameters = lazy(() => Arguments.make(definition.arguments()))
  const schema = () => parameters().jsonSchema()
  return {
    name,
    title: definition.title,
    description: definition.description,
    get arguments() {
      return Object.keys(definition.arguments()).map((argument) => describe(schema(), argument))
    },
    get: Effect.fn(name)(function* (args) {
      const proposal = definition.propose(yield* parameters().decode(withoutBlanks(args)))
      const workflow = yield* inCurrentVersions(proposal.workflow)
      return [message(visible(instructions(proposal.hints))), message(visibleJson(JSON.stringify(workflow)))]
    }),
    complete: (argument, value) => Effect.sync(() => completions(property(schema(), argument).examples, value))
  }
}

/**
 * The proposal in the versions that the editor of the default instance takes for new nodes, as far as they are known, or
 * are in a moment, and take the same parameters.
 */
const inCurrentVersions = Effect.fnUntraced(
  function* (proposal: WorkflowProposal) {
    const knowledge = yield* NodeKnowledge
    const instances = yield* Effect.serviceOption(Instances)
    if (Option.isNone(instances)) return proposal
    const { catalog } = yield* knowledge.soon(yield* instances.value.resolve())
    if (catalog === undefined) return proposal
    const connections = Result.getOrElse(toConnections(proposal.connections), () => ({}))
    const nodes = yield* Effect.forEach(proposal.nodes, (node) => {
      const entry = catalog.find(node.type)
      if (entry === undefined || entry.isBare === true) return Effect.succeed(node)
      const current = { ...node, typeVersion: entry.defaultVersion }
      const isSound = (one: ProposedNode) =>
        Effect.map(
          checkWorkflow({ nodes: proposal.nodes.map((other) => (other === node ? one : other)), connections }, catalog),
          (findings) =>
            findings.every(({ field = "", node: name }) => name !== one.name || !/^(?:type|parameters)/.test(field))
        )
      return Effect.map(isSound(current), (is) => (is ? current : node))
    })
    return { ...proposal, nodes }
  },
  (effect, proposal) => Effect.orElseSucceed(effect, () => proposal)
)

/** Forms send the fields that nobody filled in as empty text. */
const withoutBlanks = (args: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ""))

const message = (text: string): PromptMessage => ({ role: "user", content: { type: "text", text } })

const instructions = (hints: ReadonlyArray<string>) =>
  [
    "Create a workflow: call the tool create_workflow with the JSON object of the next message as its arguments.",
    ...hints,
    "The workflow is created inactive. Call activate_workflow with its id once it does what it should."
  ].join("\n- ")

const describe = (schema: JsonSchema.JsonSchema, name: string): PromptArgument => {
  const { description } = property(schema, name)
  return {
    name,
    description: Predicate.isString(description) ? description : "",
    required: Array.isArray(schema.required) && schema.required.includes(name)
  }
}

const property = (schema: JsonSchema.JsonSchema, name: string): Readonly<Record<string, unknown>> => {
  const properties = Predicate.isObject(schema.properties) ? Object.entries(schema.properties) : []
  return objectOf(new Map(properties).get(name))
}

/** Those that begin with the value, then those that contain it. */
const completions = (examples: unknown, value: string): ReadonlyArray<string> => {
  const wanted = value.toLowerCase()
  const matches = listOf(examples)
    .map(String)
    .filter((example) => example.toLowerCase().includes(wanted))
  const isFirst = (example: string) => example.toLowerCase().startsWith(wanted)
  return [...matches.filter(isFirst), ...matches.filter((example) => !isFirst(example))]
}

/** A node of a workflow to be created. */
interface ProposedNode {
  readonly name: string
  readonly type: string
  readonly typeVersion: number
  readonly position: readonly [number, number]
  readonly parameters: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

/** The arguments of `create_workflow`. */
interface WorkflowProposal {
  readonly name: string
  readonly nodes: ReadonlyArray<ProposedNode>
  readonly connections: ReadonlyArray<{
    readonly source: string
    readonly target: string
    readonly sourceOutput: number
  }>
  readonly settings: Readonly<Record<string, unknown>>
}

/** Versions of the base nodes that engines 1.82 and 2.41 both run. */
const versions = {
  code: 2,
  httpRequest: 4.2,
  noOp: 1,
  removeDuplicates: 2,
  respondToWebhook: 1.1,
  scheduleTrigger: 1.2,
  set: 3.4,
  webhook: 2
} as const

/** A base node at a place of the grid; `more` are fields beside the parameters. */
export const node = (
  kind: keyof typeof versions,
  name: string,
  [column, row]: readonly [number, number],
  parameters: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {}
): ProposedNode => ({
  name,
  type: `engine-nodes-base.${kind}`,
  typeVersion: versions[kind],
  position: [column * 220, row * 160],
  parameters,
  ...more
})

/** Fields that show a note under the node; unlike a parameter it is never read as an expression. */
export const note = (text: string | undefined) => (text === undefined ? {} : { notes: text, notesInFlow: true })

/** A webhook node; an address of its own on every engine needs a webhook id. */
export const webhook = (path: string, httpMethod: string, parameters: Readonly<Record<string, unknown>>) =>
  node("webhook", "Webhook", [0, 0], { httpMethod, path, ...parameters }, { webhookId: path.replaceAll("/", "-") })

/** Parameters and credentials of a call that carries the key of a header credential, if one is given. */
export const headerAuth = (credentialId: string | undefined) =>
  credentialId === undefined
    ? { parameters: { authentication: "none" }, fields: {} }
    : {
        parameters: { authentication: "genericCredentialType", genericAuthType: "httpHeaderAuth" },
        fields: { credentials: { httpHeaderAuth: { id: credentialId, name: "Header Auth" } } }
      }

/** Connections that lead from each node to the next. */
export const chain = (...nodes: ReadonlyArray<ProposedNode>): WorkflowProposal["connections"] =>
  nodes.slice(1).flatMap(({ name: target }, index) => {
    const source = nodes[index]?.name
    return source === undefined ? [] : [{ source, target, sourceOutput: 0 }]
  })
