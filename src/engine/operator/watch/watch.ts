import { Clock, Effect, Record, Schema } from "effect"

import { makePacer } from "../../../internal/http/Coordination.ts"
import { Pace } from "../../client/Deadline.ts"
import { Instances } from "../../client/Instances.ts"
import type { Expectations } from "../health/expectations.ts"
import type { Severity } from "../health/Finding.ts"
import type { Memory } from "../health/Memory.ts"
import { type Change, rankOf } from "./incidents.ts"
import { type Delivery, dueFor, type Message, type Pending } from "./messages.ts"
import { unwatched, watchInstance } from "./watchInstance.ts"
import { memoryLine, readMemories, readState, stateLine, type WatchState } from "./WatchState.ts"

/** The state of the watch could not be kept, or a receiver did not take a message. */
export class WatchError extends Schema.TaggedError<WatchError>()("WatchError", { message: Schema.String }) {}

/** The place where the state is kept, in lines. */
export interface WatchStore {
  readonly load: Effect.Effect<ReadonlyArray<string>, WatchError>
  readonly save: (lines: ReadonlyArray<string>) => Effect.Effect<void, WatchError>
  /** Does the work unless another copy of the server is at it. */
  readonly exclusively: <A, E>(work: Effect.Effect<A, E, Instances>) => Effect.Effect<A, E | WatchError, Instances>
}

/** Something that takes messages. */
export interface Receiver {
  readonly name: string
  readonly least: Severity
  readonly send: (message: Message) => Effect.Effect<void, WatchError>
}

export interface WatchSettings extends Delivery {
  readonly instances: ReadonlyArray<string>
  readonly everyMinutes: number
  readonly expectations: Expectations
  readonly ignore: ReadonlyArray<string>
}

/** The result of a round over all instances. */
export interface Round {
  readonly state: WatchState
  /** Problems of instances that could not be read and of receivers, in words. */
  readonly problems: ReadonlyArray<string>
  /** Whether another copy had done the round already. */
  readonly isSkipped: boolean
}

/** Changes that wait for receivers at most: beyond them, the oldest are lost, and it is said. */
const mostPending = 2000

/** Milliseconds after which the memory is written anew: what a killed process had read since, the next one reads again. */
const memoryInterval = 6 * 3_600_000

/** Requests to an instance that may follow each other at once: on average, it is at most one a second. */
const burst = 30

