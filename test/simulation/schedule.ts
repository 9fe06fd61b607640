import { Cause, Clock, Context, Duration, Effect, Exit, Logger, Random, References, Scheduler } from "effect"

import { type Random as Draws, randomOf } from "../soak/random.ts"
import { withSeededCrypto } from "./seededCrypto.ts"

/** Modules that are loaded when they are needed first are there before any schedule begins, so that each begins alike. */
export const loaded = () =>
  Promise.all([import("../../src/engine/nodes/check/acorn.ts"), import("../../src/mcp/agreement.ts")])

/** Fibers that end together, without a word, as those of a process that is killed. */
export interface Group {
  readonly name: string
  isAlive: boolean
  /** The clock on the wall of its machine. */
  readonly wall: Wall
}

/** A clock on the wall, and by how many milliseconds it is wrong. */
export interface Wall {
  ahead: number
}

interface Task {
  readonly group: Group
  readonly run: () => void
}

interface Timer extends Task {
  readonly at: number
}

/** The group of everything that is no server and no engine: people, callers, and what is on its way. */
export const world: Group = { name: "world", isAlive: true, wall: { ahead: 0 } }

/** The schedule did not come to its end. */
export class Stuck extends Error {}

const begin = Date.UTC(2026, 10, 24)

/** More steps than any schedule needs. */
const mostSteps = 2_000_000

/** Operations after which a fiber lets others go on: few, so that they meet in many orders. */
const turns = [
  [1, 40],
  [3, 400],
  [6, 2048]
] as const

/**
 * Time and turns that follow from a seed alone: which of all fibers goes on next is drawn, and the clock moves when none can.
 * What has happened is in the trace.
 */
export class Schedule {
  readonly random: Draws
  readonly trace: Array<string> = []
  private readonly ready: Array<Task> = []
  private readonly timers = new Set<Timer>()
  private readonly countdowns = new Map<Group, { turns: number; readonly run: () => void }>()
  private readonly random32: Draws
  private readonly turn: number
  private elapsed = 0
  private steps = 0
  private hash = 2_166_136_261

