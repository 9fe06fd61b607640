import { Result, Struct } from "effect"

import { nameAmongWords } from "../../../internal/foreignText.ts"
import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { addressesOf } from "../../workflow/addresses.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { nodeType } from "../../workflow/naming.ts"
import { arrange as arranged, isStickyNote, placeFor } from "../../workflow/placing.ts"
import { mentions, renameNode } from "../../workflow/references.ts"
import { idOf } from "./adding.ts"
import {
  type Apply,
  connectionsOf,
  type Draft,
  freeName,
  nodeNamed,
  tell,
  warn,
  withNode,
  withWorkflow
} from "./Draft.ts"

/** Renames a node with every reference to it, or the workflow. */
export const rename: Apply<"rename"> = (draft, { name, node: given }) =>
  Result.gen(function* () {
    if (given === undefined) {
      if (name.trim() === "") return yield* Result.fail("the name of a workflow must not be empty")
      return withWorkflow(draft, { name })
    }
    yield* nodeNamed(draft, given)
    if (given === name) return draft
    yield* freeName(draft, name)
    const renamed: Workflow = renameNode(draft.workflow, { from: given, to: name })
    const changed = renamed.nodes.filter((one, index) => one.parameters !== draft.workflow.nodes[index]?.parameters)
    const done = { ...draft, workflow: renamed }
    const told =
      changed.length === 0
        ? done
        : tell(done, `references to ${nameAmongWords(given)} now say ${nameAmongWords(name)} in: ${labelsOf(changed)}`)
    return warn(told, ...movedAddresses(draft.workflow, renamed), ...otherMentions(renamed, given))
  })

/** Names of nodes in a sentence. */
const labelsOf = (nodes: ReadonlyArray<JsonObject>) => nodes.map((node) => nameAmongWords(nameOf(node))).join(", ")

/** A webhook without an id of its own has its name in its address. */
const movedAddresses = (before: Workflow, after: Workflow): ReadonlyArray<string> => {
  const now = addressesOf(after)
  return addressesOf(before).flatMap(({ path }, index) => {
    const address = now[index]
    return address === undefined || address.path === path
      ? []
      : [
          `${nameAmongWords(address.node)} now answers at ${address.path}, no longer at ${path}: the node has no webhookId`
        ]
  })
}

/** Code can choose a node by a text that it holds, and what that text means only people know. */
const otherMentions = ({ nodes }: Workflow, name: string): ReadonlyArray<string> => {
  const mentioning = nodes.filter((node) => mentions(node, name))
  return mentioning.length === 0
    ? []
    : [
        `The text ${JSON.stringify(name)} stands by itself in ${labelsOf(mentioning)}, and was left: see whether it means the node`
      ]
}

const switched =
  (disabled: boolean): Apply<"disable" | "enable"> =>
  (draft, { node: name }) =>
    Result.map(nodeNamed(draft, name), (node) => {
      if ((node.disabled === true) === disabled) return draft
      return withNode(draft, node, disabled ? { ...node, disabled } : Struct.omit(node, ["disabled"]))
    })

export const enable = switched(false)
export const disable = switched(true)

export const move: Apply<"move"> = (draft, { node: name, position }) =>
  Result.map(nodeNamed(draft, name), (node) => withNode(draft, node, { ...node, position }))

export const arrange: Apply<"arrange"> = (draft) =>
  Result.map(connectionsOf(draft), (connections) =>
    withWorkflow(draft, { nodes: arranged(draft.workflow.nodes, connections) })
  )

/** Puts a note on a node, on the canvas, or into a note that lies there. */
export const note: Apply<"note"> = (draft, { node: name, position, value }, lookups, place) =>
  Result.gen(function* () {
    const text = value ?? ""
    if (name === undefined)
      return withWorkflow(draft, {
        nodes: [...draft.workflow.nodes, { ...sticky(draft, text, position), ...idOf(lookups, place) }]
      })
    const node = yield* nodeNamed(draft, name)
    if (isStickyNote(node)) {
      const parameters = objectOf(node.parameters)
      return withNode(draft, node, { ...node, parameters: { ...parameters, content: text } })
    }
    return withNode(draft, node, text === "" ? Struct.omit(node, ["notes"]) : { ...node, notes: text })
  })

const sticky = (
  { workflow: { nodes } }: Draft,
  content: string,
  position: readonly [number, number] | undefined
): JsonObject => {
  const names = new Set(nodes.map(nameOf))
  let name = "Sticky Note"
  for (let count = 1; names.has(name); count++) name = `Sticky Note${count}`
  const type = nodeType("stickyNote")
  return {
    parameters: { content },
    type,
    typeVersion: 1,
    position: position ?? placeFor(nodes, { isPart: false }),
    name
  }
}
