import type { Generation } from "../../workflow/models.ts"
import { hasValidTrigger, isEnabled, kindOf } from "../../workflow/triggers.ts"
import type { Change, Content } from "../Change.ts"
import { contentOf } from "../content.ts"
import { type Step, stepOf } from "../Step.ts"
import type { Built } from "./Built.ts"
import type { Input } from "./Input.ts"
import { changedRef } from "./steps.ts"

/** Triggers that newer engines publish, although nothing listens: other workflows start them. */
const called = ["executeWorkflowTrigger", "errorTrigger"]

const canBeActive = ({ nodes }: Content, generation: Generation): boolean =>
  hasValidTrigger(nodes) ||
  (generation === "2.x" && nodes.some((node) => isEnabled(node) && called.includes(kindOf(node))))

interface Calls {
  readonly calls: ReadonlyMap<string, ReadonlyArray<string>>
  readonly levelOf: (id: string) => number
}

/** The steps that switch workflows on, what is called before what calls it. */
export const activations = (
  input: Input,
  built: ReadonlyArray<Built>,
  { calls, levelOf }: Calls
): {
  readonly steps: ReadonlyArray<Step>
  /** The workflows that are switched on. */
  readonly active: ReadonlySet<string>
  readonly warnings: ReadonlyArray<string>
} => {
  const { from, generation, options, source, to } = input
  const byId = new Map(built.map((one) => [one.id, one]))

  const wanted = new Map(
    built.map(({ content, id, counterpart }) => {
      const isActive = counterpart?.active === true
      const isWanted =
        options.activation === "inactive"
          ? isActive
          : options.activation === "activate"
            ? isActive || hasValidTrigger(content.nodes)
            : (counterpart?.active ?? source.get(id)?.active === true)
      return [id, isWanted && (isActive || canBeActive(content, generation))] as const
    })
  )

  const needed = new Map<string, string>()
  if (generation === "2.x") {
    const open = built.filter(({ id }) => wanted.get(id) === true).map(({ id }) => id)
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const other of calls.get(id) ?? []) {
        if (needed.has(other) || other === id) continue
        needed.set(other, byId.get(id)?.content.name ?? id)
        open.push(other)
      }
    }
  }

  const active = new Set<string>()
  const steps = built.flatMap((one): ReadonlyArray<Step> => {
    const { content, id, counterpart } = one
    const caller = needed.get(id)
    const isCalled = caller !== undefined
    if (counterpart?.active === true || (wanted.get(id) !== true && !isCalled)) return []
    if (!canBeActive(content, generation)) return []
    active.add(id)
    const change: Change = {
      kind: "active",
      instance: to,
      workflow: changedRef(one, to),
      name: content.name,
      before: false,
      after: true,
      level: Math.max(levelOf(id), one.linkLevel),
      isCalled
    }
    const reason =
      wanted.get(id) === true
        ? options.activation === "activate"
          ? "asked for"
          : `active on ${from}`
        : `${caller} is active and calls it, and ${to} runs only what is published`
    return [stepOf(change, reason)]
  })

  const lacking = [...needed].flatMap(([id, caller]) => {
    const counterpart = byId.get(id)?.counterpart
    const content = byId.get(id)?.content ?? (counterpart === undefined ? undefined : contentOf(counterpart))
    return content !== undefined && counterpart?.active !== true && !canBeActive(content, generation)
      ? [`${content.name} has no trigger, so that ${to} cannot publish it, nor ${caller}, which calls it`]
      : []
  })
  return { steps, active, warnings: lacking }
}
