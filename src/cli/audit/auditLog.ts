import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { type Cause, Clock, Effect, Fiber, FileSystem, Layer, Option, Queue, Ref } from "effect"

import { Audit, type AuditEntry } from "../../mcp/callContext.ts"
import type { Launch } from "../configuration/Launch.ts"
import { lock } from "../files/fileLock.ts"
import { describe, noFollow, refuseLink } from "../files/fileProblems.ts"
import { warnOfExposure } from "../files/LineFile.ts"
import { makeCallers, type Transport } from "./callers.ts"

/** Most lines that wait while the disk cannot be written. */
const maxLines = 10_000

/** The calls to record: over this transport, with this configuration. */
interface Recorded extends Pick<Launch, "config"> {
  readonly transport: Transport
}

/**
 * Writes a line of JSON for every call that may have changed something, in the background; what waits when the server ends is
 * written first. A file that cannot be written stops no call: that is logged as an error, and retried.
 */
export const auditLog = (launch: Recorded, settings: NonNullable<Launch["audit"]>) =>
  Layer.effect(Audit, make(launch, settings)).pipe(Layer.provide(NodeFileSystem.layer))

const make = Effect.fnUntraced(function* (
  { config = "", transport }: Recorded,
  { besideConfiguration, ...settings }: NonNullable<Launch["audit"]>
) {
  const file = path.resolve(besideConfiguration ? path.dirname(config) : "", settings.file)
  const append = yield* auditFile({ ...settings, file })
  const lines = yield* Queue.dropping<string, Cause.Done>(maxLines)
  const writing = yield* Queue.takeAll(lines).pipe(
    Effect.flatMap(append),
    Effect.forever,
    Effect.ignore,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(lines), Fiber.await(writing)))
  yield* append([])

  const { caller, introduce, introduced } = makeCallers(transport)
  return {
    introduce,
    introduced,
    record: Effect.fnUntraced(function* (entry: AuditEntry) {
      const { client, ...from } = yield* caller
      const line = lineOf(entry, { transport, client: entry.client ?? client, ...from })
      if (!(yield* Queue.offer(lines, line))) {
        yield* Effect.logError(`${file} takes no more lines: a call of ${entry.tool} is not in the audit log`)
      }
    })
  }
})

/** Unknown fields are omitted. */
const lineOf = ({ startedAt, ...entry }: AuditEntry, caller: object): string =>
  `${JSON.stringify({ time: new Date(startedAt).toISOString(), ...entry, ...caller, pid: process.pid })}\n`

interface FileSettings {
  readonly file: string
  /** Maximum size of a file, unless a single batch of lines is larger. */
  readonly maxBytes: number
  /** Number of former files to keep, as `FILE.1` (the newest) and so on. */
  readonly keep: number
  /** Lines kept for the next attempt while the file cannot be written; beyond that, the oldest are lost. */
  readonly maxWaiting?: number
}

/**
 * Adds lines to a file that several processes may share, and rotates it by renaming. Lines that cannot be written are reported
 * as an error, once until the file can be written again, and retried with the next lines. Lost lines are counted, each time in
 * an error and afterwards in a line of the file.
 */
export const auditFile = Effect.fnUntraced(function* ({ file, keep, maxBytes, maxWaiting = maxLines }: FileSettings) {
  const fileSystem = yield* FileSystem.FileSystem
  const waiting = yield* Ref.make<ReadonlyArray<string>>([])
  const lost = yield* Ref.make(0)
  const isFailing = yield* Ref.make(false)

  yield* Effect.ignore(warnOfExposure(file))
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const missing = (yield* Ref.get(waiting)).length + (yield* Ref.get(lost))
      if (missing > 0) yield* Effect.logError(`The audit log ${file} ends without its last ${missing} entries`)
    })
  )

  const isFullWith = (bytes: Uint8Array) =>
    Effect.map(Effect.option(fileSystem.stat(file)), (info) => {
      const size = Option.isSome(info) ? Number(info.value.size) : 0
      return size > 0 && size + bytes.length > maxBytes
    })

  /** Two processes must not both rename: the second one finds the new file small, or the old one claimed. */
  const rotate = Effect.fnUntraced(
    function* (bytes: Uint8Array) {
      yield* lock(file)
      if (!(yield* isFullWith(bytes))) return
      for (let number = keep - 1; number >= 1; number -= 1) {
        yield* Effect.ignore(fileSystem.rename(`${file}.${number}`, `${file}.${number + 1}`))
      }
      yield* keep === 0 ? fileSystem.remove(file) : fileSystem.rename(file, `${file}.1`)
    },
    Effect.scoped,
    Effect.catch(({ message }) => Effect.logWarning(`The audit log could not be rotated: ${message}`))
  )

  const isTorn = Effect.gen(function* () {
    const handle = yield* fileSystem.open(file, { flag: "r" })
    const length = Number((yield* handle.stat).size)
    if (length === 0) return false
    yield* handle.seek(BigInt(length - 1), "start")
    const last = new Uint8Array(1)
    yield* handle.read(last)
    return last[0] !== "\n".charCodeAt(0)
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => false)
  )

  const write = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
    const bytes = new TextEncoder().encode(lines.join(""))
    yield* refuseLink(file)
    if (yield* isFullWith(bytes)) yield* rotate(bytes)
    const isBroken = yield* isTorn
    const handle = yield* fileSystem.open(file, { flag: "a", mode: 0o600, noFollow })
    if (isBroken) yield* handle.writeAll(new TextEncoder().encode("\n"))
    yield* handle.writeAll(bytes)
    yield* handle.sync
  }, Effect.scoped)

  /** Drops the oldest lines beyond the limit, and reports how many have been dropped so far. */
  const keepNewest = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
    const excess = lines.length - maxWaiting
    if (excess <= 0) return lines
    const count = yield* Ref.updateAndGet(lost, (before) => before + excess)
    yield* Effect.logError(
      `The audit log ${file} still takes no lines: its ${count} oldest entries since then are lost`
    )
    return lines.slice(excess)
  })

  const written = Effect.gen(function* () {
    yield* Ref.set(waiting, [])
    yield* Ref.set(isFailing, false)
    yield* Ref.set(lost, 0)
  })

  const refused = Effect.fnUntraced(function* (error: { readonly message: string }) {
    if (yield* Ref.getAndSet(isFailing, true)) return
    yield* Effect.logError(
      `The audit log cannot be written, calls go on without it: ${describe(file, error)} ` +
        "What is called meanwhile is written as soon as it takes lines again."
    )
  })

  return Effect.fnUntraced(function* (more: ReadonlyArray<string>) {
    const lines = yield* keepNewest([...(yield* Ref.get(waiting)), ...more])
    yield* Ref.set(waiting, lines)
    const count = yield* Ref.get(lost)
    const gap = count === 0 ? [] : [gapLine(yield* Clock.currentTimeMillis, count)]
    yield* Effect.matchEffect(write([...gap, ...lines]), { onSuccess: () => written, onFailure: refused })
  }, Effect.uninterruptible)
})

/** A line in place of missing ones. */
const gapLine = (millis: number, lostEntries: number) =>
  `${JSON.stringify({ time: new Date(millis).toISOString(), lostEntries, pid: process.pid })}\n`
