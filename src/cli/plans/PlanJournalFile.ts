import { Clock, Context, Effect, Exit, Option, Ref, Schedule, Schema, Scope, Semaphore } from "effect"

import {
  type Entry,
  inMemory,
  type Journal,
  type StoredEntry,
  type MapEntries,
  readingBy,
  type UnreadableEntry
} from "../../changes/Journal.ts"
import { JournalFailed } from "../../changes/PlanError.ts"
import { BoundedCache } from "../../internal/caching.ts"
import type { KeptValues } from "../../internal/KeptValues.ts"
import { FileError } from "../files/fileProblems.ts"
import * as LineFile from "../files/LineFile.ts"
import * as ValueFile from "../files/valueFile.ts"
import { emptyOutline, expiredIn, withLine, withoutPlans } from "./expiredPlans.ts"

const failed = Effect.mapError((error: { readonly message: string }) => new JournalFailed({ problem: error.message }))

/** The codec between the entries of an upstream's plans and lines. */
export type Lines<C> = Schema.Codec<Entry<C>, unknown>

export const reading = <C>(entry: Lines<C>) => Schema.decodeUnknownOption(Schema.fromJsonString(entry))

/** The file beside a journal for actions that need no plan: such as a pause, which must not wait for anybody's apply. */
const actionsFile = (name: string) => `${name}.actions`

/** The value made of an entry, with the moment of that. */
interface Made<A> {
  readonly at: number
  readonly value: A
}

/** Plans and their progress in their order, with each action before the first entry that is later. */
const withActions = <A>(plans: ReadonlyArray<Made<A>>, actions: ReadonlyArray<Made<A>>): ReadonlyArray<Made<A>> => {
  const merged: Array<Made<A>> = []
  let next = 0
  for (const entry of plans) {
    for (let action = actions[next]; action !== undefined && action.at < entry.at; action = actions[++next]) {
      merged.push(action)
    }
    merged.push(entry)
  }
  return [...merged, ...actions.slice(next)]
}

/** The entries of a journal and of the file beside it. */
const allEntries = Effect.fnUntraced(function* <C>(name: string, lines: Lines<C>) {
  const plans = yield* reader(name, lines)
  const actions = yield* reader(actionsFile(name), lines)
  return (waiting: Effect.Effect<ReadonlyArray<Entry<C>>>): MapEntries<C> =>
    (make) =>
      Effect.gen(function* () {
        const read = yield* plans(make)
        const added = (yield* waiting).map((entry) => ({ at: entry.at, value: make(entry) }))
        return withActions([...read, ...added], yield* actions(make)).map(({ value }) => value)
      })
})

/** A line with what it says, and its length. */
interface Decoded<C> {
  readonly entry: Option.Option<Entry<C>>
  readonly length: number
}

/**
 * Characters of decoded lines that are kept for the next reading: they take several times as many bytes. Of a longer file nothing
 * is kept, as most of it would be read again all the same.
 */
const mostKept = 8 * 1024 * 1024

/** Characters of a line after which others have their turn. */
export const long = 32 * 1024

const emptyCache = <C>() => new BoundedCache<Decoded<C>>(mostKept, ({ length }) => length)

/** The current content of the file, read without locking it: whole lines in order, each decoded once unless they are many. */
const reader = <C>(name: string, lines: Lines<C>) =>
  Effect.sync(() => {
    const decodeLine = reading(lines)
    let [cache, isLong] = [emptyCache<C>(), false]

    return <A>(make: (entry: StoredEntry<C>) => A) => {
      const made: Array<Made<A>> = []
      const add = (entry: StoredEntry<C>) => made.push({ at: entry.at, value: make(entry) })
      let [number, characters] = [0, 0]
      const take = (line: string) => {
        number++
        if (line.trim() === "") return Effect.void
        characters += line.length
        const decode = () => ({ entry: decodeLine(line), length: line.length })
        const { entry } = isLong || characters > mostKept ? decode() : cache.keep(line, decode)
        add(Option.getOrElse(entry, () => unreadable(name, line, number, made.at(-1)?.at ?? 0)))
        return line.length > long ? Effect.yieldNow : Effect.void
      }
      return LineFile.eachLine(name, take).pipe(
        Effect.map(() => {
          isLong = characters > mostKept
          if (isLong) cache = emptyCache()
          return made
        }),
        Effect.catchTag("FileError", ({ message: problem }) =>
          Effect.succeed([{ at: 0, value: make({ type: "unreadable", at: 0, problem }) }])
        )
      )
    }
  })

