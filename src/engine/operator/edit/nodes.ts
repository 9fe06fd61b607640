import { Predicate, Result, Struct } from "effect"

import { nameAmongWords } from "../../../internal/foreignText.ts"
import { type JsonObject, listOf, objectOf, objectsOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { groupsAmong } from "../../client/refusedGroups.ts"
import { addressesOf } from "../../workflow/addresses.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { nodeType } from "../../workflow/naming.ts"
import { groupProblem } from "../../workflow/nodeGroups.ts"
import type { Credential } from "../../workflow/nodes.ts"
import { arrange as arranged, isStickyNote, placeFor } from "../../workflow/placing.ts"
import { mentions, renameNode } from "../../workflow/references.ts"
import { idOf } from "./adding.ts"
import {
  type Apply,
  connectionsOf,
  type Draft,
  freeName,
  type Lookups,
  nodeNamed,
  type Retyped,
  addNote,
  addWarnings,
  withNode,
  withWorkflow
} from "./Draft.ts"
import type { Operation } from "./Operation.ts"

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
    const noted =
      changed.length === 0
        ? done
        : addNote(
            done,
            `references to ${nameAmongWords(given)} now say ${nameAmongWords(name)} in: ${labelsOf(changed)}`
          )
    return addWarnings(noted, ...movedAddresses(draft.workflow, renamed), ...otherMentions(renamed, given))
  })

/** Names of nodes in a sentence. */
const labelsOf = (nodes: ReadonlyArray<JsonObject>) => nodes.map((node) => nameAmongWords(nameOf(node))).join(", ")

/** Warnings about webhooks that moved: the address of one without a webhookId holds its name. */
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

/** A warning about texts that equal the former name: code may choose a node by such a text. */
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

/** Gives a node a credential by name or id, or takes one away. */
export const credential: Apply<"credential"> = (draft, { node: name, type, value }, lookups) =>
  Result.gen(function* () {
    const node = yield* nodeNamed(draft, name)
    const credentials = objectOf(node.credentials)
    if (value === null) {
      const types = type === undefined ? Object.keys(credentials) : [type]
      const [only] = types
      if (only === undefined || !Object.hasOwn(credentials, only))
        return yield* Result.fail(`${name} has no such credential`)
      if (types.length > 1) return yield* Result.fail(`${name} has credentials of ${types.join(" and ")}: give type`)
      const left = Object.fromEntries(Object.entries(credentials).filter(([one]) => one !== only))
      const bare = Struct.omit(node, ["credentials"])
      return withNode(draft, node, Object.keys(left).length === 0 ? bare : { ...node, credentials: left })
    }
    const match = yield* credentialCalled(value, type, lookups)
    const reference = { id: match.id, name: match.name }
    // What a node keeps of a former type goes where one is named for the new type, of which nothing is known.
    const isUnknown = (one: Retyped) =>
      !one.isTypeKnown && (one.id === undefined ? one.name === nameOf(node) : one.id === node.id)
    const former = draft.retyped.filter(isUnknown).flatMap((one) => Object.keys(one.credentials))
    const retyped = draft.retyped.map((one) => (isUnknown(one) ? { ...one, credentials: {} } : one))
    const others = Struct.omit(credentials, former)
    return withNode({ ...draft, retyped }, node, { ...node, credentials: { ...others, [match.type]: reference } })
  })

