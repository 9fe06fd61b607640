import { type Readable, finished } from "node:stream"

import * as NodeSink from "@effect/platform-node/NodeSink"
import { type Array as Arr, Cause, Channel, Effect, Exit, Layer, type Pull, Scope, Stdio, Stream } from "effect"
import { type PlatformError, systemError } from "effect/PlatformError"

type Pulled = Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, PlatformError>

/**
 * Bytes by Node's own events: who waits for them has them in the turn of the event loop in which they came, two turns before
 * `NodeStream` would tell. Nothing is read while nobody waits.
 */
const pullFrom = (readable: Readable, scope: Scope.Scope): Effect.Effect<Pulled> => {
  let came: Array<Uint8Array> = []
  let end: Exit.Exit<never, Cause.Done | PlatformError> | undefined
  let waiting: ((pulled: Pulled) => void) | undefined

  const tell = (pulled: Pulled) => {
    const resume = waiting
    waiting = undefined
    resume?.(pulled)
  }
  const take = (bytes: Uint8Array) => {
    if (waiting !== undefined) return tell(Effect.succeed([bytes]))
    came.push(bytes)
    readable.pause()
  }
  const forget = finished(readable, { readable: true, writable: false }, (error) => {
    end = Exit.fail(error ? broken("stdin")(error) : Cause.Done())
    tell(end)
  })
  readable.on("data", take)

  const pull: Pulled = Effect.callback((resume) => {
    const [first, ...more] = came
    if (first !== undefined) {
      came = []
      return resume(Effect.succeed([first, ...more]))
    }
    if (end !== undefined) return resume(end)
    waiting = resume
    if (readable.isPaused()) readable.resume()
  })
  const stop = Effect.sync(() => {
    readable.off("data", take).pause()
    forget()
  })
  return Effect.as(Scope.addFinalizer(scope, stop), pull)
}

const broken = (method: "stderr" | "stdin" | "stdout") => (cause: unknown) =>
  systemError({ module: "Stdio", method, _tag: "Unknown", cause })

const written = (method: "stderr" | "stdout") => (options?: { readonly endOnDone?: boolean | undefined }) =>
  NodeSink.fromWritable({
    evaluate: () => process[method],
    onError: broken(method),
    endOnDone: options?.endOnDone ?? false
  })

/** Standard input and output of this process. */
export const layer = Layer.succeed(
  Stdio.Stdio,
  Stdio.make({
    args: Effect.sync(() => process.argv.slice(2)),
    stdin: Stream.fromChannel(
      Channel.fromTransform((_, scope) => Effect.suspend(() => pullFrom(process.stdin, scope)))
    ),
    stdout: written("stdout"),
    stderr: written("stderr")
  })
)
