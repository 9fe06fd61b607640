import { type Cause, Effect, Fiber, FiberSet, Option, Queue, Semaphore, Stdio, Stream } from "effect"

import { Connections } from "../protocol/Connection.ts"
import * as Message from "../protocol/Message.ts"
import { invalidRequest } from "../protocol/ProtocolError.ts"
import { refused } from "../protocol/Response.ts"
import { assumed } from "../protocol/Revision.ts"
import { largestMessage, readJson } from "./json.ts"
import { type Line, lines } from "./lines.ts"

/** Messages being served at once; while so many are, no further line is read. */
const places = 1024

/** Lines waiting for a slow reader at the other end. */
const outbox = 64

const patience = "5 seconds"

/**
 * Serves one client over standard input and output, one JSON message per line. Ends when the input ends, when `until`
 * does, or when nobody reads the output any more; what is still being served then has five seconds to be answered.
 */
export const serveStdio = (until: Effect.Effect<void> = Effect.never) => serve(until)

const serve = Effect.fn("serveStdio")(function* (until: Effect.Effect<void>) {
  const stdio = yield* Stdio.Stdio
  const outgoing = yield* Queue.bounded<string, Cause.Done>(outbox)
  const send = (message: unknown) => Queue.offer(outgoing, `${JSON.stringify(message)}\n`)
  const { receive } = (yield* Connections).open(assumed, send)
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
  const reading = lines(stdio.stdin, largestMessage).pipe(Stream.interruptWhen(until), Stream.runForEach(take))
  const answering = Effect.timeoutOption(FiberSet.awaitEmpty(serving), patience)
  const flushing = Effect.andThen(Queue.end(outgoing), Effect.timeoutOption(Fiber.join(writing), "1 second"))

  yield* reading.pipe(Effect.andThen(answering), Effect.andThen(flushing), Effect.raceFirst(Fiber.join(writing)))
}, Effect.scoped)

const readLine = Effect.fnUntraced(function* (line: Line) {
  if (line._tag === "TooLong") return yield* invalidRequest(`${line.bytes} bytes are more than ${largestMessage}`)
  return Message.read(yield* readJson(line.bytes))
})

const isHandshake = (message: Message.Message) => message._tag === "Request" && message.method === "initialize"
