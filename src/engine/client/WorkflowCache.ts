import { Option } from "effect"

import { BoundedCache } from "../../internal/BoundedCache.ts"
import { frozen } from "../../internal/json/frozen.ts"
import { memoizable } from "../../internal/memoize.ts"
import { isWorkflow } from "./isWorkflow.ts"
import type { Workflow } from "./models.ts"
import { json } from "./replies.ts"

/** Reads the text of a workflow, as far as it has its shape at a glance, or knows what it reads. */
export type WorkflowCache = (address: string, text: string) => Option.Option<Workflow>

/** What was read, as far as it is told apart from most others; whole once it seems to have come twice. */
interface Reading {
  readonly stamp: string
  readonly whole?: { readonly text: string; readonly workflow: Workflow }
}

/** Characters of all texts that are kept, and of the longest. */
const most = 1024 * 1024
const longest = 64 * 1024

/**
 * Reads workflows, and nothing a third time that an address answers to the letter as before: who reads a workflow again
 * mostly finds it as it was. Then the object is the same as before, too; it cannot be changed. Of what has come once,
 * next to nothing is kept, as it would only be copied, and thrown away with the next change.
 */
export const make = (): WorkflowCache => {
  const recent = new BoundedCache<Reading>(most, ({ stamp, whole }) => whole?.text.length ?? stamp.length)
  return (address, text) => {
    if (text.length > longest) return read(text)
    const known = recent.get(address)
    if (known?.whole?.text === text) {
      recent.keep(address, () => known)
      return Option.some(known.whole.workflow)
    }
    return Option.map(read(text), (workflow) => {
      const stamp = `${workflow.updatedAt} ${text.length}`
      recent.put(address, known?.stamp === stamp ? { stamp, whole: { text, workflow: stays(workflow) } } : { stamp })
      return workflow
    })
  }
}

const read = (text: string): Option.Option<Workflow> => Option.filter(json({ text }), isWorkflow)

const stays = (workflow: Workflow): Workflow => {
  memoizable(workflow.nodes)
  return memoizable(frozen(workflow))
}
