import { Option } from "effect"

import { frozen } from "../../internal/json/frozen.ts"
import { lasting } from "../../internal/lasting.ts"
import { Recent } from "../../internal/Recent.ts"
import { isWorkflow } from "./isWorkflow.ts"
import type { Workflow } from "./models.ts"

/** Reads the text of a workflow, as far as it has its shape at a glance. */
export type Readings = (address: string, text: string) => Option.Option<Workflow>

/** A text that was read; with what it says, once it has come twice. */
interface Reading {
  readonly text: string
  readonly workflow?: Workflow
}

/** Characters of all texts that are kept, and of the longest. */
const most = 1024 * 1024
const longest = 64 * 1024

/**
 * Reads workflows, and nothing twice that an address answers again to the letter: who reads a workflow once more mostly
 * finds it as it was. Then the object is the same as before; it can not be changed.
 */
export const make = (): Readings => {
  const recent = new Recent<Reading>(most, ({ text }) => text.length)
  return (address, text) => {
    if (text.length > longest) return read(text)
    const known = recent.get(address)
    const isSame = known?.text === text
    if (isSame && known.workflow !== undefined) {
      recent.keep(address, () => known)
      return Option.some(known.workflow)
    }
    return Option.map(read(text), (workflow) => {
      recent.put(address, isSame ? { text, workflow: stays(workflow) } : { text })
      return workflow
    })
  }
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const read = (text: string): Option.Option<Workflow> => Option.filter(parse(text), isWorkflow)

const stays = (workflow: Workflow): Workflow => {
  lasting(workflow.nodes)
  return lasting(frozen(workflow))
}
