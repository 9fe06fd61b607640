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

import { MemoryBudget } from "../../internal/http/MemoryBudget.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import * as InFlightRequests from "../protocol/InFlightRequests.ts"
import type * as Message from "../protocol/Message.ts"
import { busy, type ProtocolError } from "../protocol/ProtocolError.ts"
import { assumed } from "../protocol/ProtocolVersion.ts"
import { type Outcome, refused, type ServerMessage, written } from "../protocol/Response.ts"
import { Sessions } from "../protocol/Session.ts"
import { largestMessage, readEdges, readMessage } from "./json.ts"
import { type Line, lines } from "./lines.ts"
import * as Memory from "./memory.ts"

/** Requests being served or waiting for their turn; further ones are refused, so that what controls them is still read. */
const mostRequests = 4096

/** Answers that the other end has not taken; while there are so many, no further line is read. */
const mostUntaken = 16_384

/** Lines waiting for a slow reader at the other end. */
const outbox = 16

/** Time for what is being served when the input ends: more than any call takes. */
const drainTimeout = "60 seconds"

/** The same when the server is told to end. */
const shutdownTimeout = "5 seconds"

export interface Options {
  /**
   * Writes a line to standard output now, without a fiber between; false where it does not, such as while something else waits
   * to be written. Whoever waits for a short answer alone has it in half of the time.
   */
  readonly writeNow?: (line: string) => boolean
}

/**
 * Serves one client over standard input and output, one JSON message per line. When the input ends, what is being
 * served may finish; when `until` does, before or after that, it has five seconds. What is then still unanswered is
 * answered with an error. Ends at once when nobody reads the output any more.
 */
export const serveStdio = (until: Effect.Effect<void> = Effect.never, options: Options = {}) => serve(until, options)

const serve = Effect.fn("serveStdio")(function* (until: Effect.Effect<void>, { writeNow = () => false }: Options) {
  const stdio = yield* Stdio.Stdio
  const outgoing = yield* Queue.bounded<string, Cause.Done>(outbox)
  const send = (outcome: Outcome) => Queue.offer(outgoing, lineOf(outcome))
  const tell = (message: ServerMessage) => Queue.offer(outgoing, `${JSON.stringify(message)}\n`)
  const told = Fiber.join(yield* Effect.forkScoped(until))
  const inFlightRequests = InFlightRequests.make()
  const inputEnded = yield* Deferred.make<void>()
  const { isImmediate, receive } = (yield* Sessions).open(assumed, tell, {
    inFlightRequests,
    silent: Deferred.await(inputEnded)
  })
  const serving = yield* FiberSet.make()
  const memory = Memory.make()
  let requests = 0
  let untaken = 0
  const taken = yield* Queue.sliding<void>(1)

  /** Goes on beside the reading, whatever the other end does with its answers. */
  const aside = (work: Effect.Effect<unknown>, end = () => {}) => {
    untaken++
    const ended = Effect.sync(() => {
      end()
      untaken--
      Queue.offerUnsafe(taken, undefined)
    })
    return FiberSet.run(serving, Effect.ensuring(work, ended))
  }

  const answer = (message: Message.Message) =>
    Effect.flatMap(receive(message), (outcome) => (Option.isSome(outcome) ? send(outcome.value) : Effect.void))

  const answerInTurn = (message: Message.Message, bytes: number) => {
    const share = memory.open()
    if (requests >= mostRequests || !share.takeNow(bytes)) {
      return aside(send(refused(message._tag === "Request" ? message.id : null, busy)))
    }
    share.settle(bytes)
    requests++
    return aside(Effect.provideService(answer(message), MemoryBudget, share), () => {
      requests--
      share.close()
    })
  }

  let isOpen = false
  /** Answers of several lines that came together leave together. */
  const leave = (line: string, isAlone: boolean) =>
    (isAlone && isOpen && Queue.sizeUnsafe(outgoing) === 0 && writeNow(line)) || Queue.offerUnsafe(outgoing, line)

  /** What follows a handshake may depend on it, even when the client does not wait for the answer. */
  const answerAtOnce = (message: Message.Message, isAlone: boolean) =>
    Effect.flatMap(receive(message), (outcome) =>
      Option.isNone(outcome) || leave(lineOf(outcome.value), isAlone) ? Effect.void : aside(send(outcome.value))
    )

  const take = (line: Line, isAlone: boolean): Effect.Effect<unknown> => {
    const message = readLine(line)
    if (Result.isFailure(message)) return aside(send(refused(null, message.failure)))
    return isImmediate(message.success)
      ? answerAtOnce(message.success, isAlone)
      : answerInTurn(message.success, line._tag === "Line" ? line.bytes.length : 0)
  }

  /** No line is taken while the other end does not take its answers. */
  const takeInTime = (line: Line, isAlone: boolean) =>
    untaken < mostUntaken
      ? take(line, isAlone)
      : Effect.andThen(
          Effect.repeat(Queue.take(taken), { until: () => untaken < mostUntaken }),
          Effect.suspend(() => take(line, isAlone))
        )

  const takeAll = (found: Arr.NonEmptyReadonlyArray<Line>) =>
    found.length === 1
      ? takeInTime(found[0], true)
      : Effect.forEach(found, (line) => takeInTime(line, false), { discard: true })

  const writing = yield* Stream.fromQueue(outgoing).pipe(
    Stream.mapArray((texts) => {
      // Whoever writes has begun to, and hears of a broken output.
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
  // What is stopped then may have something left to say, which nobody takes.
  yield* Effect.addFinalizer(() => Queue.shutdown(outgoing))
  const reading = Stream.runForEachArray(lines(stdio.stdin, largestMessage), takeAll)
  const flushing = FiberSet.awaitEmpty(serving).pipe(
    Effect.andThen(Queue.end(outgoing)),
    Effect.andThen(Fiber.join(writing)),
    Effect.timeoutOption("1 second")
  )

  yield* Effect.raceFirst(reading, told).pipe(
    Effect.andThen(Deferred.succeed(inputEnded, undefined)),
    Effect.andThen(Effect.timeoutOption(FiberSet.awaitEmpty(serving), drainTimeout)),
    Effect.raceFirst(Effect.andThen(told, Effect.sleep(shutdownTimeout))),
    Effect.andThen(inFlightRequests.stop),
    Effect.andThen(flushing),
    Effect.raceFirst(Fiber.join(writing))
  )
}, Effect.scoped)

/** How writing fails where the other end has gone, which is its right. */
const readerHasLeft: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "EOF"])

const lineOf = ({ response }: Outcome) => `${written(response)}\n`

const readLine = (line: Line): Result.Result<Message.Message, ProtocolError> =>
  line._tag === "TooLong"
    ? readEdges(line, `${line.bytes} bytes are more than ${largestMessage}`)
    : readMessage(line.bytes)

/** Characters up to which lines that wait for each other are written as one. */
const oneWrite = 64 * 1024

/** Short lines as one text: each write of its own would cost more than most of them. */
const inFewWrites = (texts: Arr.NonEmptyReadonlyArray<string>): Arr.NonEmptyReadonlyArray<string> =>
  texts.length > 1 && texts.reduce((sum, text) => sum + text.length, 0) <= oneWrite ? [texts.join("")] : texts
