import { Effect, Exit, Option, Ref, Schedule, Schema, Scope, Semaphore } from "effect"

import { type Entry, inMemory, type Journal, type Kept, type UnreadableEntry } from "../../changes/Journal.ts"
import { JournalFailed } from "../../changes/PlanError.ts"
import { FileError } from "../files/fileProblems.ts"
import * as LineFile from "../files/LineFile.ts"

const failed = Effect.mapError((error: { readonly message: string }) => new JournalFailed({ problem: error.message }))

/** How the entries of an upstream's plans are encoded as lines. */
export type Lines<C> = Schema.Codec<Entry<C>, unknown>

export const reading = <C>(entry: Lines<C>) => Schema.decodeUnknownOption(Schema.fromJsonString(entry))

/** The current content of the file, read without locking it: whole lines in order, each decoded once. */
const reader = Effect.fnUntraced(function* <C>(name: string, lines: Lines<C>) {
  const decodeLine = reading(lines)
  const decoded = yield* Ref.make<ReadonlyMap<string, Option.Option<Entry<C>>>>(new Map())

  return Effect.gen(function* () {
    const lines = yield* LineFile.readLines(name)
    const before = yield* Ref.get(decoded)
    const known = new Map(lines.map((line) => [line, before.get(line) ?? decodeLine(line)]))
    yield* Ref.set(decoded, known)
    const kept: Array<Kept<C>> = []
    for (const [index, line] of lines.entries()) {
      if (line.trim() === "") continue
      const entry = known.get(line) ?? Option.none()
      kept.push(Option.getOrElse(entry, () => unreadable(name, line, index + 1, kept.at(-1)?.at ?? 0)))
    }
    return kept
  }).pipe(
    Effect.catchTag("FileError", ({ message }) =>
      Effect.succeed<ReadonlyArray<Kept<C>>>([{ type: "unreadable", at: 0, problem: message }])
    )
  )
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
  const lines = yield* file.lines
  if (lines.length > 0 && lines.every((line) => Option.isNone(decodeLine(line)))) {
    const message = `${noEntry(name, 1)}, and neither is any other. Move the file away, or name another one in the configuration`
    return yield* new FileError({ message })
  }
  return file
})

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
 * is written, or while it is held.
 */
export const make = Effect.fnUntraced(function* <C>(name: string, lines: Lines<C>) {
  const read = yield* reader(name, lines)
  const encode = Schema.encodeEffect(Schema.fromJsonString(lines))
  /** Plans that wait until another process releases the file. */
  const waiting = yield* Ref.make<ReadonlyArray<Entry<C>>>([])
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

  const append = (entry: Entry<C>) => {
    const written = Effect.acquireUseRelease(
      acquire,
      (file) => write(file, entry),
      () => release
    )
    const later = Ref.update(waiting, (entries) => [...entries, entry])
    // A plan changes nothing yet, so it need not wait for others.
    const isPatient = ({ inUse }: FileError) => inUse === true && entry.type === "planned"
    return failed(Effect.uninterruptible(Effect.catchIf(written, isPatient, () => later)))
  }

  const journal: Journal<C> = {
    append,
    entries: Effect.zipWith(read, Ref.get(waiting), (kept, more) => [...kept, ...more]),
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
export const makeReading = Effect.fnUntraced(function* <C>(name: string, lines: Lines<C>) {
  return yield* besideMemory(yield* reader(name, lines))
})

/** A journal that is only read, followed by the plans made here. */
export const besideMemory = Effect.fnUntraced(function* <C>(read: Journal<C>["entries"]) {
  const memory = yield* inMemory<C>()
  const journal: Journal<C> = {
    ...memory,
    entries: Effect.zipWith(read, memory.entries, (kept, own) => [...kept, ...own])
  }
  return journal
})

/** Why the file cannot be written; undefined if it can, or another process only uses it just now. */
export const problemWith = <C>(file: string, lines: Lines<C>): Effect.Effect<string | undefined> =>
  Effect.scoped(open(file, lines)).pipe(
    Effect.as(undefined),
    Effect.catch(({ inUse, message }) => Effect.succeed(inUse === true ? undefined : message))
  )
