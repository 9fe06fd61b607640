import { Duration, Effect, Ref, Schedule as Times, Schema } from "effect"

import type { Journal, Kept } from "../../src/changes/Journal.ts"
import { JournalFailed } from "../../src/changes/PlanError.ts"
import type { TemporaryCopyEntry, TemporaryCopyJournal } from "../../src/engine/operator/run/TemporaryCopyJournal.ts"
import type { Change } from "../../src/engine/plans/Change.ts"
import { Entry } from "../../src/engine/plans/Plans.ts"
import type { Coordination } from "../../src/internal/http/Coordination.ts"
import { world } from "./Instance.ts"
import type { Group, Schedule } from "./schedule.ts"

const line = Schema.fromJsonString(Entry)
const encode = Schema.encodeSync(line)
const decode = Schema.decodeSync(line)

/** Rules that a schedule can break on purpose, to see that it is noticed. */
export interface Broken {
  /** The journal of plans is lost where a server is killed. */
  readonly forgetsJournal?: boolean
  /** What a killed server has noted of its temporary copies is lost. */
  readonly forgetsCopies?: boolean
  /** Nothing keeps two servers apart that change the same workflow. */
  readonly hasNoLocks?: boolean
  /** Some changes do not happen, and the engine answers as if they had. */
  readonly lies?: boolean
  /** Something repeats requests that have arrived, creations too. */
  readonly repeats?: boolean
}

/** What a machine keeps when servers on it are killed: a folder of state, and the locks among them. */
export class Machine {
  readonly lines: Array<string> = []
  /** Temporary copies that exist, or may exist, and whose they are. */
  readonly copies = new Map<TemporaryCopyEntry, Group>()
  readonly wall = { ahead: 0 }
  isFull = false
  private readonly locks = new Map<string, Group>()
  private readonly schedule: Schedule
  private readonly broken: Broken

  constructor(schedule: Schedule, broken: Broken) {
    this.schedule = schedule
    this.broken = broken
  }

  /** What is left of a server's state when it was killed. */
  outlived(server: Group) {
    if (this.broken.forgetsJournal === true) this.lines.length = 0
    for (const [copy, owner] of this.broken.forgetsCopies === true ? this.copies : []) {
      if (owner === server) this.copies.delete(copy)
    }
  }

  /** What a server does on its disk at a moment, of which it hears a little later. */
  private onDisk<A, E = never>(server: Group, act: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    const { random } = this.schedule
    return Effect.callback<A, E>((resume) => {
      this.schedule.after(world, random.below(4), () => {
        if (!server.isAlive) return
        const done = act()
        this.schedule.after(server, random.below(4), () => resume(done))
      })
    })
  }

  private lock(server: Group, name: string): boolean {
    const holder = this.locks.get(name)
    if (holder?.isAlive === true && this.broken.hasNoLocks !== true) return false
    this.locks.set(name, server)
    return true
  }

  /** Runs while no other server of this machine holds the lock. */
  private locked<A, E, R, E2>(
    server: Group,
    name: string,
    self: Effect.Effect<A, E, R>,
    atMost: Duration.Duration,
    busy: () => Effect.Effect<never, E2>
  ): Effect.Effect<A, E | E2, R> {
    const taken = Effect.sync(() => this.lock(server, name))
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const until = this.schedule.now + Duration.toMillis(atMost)
        while (!(yield* taken)) {
          if (this.schedule.now >= until) return yield* busy()
          yield* restore(Effect.sleep(1 + this.schedule.random.below(20)))
        }
        return yield* Effect.ensuring(
          restore(self),
          Effect.sync(() => this.locks.delete(name))
        )
      })
    )
  }

  /** The locks of a server against the others of this machine. */
  withLock(server: Group): (typeof Coordination)["Service"]["withLock"] {
    return (name, self, { atMost, busy }) => this.locked(server, name, self, atMost, busy)
  }

  /** The journal of plans as a server has it, which writes into it only while no other one does. */
  journal(server: Group): Journal<Change> {
    const waiting = Ref.makeUnsafe<ReadonlyArray<string>>([])
    let users = 0
    const busy = new JournalFailed({ problem: "the journal is in use by another process" })
    const acquire = Effect.suspend((): Effect.Effect<void, JournalFailed> => {
      if (users > 0 || this.lock(server, "journal")) {
        users++
        return Effect.void
      }
      return Effect.fail(busy)
    }).pipe(Effect.retry({ schedule: Times.spaced("100 millis"), times: 20 }))
    const release = Effect.sync(() => {
      if (--users === 0) this.locks.delete("journal")
    })
    const write = (text: string) =>
      this.onDisk(server, () => {
        if (this.isFull) return Effect.fail(new JournalFailed({ problem: "ENOSPC: no space left on device" }))
        this.lines.push(text)
        return Effect.void
      })
    return {
      append: (...entries) => {
        const texts = entries.map((entry) => encode(entry))
        const written = Effect.acquireUseRelease(
          acquire,
          () =>
            Effect.flatMap(Ref.getAndSet(waiting, []), (before) =>
              Effect.forEach([...before, ...texts], write, { discard: true })
            ),
          () => release
        )
        const isOfPlan = entries.every(({ type }) => type === "planned" || type === "steps")
        return Effect.uninterruptible(
          Effect.catchIf(
            written,
            (error) => error === busy && isOfPlan,
            () => Ref.update(waiting, (before) => [...before, ...texts])
          )
        )
      },
      entries: Effect.flatMap(Ref.get(waiting), (more) =>
        this.onDisk(server, () => Effect.succeed([...this.lines, ...more].map((text): Kept<Change> => decode(text))))
      ),
      hold: (work) =>
        Effect.acquireUseRelease(
          acquire,
          () => work,
          () => release
        )
    }
  }

  /** Where a server notes its temporary copies. */
  copyJournal(server: Group): (typeof TemporaryCopyJournal)["Service"] {
    const { copies } = this
    return {
      during: (copy, life) =>
        Effect.gen({ self: this }, function* () {
          yield* this.onDisk(server, () => Effect.succeed(copies.set(copy, server)))
          const { isGone, outcome } = yield* life
          if (isGone) yield* this.onDisk(server, () => Effect.succeed(copies.delete(copy)))
          return yield* outcome
        })
    }
  }
}
