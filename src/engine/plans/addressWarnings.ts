import { Array as Arrays, Effect } from "effect"

import { inSlices } from "../../internal/effects.ts"
import { listed } from "../../internal/foreignText.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Sliced } from "../../internal/Sliced.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import { runningNodes } from "../nodes/check/activeOwners.ts"
import { addressTexts } from "../workflow/addresses.ts"
import { generationOf, type Workflow } from "../workflow/models.ts"
import type { Change } from "./Change.ts"
import { eachWorkflow, outlineOf } from "./instanceContents.ts"
import type { Step } from "./Step.ts"

/** A workflow after some of the steps. */
interface Standing {
  readonly name: string
  readonly isActive: boolean
  readonly nodes: ReadonlyArray<JsonObject>
}

/** An address that a workflow begins or ceases to listen at, although another active one has it. */
interface Clash {
  readonly name: string
  readonly other: string
  readonly address: string
  readonly isBegun: boolean
}

/** Addresses that one warning names. */
const mostNamed = 5

/** Workflows with one address of which a change is told: of thousands, each would be told of all others. */
const mostOthers = 5

/**
 * The effects of steps, in their order, on webhooks, forms and chats that other active workflows of `all` on that instance
 * have. Engines of generation 2 refuse to give an address to two; older ones let the last one take it, and give it back to
 * nobody.
 */
export function* addressWarnings(
  steps: ReadonlyArray<Step>,
  all: ReadonlyArray<Workflow>
): Sliced<ReadonlyArray<string>> {
  const [first] = steps
  if (first === undefined) return []
  const { clashes, standing } = yield* clashesOf(steps, all)
  const nameOf = (id: string) => `${standing.get(id)?.name ?? id} (${id})`
  const { instance } = first.change
  const addresses = new Map<string, ReadonlySet<string>>()
  const addressesAt = (id: string) => {
    const listeners = addresses.get(id) ?? new Set(listensAt(id, standing.get(id)))
    addresses.set(id, listeners)
    return listeners
  }
  const isRefused = all.some((one) => generationOf(one) === "2.x")
  const remaining = isRefused
    ? clashes.filter(({ isBegun }) => isBegun)
    : clashes.filter(({ address, other }) => addressesAt(other).has(address))
  return Object.values(Arrays.groupBy(remaining, (one) => JSON.stringify([one.name, one.other, one.isBegun]))).map(
    ([clash, ...more]) => {
      const { isBegun, name, other } = clash
      const where = listed([...new Set([clash, ...more].map(({ address }) => address))], mostNamed)
      if (isRefused)
        return `${name}: ${instance} refuses to run it at ${where}, which active workflow ${nameOf(other)} has`
      return isBegun
        ? `${name} gets the calls of ${where} on ${instance} in place of ${nameOf(other)}, which stays active and is called there ` +
            "no more, not even after a rollback, until it is deactivated and activated again"
        : `${name} no longer listens at ${where} on ${instance}; ${nameOf(other)}, which stays active, may then be called there no ` +
            "more either: deactivate and activate it afterwards"
    }
  )
}

/** The same where only the workflows that steps change are known. */
export const readAddressWarnings = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  steps: ReadonlyArray<Step>,
  changed: ReadonlyMap<string, Workflow>
) {
  const mayListen = steps.some(({ change, id: step }) => {
    const id = workflowOf(change, step)
    return (
      id !== undefined &&
      [...(changed.get(id)?.nodes ?? []), ...nodesIn(change)].some(
        (node) => addressTexts({ id, nodes: [node] }).length > 0
      )
    )
  })
  if (!mayListen) return []
  const active = yield* eachWorkflow(client, outlineOf, { active: true })
  const all = [...new Map([...active, ...changed.values()].map((one) => [one.id, one])).values()]
  return yield* inSlices(() => addressWarnings(steps, all))
})

interface Clashes {
  readonly clashes: ReadonlyArray<Clash>
  readonly standing: ReadonlyMap<string, Standing>
}

function* clashesOf(steps: ReadonlyArray<Step>, all: ReadonlyArray<Workflow>): Sliced<Clashes> {
  const standing = new Map<string, Standing>(
    all.map((workflow) => [
      workflow.id,
      {
        name: workflow.name,
        isActive: workflow.active,
        nodes: workflow.active ? runningNodes(workflow) : workflow.nodes
      }
    ])
  )
  const owners = new Map<string, Set<string>>()
  const ownersAt = (address: string) => {
    const present = owners.get(address) ?? new Set<string>()
    owners.set(address, present)
    return present
  }
  for (const [id, one] of standing) {
    if (one.isActive) yield one.nodes.length
    for (const address of listensAt(id, one)) ownersAt(address).add(id)
  }

  const clashes: Array<Clash> = []
  for (const { change, id: step } of steps) {
    const id = workflowOf(change, step)
    if (id === undefined) continue
    const before = standing.get(id)
    const after = made(change, before)
    yield 1 + (after?.nodes.length ?? 0)
    if (after === undefined) standing.delete(id)
    else standing.set(id, after)
    const [had, has] = [listensAt(id, before), listensAt(id, after)]
    const name = (after ?? before)?.name ?? id
    const note = (isBegun: boolean) => (address: string) => {
      if (isBegun) ownersAt(address).add(id)
      else ownersAt(address).delete(id)
      let count = 0
      for (const other of ownersAt(address)) {
        if (other === id) continue
        clashes.push({ name, other, address, isBegun })
        if (++count === mostOthers) break
      }
    }
    had.filter((address) => !has.includes(address)).forEach(note(false))
    has.filter((address) => !had.includes(address)).forEach(note(true))
  }
  return { clashes, standing }
}

const listensAt = (id: string, standing: Standing | undefined): ReadonlyArray<string> =>
  standing?.isActive === true ? addressTexts({ id, nodes: standing.nodes }).map(({ address }) => address) : []

/** The workflow of a change: its id, or the step that makes it. */
const workflowOf = (change: Change, step: string): string | undefined => {
  if (change.kind === "create") return step
  if (!("workflow" in change)) return undefined
  return typeof change.workflow === "string" ? change.workflow : change.workflow.created_by
}

/** The nodes that a change writes. */
const nodesIn = (change: Change): ReadonlyArray<JsonObject> =>
  change.kind === "create" ? change.content.nodes : change.kind === "update" ? change.after.nodes : []

/** The workflow after a change; nothing where it deletes it. */
const made = (change: Change, before: Standing | undefined): Standing | undefined => {
  if (change.kind === "create") return { name: change.content.name, isActive: false, nodes: nodesIn(change) }
  if (before === undefined || change.kind === "delete") return undefined
  if (change.kind === "update") return { ...before, name: change.after.name, nodes: nodesIn(change) }
  return change.kind === "active" ? { ...before, isActive: change.after } : before
}