const unreadable = (name: string, line: string, number: number, at: number): UnreadableEntry =>
  unreadableEntry(line, at, `${noEntry(name, number)}: look at it, then repair or remove it`)

/** The placeholder for a text that is not an entry, with the plan that it seems to be about. */
export const unreadableEntry = (text: string, at: number, problem: string): UnreadableEntry => {
  const [, plan_id] = /"plan_id":"([^"\\]+)"/.exec(text) ?? []
  return { type: "unreadable", at, ...(plan_id === undefined ? {} : { plan_id }), problem }
}

const noEntry = (name: string, line: number) => `line ${line} of ${name} is no entry of this journal`

/** Opens the file for writing, as long as the scope is open. A file with other content is left alone. */
const open = Effect.fnUntraced(function* <C>(name: string, entry: Lines<C>) {
  const decodeLine = reading(entry)
  const file = yield* LineFile.make(name)
  let [isEmpty, isOurs] = [true, false]
  yield* LineFile.eachLine(name, (line) =>
    Effect.sync(() => {
      isEmpty &&= line === ""
      isOurs = line !== "" && Option.isSome(decodeLine(line))
      return isOurs ? "enough" : undefined
    })
  )
  if (!isEmpty && !isOurs) {
    const message = `${noEntry(name, 1)}, and neither is any other. Move the file away, or name another one in the configuration`
    return yield* new FileError({ message })
  }
  return file
})

/** Bytes of a journal below which its expired plans do no harm. */
const worthwhile = 256 * 1024

interface Held {
  readonly file: LineFile.LineFile
  readonly scope: Scope.Closeable
  readonly users: number
}

/** Other processes hold the journal briefly when they add a plan, and for longer only while they apply one. */
export const whileInUse = Schedule.max([Schedule.spaced("100 millis"), Schedule.recurs(20)])

const busy = ({ message }: FileError) =>
  new FileError({
    message: `${message} Another server works in it, as while it applies a plan: call again when that is done`,
    inUse: true
  })

/**
 * The journal of plans in a file of JSON lines, written to the disk before anything is sent. It is locked only while something
 * is written, or while it is held; actions lie in a file of their own beside it.
 */
