import type { Kept } from "../../../changes/Journal.ts"
import type { Change, Content } from "../Change.ts"
import { resolve } from "../resolve.ts"

/** What the journal knows of promotions from one instance to another. */
export interface Promoted {
  /** Workflows of the target by the workflows that they come from. */
  readonly twins: ReadonlyMap<string, string>
  /** What promotions, and the rollbacks of them, have last written, by the workflow of the target. */
  readonly written: ReadonlyMap<string, Content>
}

/** Reads from the journal what earlier promotions have made, and what they have written. */
export const promotedIn = (entries: ReadonlyArray<Kept<Change>>, from: string, to: string): Promoted => {
  const twins = new Map<string, string>()
  const written = new Map<string, Content>()
  const plans = new Map<string, ReadonlyMap<string, Change>>()
  const created = new Map<string, Map<string, string | number>>()
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
      if (resolved === undefined) continue
      const { id: source } = change.source
      if (resolved.kind === "create" && entry.created !== undefined) {
        twins.set(source, String(entry.created))
        written.set(String(entry.created), resolved.content)
      }
      if (!("workflow" in resolved) || typeof resolved.workflow !== "string") continue
      if (resolved.kind === "update") {
        twins.set(source, resolved.workflow)
        written.set(resolved.workflow, resolved.after)
      }
      if (resolved.kind === "delete") {
        twins.delete(source)
        written.delete(resolved.workflow)
      }
    }
  }
  return { twins, written }
}
