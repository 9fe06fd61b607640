import { Context, Effect } from "effect"

import type { WorkflowId } from "../workflow/models.ts"
import { WorkflowBusy } from "./EngineError.ts"
import type { WorkflowLocks } from "./WorkflowLocks.ts"

/** The locks that the change has already of which this is a part. */
const HeldLocks = Context.Reference<ReadonlySet<string>>("workflow-tool-server/engine/HeldLocks", {
  defaultValue: () => new Set()
})

/** Runs changes of an instance's workflows one at a time; what is part of a change has its lock already. */
export const exclusively =
  (instance: string, host: string, locks: WorkflowLocks) =>
  <A, E, R>(id: WorkflowId, change: Effect.Effect<A, E, R>): Effect.Effect<A, E | WorkflowBusy, R> =>
    Effect.flatMap(HeldLocks, (heldLocks) => {
      const name = `${engineAddress(host)} ${id}`
      return heldLocks.has(name)
        ? change
        : locks.withLock(
            name,
            Effect.provideService(change, HeldLocks, new Set([...heldLocks, name])),
            (problem) => new WorkflowBusy({ instance, id, ...(problem === undefined ? {} : { problem }) })
          )
    })

/**
 * The address that an engine has in locks: the same one whatever the configuration calls the instance, whoever's key it has,
 * and whichever of its names for this machine it uses.
 */
const engineAddress = (host: string): string => host.replace(thisMachine, "$1localhost")

const thisMachine = /^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/
