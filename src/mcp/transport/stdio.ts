import {
  type Array as Arr,
  type Cause,
  Deferred,
  Effect,
  Fiber,
  FiberSet,
  Option,
  Queue,
  Result,
  Stdio,
  Stream
} from "effect"

import { makeMemory, MemoryBudget } from "../../internal/http/MemoryBudget.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import type { PageAddress, SecretForms } from "../protocol/elicitation/SecretForms.ts"
import { busy, type ProtocolError } from "../protocol/errors.ts"
import { makeInFlightRequests } from "../protocol/InFlightRequests.ts"
import type * as Message from "../protocol/Message.ts"
import { type Outcome, refused, type ServerMessage, serialize } from "../protocol/Message.ts"
import { assumed } from "../protocol/ProtocolVersion.ts"
import { Sessions } from "../protocol/Session.ts"
import { largestMessage, type Line, lines, readEdges, readMessage } from "./readMessage.ts"

/** Most requests being served or waiting; further ones are refused, so that control messages are still read. */
const mostRequests = 4096

/** Most answers that the client has not read; beyond that, no further line is read. */
const mostUnread = 16_384

/** Most lines waiting for a slow reader. */
const outbox = 16

/** Time for requests in flight when the input ends: more than any call takes, runs of workflows too. */
const drainTimeout = "330 seconds"

/** The same when the server is told to stop. */
const shutdownTimeout = "5 seconds"

interface Options {
  /**
   * Writes a line to standard output immediately, without a fiber; false if that is not possible, for example while something
   * else waits to be written. It halves the time of a single short answer.
   */
  readonly writeNow?: (line: string) => boolean
  /** Opens a page where the person enters secrets; by default they cannot. */
  readonly openPage?: (forms: SecretForms) => PageAddress
}

/**
 * Serves one client over standard input and output, one JSON message per line. When the input ends, requests in flight may
 * finish; when `until` does, before or after that, they have five seconds. Whatever is then unanswered is answered with an
 * error. Ends at once when nobody reads the output any more.
 */
export const serveStdio = (until: Effect.Effect<void> = Effect.never, options: Options = {}) => serve(until, options)

