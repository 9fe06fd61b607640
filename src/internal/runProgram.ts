import { Data, Duration, Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

/** A program did not end in time, or wrote too much, and was stopped with everything that it had started. */
class ProgramStopped extends Data.TaggedError("ProgramStopped")<{ readonly message: string }> {}

interface Program {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** All of its environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input?: string | undefined
  readonly deadline: Duration.Input
  /** Most bytes of one output; all that it writes, where nothing is said. */
  readonly mostBytes?: number
}

/** Time that a stopped program has to tidy up. */
const forceKillAfter = "500 millis"

/**
 * Runs a program to its end, or to its deadline: then it is stopped with all that it has started. Only the user can read what it
 * makes, except on Windows, which has no umask.
 */
export const runProgram = ({ args, cwd, deadline, env, input = "", mostBytes = Infinity, name }: Program) =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const [program, ...words] =
      process.platform === "win32" ? [name, ...args] : ["/bin/sh", "-c", 'umask 077; exec "$0" "$@"', name, ...args]
    const child = yield* spawner.spawn(
      ChildProcess.make(program, words, {
        cwd,
        env,
        extendEnv: false,
        forceKillAfter,
        stdin: { stream: Stream.make(new TextEncoder().encode(input)) }
      })
    )
    const [stdout, stderr, code] = yield* Effect.all(
      [collected(child.stdout, name, mostBytes), collected(child.stderr, name, mostBytes), child.exitCode],
      { concurrency: "unbounded" }
    )
    return { stdout, stderr, code }
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: deadline,
      orElse: () => {
        const seconds = Duration.toSeconds(Duration.fromInputUnsafe(deadline))
        return Effect.fail(
          new ProgramStopped({ message: `${name} did not end within ${seconds} seconds, and was stopped` })
        )
      }
    })
  )

const collected = <E>(stream: Stream.Stream<Uint8Array, E>, name: string, mostBytes: number) =>
  Effect.suspend(() => {
    let size = 0
    const message = `${name} wrote more than ${mostBytes} bytes, and was stopped`
    const limited = Stream.mapEffect(stream, (chunk) =>
      (size += chunk.length) > mostBytes ? Effect.fail(new ProgramStopped({ message })) : Effect.succeed(chunk)
    )
    return Effect.map(Stream.runCollect(limited), (chunks) => {
      const whole = new Uint8Array(size)
      let at = 0
      for (const chunk of chunks) {
        whole.set(chunk, at)
        at += chunk.length
      }
      return whole
    })
  })