  constructor(seed: number) {
    this.random = randomOf(seed)
    this.random32 = randomOf(this.random.below(2 ** 31))
    this.turn = this.random.pick(turns)
  }

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.elapsed
  }

  /** The same for two runs that have done the same in the same order. */
  get fingerprint(): string {
    return `${this.steps} steps, ${this.elapsed} ms, ${(this.hash >>> 0).toString(16)}`
  }

  note(text: string) {
    this.trace.push(`${this.elapsed.toFixed(0).padStart(8)} ${text}`)
    this.mix(text)
  }

  /** The services that fibers of a group need so that they go on in their turn. */
  context(group: Group): Context.Context<never> {
    return Context.make(Scheduler.Scheduler, this.schedulerOf(group)).pipe(
      Context.add(Clock.Clock, this.clockOf(group)),
      Context.add(Random.Random, {
        nextIntUnsafe: () => this.random32.below(Number.MAX_SAFE_INTEGER),
        nextDoubleUnsafe: () => this.random32.next()
      }),
      Context.add(References.MinimumLogLevel, "Error"),
      Context.add(Logger.CurrentLoggers, new Set([this.loggerOf(group)]))
    )
  }

  /** Calls back in some milliseconds, unless the group is dead by then. */
  after(group: Group, milliseconds: number, run: () => void): () => void {
    const timer = { group, run, at: this.elapsed + Math.max(0, milliseconds) }
    this.timers.add(timer)
    return () => this.timers.delete(timer)
  }

  /** Calls back before a turn of a group, after so many others of its fibers. */
  beforeTurn(group: Group, turns: number, run: () => void) {
    this.countdowns.set(group, { turns, run })
  }

  /** Calls nobody back before a turn any more. */
  spare() {
    this.countdowns.clear()
  }

  /** Runs an effect in a group, and calls back where it ends there. */
  fork<A, E>(group: Group, self: Effect.Effect<A, E>, ended: (exit: Exit.Exit<A, E>) => void) {
    const fiber = Effect.runForkWith(this.context(group))(self)
    fiber.addObserver((exit) => this.ready.push({ group, run: () => ended(exit) }))
  }

  /** Runs an effect in a group, for one of another group that waits for it. */
  within<A, E>(group: Group, self: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.callback((resume) => this.fork(group, self, (exit) => resume(exit)))
  }

  /** Runs an effect, and everything that it starts, until it ends. */
  async run<A, E>(group: Group, self: Effect.Effect<A, E>): Promise<A> {
    const ended: Array<Exit.Exit<A, E>> = []
    return withSeededCrypto(this.random32, async () => {
      this.fork(group, self, (exit) => ended.push(exit))
      while (ended[0] === undefined) {
        if (this.ready.length === 0) {
          await idle()
          if (this.ready.length === 0 && !this.advance()) throw new Stuck("nothing is left that could go on")
          continue
        }
        if (++this.steps > mostSteps) throw new Stuck(`not at its end after ${mostSteps} steps`)
        const index = this.random.below(this.ready.length)
        const [task] = this.ready.splice(index, 1)
        if (task === undefined) continue
        this.mix(`${task.group.name} ${index}`)
        this.count(task.group)
        if (task.group.isAlive) task.run()
        // Whatever waits for promises goes on before the next turn, however many of them a Node makes.
        await idle()
      }
      const [exit] = ended
      return Exit.isSuccess(exit) ? exit.value : Promise.reject(Effect.runSync(Effect.flip(Effect.sandbox(exit))))
    })
  }

  private count(group: Group) {
    const countdown = this.countdowns.get(group)
    if (countdown === undefined || --countdown.turns > 0) return
    this.countdowns.delete(group)
    countdown.run()
  }

  /** Moves the clock to the next timers, whose fibers are then ready. */
  private advance(): boolean {
    for (const timer of this.timers) if (!timer.group.isAlive) this.timers.delete(timer)
    if (this.timers.size === 0) return false
    this.elapsed = Math.max(this.elapsed, Math.min(...Array.from(this.timers, ({ at }) => at)))
    for (const timer of this.timers) {
      if (timer.at > this.elapsed) continue
      this.timers.delete(timer)
      this.ready.push(timer)
    }
    return true
  }

  /** Errors that a group logs stand in the trace; what runtimes say in them is no part of what has happened. */
  private loggerOf({ name }: Group): Logger.Logger<unknown, void> {
    return Logger.make(({ cause, message }) => {
      this.trace.push(`${this.elapsed.toFixed(0).padStart(8)} ${name} logs ${String(message)} ${Cause.pretty(cause)}`)
    })
  }

  private schedulerOf(group: Group): Scheduler.Scheduler {
    const { ready, turn } = this
    return {
      executionMode: "async",
      shouldYield: ({ currentOpCount }) => currentOpCount >= turn,
      makeDispatcher: () => ({
        scheduleTask: (run) => {
          ready.push({ group, run })
        },
        flush: () => {}
      })
    }
  }

  private clockOf(group: Group): Clock.Clock {
    const millis = () => begin + Math.floor(this.elapsed) + group.wall.ahead
    const nanos = () => BigInt(millis()) * 1_000_000n
    const monotonic = () => BigInt(Math.round(this.elapsed * 1_000_000))
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const stop = this.after(group, Duration.toMillis(duration), () => resume(Effect.void))
          return Effect.sync(stop)
        })
    }
  }

  private mix(text: string) {
    for (let at = 0; at < text.length; at++) this.hash = Math.imul(this.hash ^ text.charCodeAt(at), 16_777_619)
  }
}

/** Until promises that are kept already have called back. */
const idle = () => new Promise<void>((resolve) => setImmediate(resolve))