const serve = Effect.fn("serveStdio")(function* (until: Effect.Effect<void>, options: Options) {
  const { openPage = () => Effect.undefined, writeNow = () => false } = options
  const stdio = yield* Stdio.Stdio
  const outgoing = yield* Queue.bounded<string, Cause.Done>(outbox)
  const send = (outcome: Outcome) => Queue.offer(outgoing, lineOf(outcome))
  const sendMessage = (message: ServerMessage) => Queue.offer(outgoing, `${JSON.stringify(message)}\n`)
  const stopRequested = Fiber.join(yield* Effect.forkScoped(until))
  const inFlightRequests = makeInFlightRequests()
  const inputEnded = yield* Deferred.make<void>()
  const sessions = yield* Sessions
  const { isImmediate, receive } = sessions.open(assumed, sendMessage, {
    inFlightRequests,
    page: openPage(sessions.forms),
    silent: Deferred.await(inputEnded)
  })
  const serving = yield* FiberSet.make()
  const memory = makeMemory()
  let requests = 0
  let unread = 0
  const readSignal = yield* Queue.sliding<void>(1)

  /** Goes on beside the reading, whatever the other end does with its answers. */
  const runBeside = (work: Effect.Effect<unknown>, end = () => {}) => {
    unread++
    const finished = Effect.sync(() => {
      end()
      unread--
      Queue.offerUnsafe(readSignal, undefined)
    })
    return FiberSet.run(serving, Effect.ensuring(work, finished))
  }

  const answer = (message: Message.Message) =>
    Effect.flatMap(receive(message), (outcome) => (Option.isSome(outcome) ? send(outcome.value) : Effect.void))

  const answerInTurn = (message: Message.Message, bytes: number) => {
    const share = memory.open()
    if (requests >= mostRequests || !share.takeNow(bytes)) {
      return runBeside(send(refused(message._tag === "Request" ? message.id : null, busy)))
    }
    share.settle(bytes)
    requests++
    return runBeside(Effect.provideService(answer(message), MemoryBudget, share), () => {
      requests--
      share.close()
    })
  }

  let isOpen = false
  const writeAtOnce = (text: string) => isOpen && Queue.sizeUnsafe(outgoing) === 0 && writeNow(text)
  const write = (line: string): Effect.Effect<unknown> =>
    Queue.offerUnsafe(outgoing, line) ? Effect.void : runBeside(Queue.offer(outgoing, line))

  let ready: Array<string> = []
  /** Answers to lines that came together leave together. */
  const flushReady: Effect.Effect<unknown> = Effect.suspend(() => {
    if (ready.length === 0) return Effect.void
    const lines = ready
    ready = []
    const texts = inFewWrites(lines)
    return texts.length === 1 && texts.every(writeAtOnce)
      ? Effect.void
      : Effect.forEach(lines, write, { discard: true })
  })

  /** Answers at once: what follows a handshake may depend on it, even when the client does not wait for the answer. */
  const answerAtOnce = (message: Message.Message) =>
    Effect.map(receive(message), (outcome) => {
      if (Option.isSome(outcome)) ready.push(lineOf(outcome.value))
    })

  const receiveLine = (line: Line): Effect.Effect<unknown> => {
    const message = readLine(line)
    if (Result.isFailure(message)) return runBeside(send(refused(null, message.failure)))
    if (isImmediate(message.success)) return answerAtOnce(message.success)
    const inTurn = () => answerInTurn(message.success, line._tag === "Line" ? line.bytes.length : 0)
    // No answer overtakes that of a handshake before it.
    return ready.length === 0 ? inTurn() : Effect.flatMap(flushReady, inTurn)
  }

  /** No line is taken while the other end does not take its answers. */
  const receiveInTime = (line: Line) =>
    unread < mostUnread
      ? receiveLine(line)
      : flushReady.pipe(
          Effect.andThen(Effect.repeat(Queue.take(readSignal), { until: () => unread < mostUnread })),
          Effect.andThen(Effect.suspend(() => receiveLine(line)))
        )

  const receiveLines = (lines: Arr.NonEmptyReadonlyArray<Line>) =>
    Effect.andThen(
      lines.length === 1 ? receiveInTime(lines[0]) : Effect.forEach(lines, receiveInTime, { discard: true }),
      flushReady
    )

  const writing = yield* Stream.fromQueue(outgoing).pipe(
    Stream.mapArray((texts) => {
      // The writer has begun, and hears of a broken output.
      isOpen = true
      return inFewWrites(texts)
    }),
    Stream.run(stdio.stdout()),
    Effect.catch(
      Effect.fnUntraced(function* (error) {
        const code = transportCode(error)
        if (code !== undefined && !readerHasLeft.has(code)) yield* Effect.logWarning(`Standard output broke (${code})`)
      })
    ),
    Effect.forkScoped
  )
  // Requests that are stopped then may still send something, which is dropped.
  yield* Effect.addFinalizer(() => Queue.shutdown(outgoing))
  const reading = Stream.runForEachArray(lines(stdio.stdin, largestMessage), receiveLines)
  const flushing = FiberSet.awaitEmpty(serving).pipe(
    Effect.andThen(Queue.end(outgoing)),
    Effect.andThen(Fiber.join(writing)),
    Effect.timeoutOption("1 second")
  )

  yield* Effect.raceFirst(reading, stopRequested).pipe(
    Effect.andThen(flushReady),
    Effect.andThen(Deferred.succeed(inputEnded, undefined)),
    Effect.andThen(Effect.timeoutOption(FiberSet.awaitEmpty(serving), drainTimeout)),
    Effect.raceFirst(Effect.andThen(stopRequested, Effect.sleep(shutdownTimeout))),
    Effect.andThen(inFlightRequests.stop),
    Effect.andThen(flushing),
    Effect.raceFirst(Fiber.join(writing))
  )
}, Effect.scoped)

/** Codes of failed writes where the other end has gone, which is its right. */
const readerHasLeft: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "EOF"])

const lineOf = ({ response }: Outcome) => `${serialize(response)}\n`

const readLine = (line: Line): Result.Result<Message.Message, ProtocolError> =>
  line._tag === "TooLong"
    ? readEdges(line, `${line.bytes} bytes are more than ${largestMessage}`)
    : readMessage(line.bytes)

/** Lines that wait are joined up to so many characters. */
const oneWrite = 64 * 1024

/** Short lines as one text: each write of its own would cost more than most of them. */
const inFewWrites = <Texts extends ReadonlyArray<string>>(texts: Texts): Texts | readonly [string] =>
  texts.length > 1 && texts.reduce((sum, text) => sum + text.length, 0) <= oneWrite ? [texts.join("")] : texts