export const make = Effect.fnUntraced(function* <C>(name: string, lines: Lines<C>) {
  const mapped = yield* allEntries(name, lines)
  const encode = Schema.encodeEffect(Schema.fromJsonString(lines))
  /** Plans that wait until another process releases the file. */
  const waiting = yield* Ref.make<ReadonlyArray<Entry<C>>>([])
  /** Plans that have expired would be read with every plan that is made. */
  const dropExpired = Effect.fnUntraced(function* (file: LineFile.LineFile) {
    if (file.length < worthwhile) return
    let outline = emptyOutline()
    const take = (line: string) =>
      Effect.sync(() => {
        outline = withLine(outline, line)
      })
    yield* LineFile.eachLine(name, take)
    const expired = expiredIn(outline, yield* Clock.currentTimeMillis)
    if (expired !== undefined) yield* file.replace(withoutPlans(yield* file.lines, expired))
  })

  const mutex = yield* Semaphore.make(1)
  const held = yield* Ref.make<Held | undefined>(undefined)

  const write = (file: LineFile.LineFile, entry: Entry<C>) => Effect.flatMap(Effect.orDie(encode(entry)), file.append)

  const claimed = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const opened = Effect.gen(function* () {
      const file = yield* open(name, lines)
      for (const entry of yield* Ref.get(waiting)) {
        yield* write(file, entry)
        yield* Ref.update(waiting, (entries) => entries.slice(1))
      }
      yield* dropExpired(file)
      return file
    })
    const file = yield* Effect.onError(Scope.provide(opened, scope), () => Scope.close(scope, Exit.void))
    return { file, scope, users: 0 }
  }).pipe(
    Effect.retry({ schedule: whileInUse, while: ({ inUse }) => inUse === true }),
    Effect.mapError((error) => (error.inUse === true ? busy(error) : error))
  )

  const acquire = mutex.withPermit(
    Effect.gen(function* () {
      const now = (yield* Ref.get(held)) ?? (yield* claimed)
      yield* Ref.set(held, { ...now, users: now.users + 1 })
      return now.file
    })
  )

  const release = mutex.withPermit(
    Effect.gen(function* () {
      const now = yield* Ref.get(held)
      if (now === undefined) return
      const users = now.users - 1
      yield* Ref.set(held, users === 0 ? undefined : { ...now, users })
      if (users === 0) yield* Scope.close(now.scope, Exit.void)
    })
  )

  const actionsMutex = yield* Semaphore.make(1)
  const appendAction = (entry: Entry<C>) => {
    const written = Effect.scoped(Effect.flatMap(open(actionsFile(name), lines), (file) => write(file, entry)))
    const retried = Effect.retry(written, { schedule: whileInUse, while: ({ inUse }) => inUse === true })
    return failed(Effect.uninterruptible(actionsMutex.withPermit(retried)))
  }

  const append = (...entries: ReadonlyArray<Entry<C>>) => {
    const [first] = entries
    if (entries.length === 1 && first?.type === "action") return appendAction(first)
    const written = Effect.acquireUseRelease(
      acquire,
      (file) => Effect.forEach(entries, (entry) => write(file, entry), { discard: true }),
      () => release
    )
    const later = Ref.update(waiting, (before) => [...before, ...entries])
    // A plan changes nothing yet, so it need not wait for others.
    const mayWait = ({ inUse }: FileError) => inUse === true && entries.every(isOfPlan)
    return failed(Effect.uninterruptible(Effect.catchIf(written, mayWait, () => later)))
  }

  const journal: Journal<C> = {
    append,
    ...readingBy(mapped(Ref.get(waiting))),
    hold: (work) =>
      Effect.acquireUseRelease(
        failed(acquire),
        () => work,
        () => release
      )
  }
  return journal
})

/** The same file if nothing may be written: it is read, and plans made here are lost with the process. */
const makeReading = Effect.fnUntraced(function* <C>(name: string, lines: Lines<C>) {
  return yield* besideMemory((yield* allEntries(name, lines))(Effect.succeed([])))
})

/** A journal that is only read, followed by the plans made here. */
export const besideMemory = Effect.fnUntraced(function* <C>(read: MapEntries<C>) {
  const memory = yield* inMemory<C>()
  const both: MapEntries<C> = (make) =>
    Effect.zipWith(read(make), memory.mapEntries(make), (kept, added) => [...kept, ...added])
  const journal: Journal<C> = { ...memory, ...readingBy(both) }
  return journal
})

/** Whether an entry belongs to a new plan. */
const isOfPlan = <C>({ type }: Entry<C>): boolean => type === "planned" || type === "steps"

/** The problem with writing the file; undefined if it can be written, or another process only uses it just now. */
const problemWith = <C>(file: string, lines: Lines<C>): Effect.Effect<string | undefined> =>
  Effect.scoped(open(file, lines)).pipe(
    Effect.as(undefined),
    Effect.catch(({ inUse, message }) => Effect.succeed(inUse === true ? undefined : message))
  )

/** The stores of journals of plans: each in its file, unless several servers share them. */
export const Journals = Context.Reference<{
  readonly make: <C>(file: string, lines: Lines<C>) => Effect.Effect<Journal<C>>
  /** The same journal if nothing may be written: plans are lost with the process. */
  readonly makeReading: <C>(file: string, lines: Lines<C>) => Effect.Effect<Journal<C>>
  /** Values that are kept beside a journal: what they are worth is decided by whoever reads them. */
  readonly values: (file: string) => Effect.Effect<KeptValues>
  /** The problem with writing it; undefined if there is none. */
  readonly problemWith: <C>(file: string, lines: Lines<C>) => Effect.Effect<string | undefined>
}>("workflow-tool-server/cli/Journals", {
  defaultValue: () => ({ make, makeReading, values: ValueFile.make, problemWith })
})