/** Watches instances in rounds; what has been told and what is known of the past outlives the process. */
export const makeWatch = (settings: WatchSettings, store: WatchStore, receivers: ReadonlyArray<Receiver>) => {
  let memories: ReadonlyMap<string, Memory> = new Map()
  let memoryLines: ReadonlyArray<string> = []
  let writtenAt = 0
  let lastAt: number | undefined
  const instances = settings.instances.map((name) => ({ name, pace: makePacer(1, burst) }))

  const begin = Effect.map(store.load, (lines) => {
    const state = readState(lines)
    // What another copy has seen meanwhile is newer than what this one remembers.
    if (lastAt === undefined || state.at > lastAt) {
      memories = readMemories(lines)
      memoryLines = lines.slice(1)
    }
    return state
  })
  const keep = Effect.fnUntraced(function* (state: WatchState) {
    if (Math.abs(state.at - writtenAt) >= memoryInterval) {
      memoryLines = [...memories].map(([instance, memory]) => memoryLine(instance, memory))
      writtenAt = state.at
    }
    lastAt = state.at
    yield* store.save([stateLine(state), ...memoryLines])
  })

  const round = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const former = notAfter(yield* begin, now)
    memories = new Map([...memories].filter(([, { at }]) => at <= now + ahead))
    if (former.at > now - (settings.everyMinutes * 60_000) / 2) {
      return { state: former, problems: [], isSkipped: true } satisfies Round
    }
    const { keyEnds, resolve } = yield* Instances
    let state: WatchState = { ...former, at: now }
    const problems: Array<string> = []
    for (const { name, pace } of instances) {
      const engine = yield* Effect.mapError(resolve(name), ({ message }) => new WatchError({ message }))
      const { expectations, ignore } = settings
      const before = { ...unwatched, ...state.instances[name], memory: memories.get(name) }
      const question = { now, expectations, ignore, keyEndsAt: keyEnds.get(name) }
      const { changes, open, problem, watched } = yield* Effect.provideService(
        watchInstance(engine, before, state.open, question),
        Pace,
        pace
      )
      const { memory, ...rest } = watched
      if (memory !== undefined) memories = new Map(memories).set(name, memory)
      if (problem !== undefined) problems.push(`${name}: ${problem}`)
      state = withChanges({ ...state, open, instances: { ...state.instances, [name]: rest } }, changes, receivers)
    }
    if (state.pending.length > mostPending) {
      const lost = state.pending.length - mostPending
      yield* Effect.logWarning(`${lost} messages of the watch are lost: receivers have taken none for too long`)
      state = { ...state, pending: state.pending.slice(lost) }
    }
    yield* keep(state)
    for (const receiver of receivers) {
      const { problem, state: after } = yield* delivered(state, receiver, now)
      state = after
      if (problem !== undefined) problems.push(`${receiver.name}: ${problem}`)
    }
    return { state, problems, isSkipped: false } satisfies Round
  })

  /** Sends what is due, one message after the other; the first that is not taken ends it until the next round. */
  const delivered = Effect.fnUntraced(function* (before: WatchState, receiver: Receiver, now: number) {
    const { name } = receiver
    const recent = (before.sentAt[name] ?? []).filter((at) => at > now - 3_600_000)
    const due = dueFor(name, before.pending, recent, now, settings)
    let state = before
    for (const { ids, message } of due) {
      const problem = yield* Effect.match(receiver.send(message), {
        onSuccess: () => undefined,
        onFailure: (error) => error.message
      })
      if (problem !== undefined) return { state, problem }
      state = withSent(state, name, new Set(ids), now)
      yield* keep(state)
    }
    return { state, problem: undefined }
  })

  return { round: store.exclusively(round) }
}

/** The state without times to come, which a clock has left that was ahead: nothing would be looked at or told until then. */
const notAfter = (state: WatchState, now: number): WatchState => {
  if (state.at <= now + ahead) return state
  const past = (at: number) => (at > now ? 0 : at)
  return {
    ...state,
    at: 0,
    sentAt: Record.map(state.sentAt, (times) => times.filter((at) => at <= now)),
    instances: Record.map(state.instances, (one) => ({
      ...one,
      testedAt: past(one.testedAt),
      versionAt: past(one.versionAt),
      changesTo: past(one.changesTo)
    }))
  }
}

/** Milliseconds that a watch waits at most for the time that it was left with, as other copies may have clocks of their own. */
const ahead = 3_600_000

/** The state with the changes that every receiver has to be told which takes such ones. */
const withChanges = (
  state: WatchState,
  changes: ReadonlyArray<Change>,
  receivers: ReadonlyArray<Receiver>
): WatchState => {
  const added = changes.map((change, place): Pending => ({
    ...change,
    id: String(state.count + place + 1),
    receivers: receivers
      .filter(({ least }) => rankOf(change.incident.severity) >= rankOf(least))
      .map(({ name }) => name)
  }))
  return {
    ...state,
    count: state.count + changes.length,
    pending: [...state.pending, ...added.filter((one) => one.receivers.length > 0)]
  }
}

const withSent = (state: WatchState, name: string, ids: ReadonlySet<string>, now: number): WatchState => ({
  ...state,
  pending: state.pending.flatMap((one) => {
    const left = ids.has(one.id) ? one.receivers.filter((receiver) => receiver !== name) : one.receivers
    return left.length === 0 ? [] : [{ ...one, receivers: left }]
  }),
  sentAt: { ...state.sentAt, [name]: [...(state.sentAt[name] ?? []).filter((at) => at > now - 3_600_000), now] }
})
