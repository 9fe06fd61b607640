import { Option } from "effect"

import { BoundedCache, memoizable } from "../../internal/caching.ts"
import { frozen } from "../../internal/json/values.ts"
import { isWorkflow, type Workflow } from "../workflow/models.ts"
import { json } from "./verdict.ts"

/** Reads the text of a workflow if it has the right shape at a glance, or is known already: schemas alone take 22 % more of a get. */
export type WorkflowCache = (address: string, text: string) => Option.Option<Workflow>

/** A fingerprint of what was read; the whole text once it seems to have come twice. */
interface Reading {
  readonly stamp: string
  readonly whole?: { readonly text: string; readonly workflow: Workflow }
}

/** Characters of all texts that are kept, and of the longest one. */
const most = 1024 * 1024
const longest = 64 * 1024

/**
 * Reads workflows, but does not parse the same text a third time: a workflow that is read again has mostly not changed. The
 * result is then the same, frozen object. Next to nothing is kept of a text that came only once, as it would only be copied,
 * and thrown away with the next change.
 */
export const make = (): WorkflowCache => {
  const recent = new BoundedCache<Reading>(most, ({ stamp, whole }) => whole?.text.length ?? stamp.length)
  return (address, text) => {
    if (text.length > longest) return read(text)
    const lastReading = recent.get(address)
    if (lastReading?.whole?.text === text) {
      recent.keep(address, () => lastReading)
      return Option.some(lastReading.whole.workflow)
    }
    return Option.map(read(text), (workflow) => {
      const stamp = `${workflow.updatedAt} ${text.length}`
      recent.put(
        address,
        lastReading?.stamp === stamp ? { stamp, whole: { text, workflow: stays(workflow) } } : { stamp }
      )
      return workflow
    })
  }
}

const read = (text: string): Option.Option<Workflow> => Option.filter(json({ text }), isWorkflow)

const stays = (workflow: Workflow): Workflow => {
  memoizable(workflow.nodes)
  return memoizable(frozen(workflow))
}
