import { type Cause, Deferred, Effect, Fiber, FiberSet, Option, Queue, Semaphore, Stdio, Stream } from "effect"

import { Connections } from "../protocol/Connection.ts"
import type * as Message from "../protocol/Message.ts"
import { invalidRequest } from "../protocol/ProtocolError.ts"
import { refused } from "../protocol/Response.ts"
import { assumed } from "../protocol/Revision.ts"
import { largestMessage, readMessage } from "./json.ts"
import { type Line, lines } from "./lines.ts"

/** Messages being served at once; while so many are, no further line is read. */
const places = 1024

/** Lines waiting for a slow reader at the other end. */
const outbox = 64

/** Time for what is being served when the input ends: more than any call takes. */
const patience = "60 seconds"

/** The same when the server is told to end. */
const haste = "5 seconds"

/**
 * Serves one client over standard input and output, one JSON message per line. When the input ends, what is being
 * served may finish; when `until` does, before or after that, it has five seconds. What is then still unanswered is
 * answered with an error. Ends at once when nobody reads the output any more.
 */
export const serveStdio = (until: Effect.Effect<void> = Effect.never) => serve(until)

const serve = Effect.fn("serveStdio")(function* (until: Effect.Effect<void>) {
  const stdio = yield* Stdio.Stdio
  const outgoing = yield* Queue.bounded<string, Cause.Done>(outbox)
  const send = (message: unknown) => Queue.offer(outgoing, `${JSON.stringify(message)}\n`)
  const told = Fiber.join(yield* Effect.forkScoped(until))
  const timeIsUp = yield* Deferred.make<void>()
  const { receive } = (yield* Connections).open(assumed, send, Deferred.await(timeIsUp))
  const serving = yield* FiberSet.make()
  const free = yield* Semaphore.make(places)

  const answer = (message: Message.Message) =>
    Effect.flatMap(receive(message), (outcome) => (Option.isSome(outcome) ? send(outcome.value.response) : Effect.void))

  const take = Effect.fnUntraced(
    function* (line: Line) {
      const message = yield* readLine(line)
      // What follows a handshake may depend on it, even when the client does not wait for the answer.
      if (isHandshake(message)) return yield* answer(message)
      yield* free.take(1)
      return yield* FiberSet.run(serving, Effect.ensuring(answer(message), free.release(1)))
    },
    Effect.catch((problem) => send(refused(null, problem).response))
  )

  const writing = yield* Stream.fromQueue(outgoing).pipe(Stream.run(stdio.stdout()), Effect.ignore, Effect.forkScoped)
  const reading = lines(stdio.stdin, largestMessage).pipe(Stream.interruptWhen(told), Stream.runForEach(take))
  const flushing = FiberSet.awaitEmpty(serving).pipe(
    Effect.andThen(Queue.end(outgoing)),
    Effect.andThen(Fiber.join(writing)),
    Effect.timeoutOption("1 second")
  )

  yield* reading.pipe(
    Effect.andThen(Effect.timeoutOption(FiberSet.awaitEmpty(serving), patience)),
    Effect.raceFirst(Effect.andThen(told, Effect.sleep(haste))),
    Effect.andThen(Deferred.succeed(timeIsUp, undefined)),
    Effect.andThen(flushing),
    Effect.raceFirst(Fiber.join(writing))
  )
}, Effect.scoped)

const readLine = Effect.fnUntraced(function* (line: Line) {
  if (line._tag === "TooLong") return yield* invalidRequest(`${line.bytes} bytes are more than ${largestMessage}`)
  return yield* readMessage(line.bytes)
})

const isHandshake = (message: Message.Message) => message._tag === "Request" && message.method === "initialize"
