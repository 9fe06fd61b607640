import { Effect, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

/** A `git` command failed. */
export class GitError extends Schema.TaggedError<GitError>()("GitError", {
  /** What it printed, or why it could not be started. */
  message: Schema.String
}) {}

/** The `git` program on one repository; fails if the exit code is not 0. */
export interface Git {
  /** The output of the command. */
  readonly bytes: (args: ReadonlyArray<string>, input?: string) => Effect.Effect<Uint8Array, GitError>
  /** The same as text. */
  readonly text: (args: ReadonlyArray<string>, input?: string) => Effect.Effect<string, GitError>
}

/** Ignores the user's own settings, hooks and language, and never prompts. */
const settings = [
  "core.quotePath=false",
  "core.fsync=committed,reference",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.autocrlf=false",
  "gc.autoDetach=false"
].flatMap((setting) => ["-c", setting])

/** Longest time for a command; updating a work tree on a slow disk takes long. */
const longest = "2 minutes"

/**
 * The program on the repository in this folder, never on one above it. `environment` is added to its environment, which
 * contains nothing of this process's own, such as keys.
 */
export const make = (
  directories: { readonly gitDirectory: string; readonly workTree: string },
  environment: Readonly<Record<string, string | undefined>>
) =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const env = {
      ...environment,
      GIT_DIR: directories.gitDirectory,
      GIT_WORK_TREE: directories.workTree,
      GIT_TERMINAL_PROMPT: "0",
      GIT_OPTIONAL_LOCKS: "0",
      LC_ALL: "C"
    }

    const bytes = Effect.fnUntraced(
      function* (args: ReadonlyArray<string>, input = "") {
        const process = yield* spawner.spawn(
          ChildProcess.make("git", [...settings, ...args], {
            cwd: directories.workTree,
            env,
            extendEnv: false,
            stdin: { stream: Stream.make(new TextEncoder().encode(input)) }
          })
        )
        const [written, said, code] = yield* Effect.all(
          [collected(process.stdout), collected(process.stderr), process.exitCode],
          { concurrency: "unbounded" }
        )
        if (code === 0) return written
        return yield* new GitError({ message: decoder.decode(said).trim() || `${silently} ${code}` })
      },
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: longest,
        orElse: () => Effect.fail(new GitError({ message: `git took longer than ${longest}` }))
      }),
      Effect.catchTag("PlatformError", (error) => Effect.fail(new GitError({ message: inWords(error) })))
    )
    const text = (args: ReadonlyArray<string>, input?: string) =>
      Effect.map(bytes(args, input), (written) => decoder.decode(written))
    return { bytes, text } satisfies Git
  })

/** Whether the program failed without output, as it does to answer a question with no. */
export const saidNothing = ({ message }: GitError): boolean => message.startsWith(silently)

const silently = "git ended with code"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const collected = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(stream), (chunks) => {
    const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const chunk of chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    return whole
  })

const inWords = ({ message }: { readonly message: string }) =>
  /ENOENT|NotFound/.test(message) ? `the program git could not be started: ${message}` : message
