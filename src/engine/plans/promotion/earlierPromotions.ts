import type { StoredEntry } from "../../../changes/Journal.ts"
import type { Brought, Change, Content } from "../Change.ts"
import { resolve } from "../resolve.ts"

/** The promotions from one instance to another that the journal holds. */
export interface EarlierPromotions {
  /** Workflows of the target by the workflows that they come from. */
  readonly counterparts: ReadonlyMap<string, string>
  /** The contents that promotions, and the rollbacks of them, have last written, by the workflow of the target. */
  readonly written: ReadonlyMap<string, Content>
  /** The tags and settings that came with promotions, by the workflow of the target; nothing where nobody noted it. */
  readonly brought: ReadonlyMap<string, Brought>
  /** When a promotion last wrote there. */
  readonly writtenAt: ReadonlyMap<string, number>
}

/** Reads from the journal what earlier promotions have made, and what they have written. */
export const earlierPromotions = (
  entries: ReadonlyArray<StoredEntry<Change>>,
  from: string,
  to: string
): EarlierPromotions => {
  const counterparts = new Map<string, string>()
  const written = new Map<string, Content>()
  const brought = new Map<string, Brought>()
  const writtenAt = new Map<string, number>()
  const plans = new Map<string, ReadonlyMap<string, Change>>()
  const created = new Map<string, Map<string, string | number>>()

  const note = (counterpart: string, change: Change, at: number) => {
    const source = "source" in change ? change.source : undefined
    if (source === undefined) return
    if (change.kind === "delete") {
      counterparts.delete(source.id)
      for (const map of [written, brought, writtenAt]) map.delete(counterpart)
      return
    }
    counterparts.set(source.id, counterpart)
    writtenAt.set(counterpart, at)
    if (change.kind === "create") written.set(counterpart, change.content)
    if (change.kind === "update") written.set(counterpart, change.after)
    if (source.brought === undefined) brought.delete(counterpart)
    else brought.set(counterpart, source.brought)
  }

  for (const entry of entries) {
    if (entry.type === "planned") {
      plans.set(entry.plan_id, new Map(entry.plan.steps.map(({ change, id }) => [id, change])))
      created.set(entry.plan_id, new Map())
    }
    if (entry.type !== "done") continue
    const made = created.get(entry.plan_id)
    for (const step of entry.steps) {
      if (entry.created !== undefined) made?.set(step, entry.created)
      const change = plans.get(entry.plan_id)?.get(step)
      if (change === undefined || !("source" in change) || change.instance !== to) continue
      if (change.source?.instance !== from) continue
      const resolved = resolve(change, (id) => made?.get(id))
      if (resolved?.kind === "create" && entry.created !== undefined) note(String(entry.created), resolved, entry.at)
      if (resolved !== undefined && "workflow" in resolved && typeof resolved.workflow === "string") {
        note(resolved.workflow, resolved, entry.at)
      }
    }
  }
  return { counterparts, written, brought, writtenAt }
}
