import { Context, Deferred, Duration, Effect, Fiber, Option, Semaphore } from "effect"

import { Coordination, type Waiting } from "../../internal/http/Coordination.ts"
import type { WorkflowId } from "../workflow/models.ts"
import { remaining } from "./Deadline.ts"
import { WorkflowBusy } from "./EngineError.ts"

interface Lock {
  readonly semaphore: Semaphore.Semaphore
  /** The number of calls that hold it or wait for it; the last one removes it from the map. */
  users: number
}

/**
 * Locks by name, within this process in the order of arrival, and then against other servers. Waiting ends with the deadline of
 * the call. A call that gives up while waiting leaves the queue; one that gives up while holding the lock is not waited for,
 * but the lock is released only when its uninterruptible part, a write that is under way, has ended.
 */
export const make = (coordination: Context.Service.Shape<typeof Coordination> = Coordination.defaultValue()) => {
  const locks = new Map<string, Lock>()

  const enter = (name: string) =>
    Effect.sync(() => {
      const lock = locks.get(name) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      lock.users++
      locks.set(name, lock)
      return lock
    })
  const leave = (name: string, lock: Lock) =>
    Effect.sync(() => {
      lock.users--
      if (lock.users === 0) locks.delete(name)
    })

  /** Runs `self` while nobody else holds the lock of this name; fails with `busy` if the wait is too long. */
  const withLock = <A, E, R, E2>(name: string, self: Effect.Effect<A, E, R>, busy: Waiting<E2>["busy"]) =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const begun = yield* Deferred.make<void>()
        const alone = Effect.flatMap(remaining(longest), (atMost) =>
          coordination.withLock(name, self, { atMost, busy })
        )
        const holding = Effect.acquireUseRelease(
          enter(name),
          ({ semaphore }) => semaphore.withPermit(Effect.andThen(Deferred.succeed(begun, undefined), alone)),
          (lock) => leave(name, lock)
        )
        const fiber = yield* Effect.forkDetach(holding, { startImmediately: true })
        const giveUp = Effect.forkDetach(Fiber.interrupt(fiber), { startImmediately: true })
        const wait = Effect.timeoutOption(Deferred.await(begun), yield* remaining(longest))
        const held = Effect.gen(function* () {
          if (Option.isSome(yield* wait)) return yield* Fiber.join(fiber)
          yield* giveUp
          return yield* busy()
        })
        return yield* Effect.onInterrupt(restore(held), () => giveUp)
      })
    )

  return { withLock, held: (): number => locks.size }
}
export type WorkflowLocks = ReturnType<typeof make>

/** Longest wait of a call without a deadline. */
const longest = Duration.minutes(5)

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