const credentialCalled = (
  value: string,
  type: string | undefined,
  { credentials, hasAllCredentials }: Lookups
): Result.Result<Credential, string> => {
  const called = credentials.filter(({ id, name }) => id === value || name === value)
  const fitting = called.filter((one) => type === undefined || one.type === type)
  const [match] = fitting
  if (match !== undefined && fitting.length === 1) return Result.succeed(match)
  if (fitting.length > 1) {
    const each = fitting.map((one) => `${one.id} (${one.type})`).join(", ")
    return Result.fail(`several credentials are called ${value}: give type, or the id: ${each}`)
  }
  if (called.length > 0) {
    return Result.fail(
      `credential ${value} is of type ${called.map((one) => one.type).join(", ")}, not ${String(type)}`
    )
  }
  if (!hasAllCredentials && type !== undefined && /^[A-Za-z0-9]{8,36}$/.test(value)) {
    return Result.succeed({ id: value, name: value, type })
  }
  const names = credentials.filter((one) => type === undefined || one.type === type).map(({ name }) => name)
  const guess = nearest(value, names)
  const namesText =
    names.length === 0 ? "None of that type is known." : `Known: ${[...new Set(names)].slice(0, 20).join(", ")}.`
  const hint = guess === undefined ? namesText : `Did you mean ${guess}?`
  return Result.fail(
    hasAllCredentials
      ? `there is no credential ${JSON.stringify(value)}. ${hint.replace(/\.$/, "")}`
      : `no workflow uses a credential ${JSON.stringify(value)}, and this engine does not list credentials. ${hint} Else give its id and type`
  )
}

/** Makes a group of nodes, sets its nodes, renames it, or dissolves it. A node is in one group at most. */
export const group: Apply<"group"> = (draft, { name, value }, { webhookIds }, place) =>
  Result.gen(function* () {
    const { nodeGroups } = draft.workflow
    if (!Array.isArray(nodeGroups)) return yield* Result.fail("this engine knows no groups of nodes")
    const groups = objectsOf(nodeGroups)
    const existing = groups.find((one) => one.name === name)
    if (value === null) {
      if (existing === undefined) return yield* Result.fail(noGroup(name, groups))
      return withWorkflow(draft, { nodeGroups: groups.filter((one) => one !== existing) })
    }
    if (name.trim() === "") return yield* Result.fail("the name of a group must not be empty")
    const names = Predicate.isString(value) ? [value] : value
    const members = yield* idsOf(draft, names)
    if (members.length === 0) return yield* Result.fail("value must name the nodes of the group; null dissolves it")
    const before = existing ?? groups.find(({ nodeIds }) => isSameSet(listOf(nodeIds), members))
    const newGroup = { id: webhookIds[place], ...before, name, nodeIds: members }
    const others = groups.filter((one) => one !== before).map((one) => withoutMembers(one, members))
    const left = others.filter(({ nodeIds }) => listOf(nodeIds).length > 0)
    return withWorkflow(draft, { nodeGroups: [...left, newGroup] })
  })

const noGroup = (name: string, groups: ReadonlyArray<JsonObject>) => {
  const names = groups.map((one) => String(one.name))
  const guess = nearest(name, names)
  const hint = guess === undefined ? `Its groups: ${names.join(", ") || "none"}` : `Did you mean ${guess}?`
  return `there is no group ${JSON.stringify(name)}. ${hint}`
}

const idsOf = (draft: Draft, names: ReadonlyArray<string>): Result.Result<ReadonlyArray<unknown>, string> =>
  Result.map(Result.all(names.map((name) => nodeNamed(draft, name))), (nodes) => [
    ...new Set(nodes.map(({ id }) => id))
  ])

const isSameSet = (some: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>) =>
  some.length === others.length && some.every((one) => others.includes(one))

const withoutMembers = (one: JsonObject, members: ReadonlyArray<unknown>): JsonObject => ({
  ...one,
  nodeIds: listOf(one.nodeIds).filter((id) => !members.includes(id))
})

/** The reason why the engine would refuse one of the groups that operations made, in the workflow after all of them. */
export const problemOfGroups = ({ workflow }: Draft, operations: ReadonlyArray<Operation>): string | undefined => {
  const made = new Set(operations.flatMap((one) => (one.op === "group" ? [one.name] : [])))
  if (made.size === 0) return undefined
  const groups = groupsAmong(listOf(workflow.nodeGroups), workflow.nodes)
  return groupProblem(
    objectsOf(groups).filter(({ name }) => Predicate.isString(name) && made.has(name)),
    workflow
  )
}
