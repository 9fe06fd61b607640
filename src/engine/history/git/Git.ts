import { Effect, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

/** The `git` program could not do what it was asked. */
export class GitError extends Schema.TaggedError<GitError>()("GitError", {
  /** What it said, or why it could not be started. */
  message: Schema.String
}) {}

/** The `git` program on one repository; it fails where it ends with another code than 0. */
export interface Git {
  /** What the program writes. */
  readonly bytes: (args: ReadonlyArray<string>, input?: string) => Effect.Effect<Uint8Array, GitError>
  /** The same as text. */
  readonly text: (args: ReadonlyArray<string>, input?: string) => Effect.Effect<string, GitError>
}

/** Nothing of the caller's own settings, hooks or language, and no question to a person. */
const settings = [
  "core.quotePath=false",
  "core.fsync=committed,reference",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.autocrlf=false",
  "gc.autoDetach=false"
].flatMap((setting) => ["-c", setting])

/** Longest time that the program may take; a work tree on a slow disk takes long. */
const longest = "2 minutes"

/**
 * The program on the repository in this folder, never on one above it. `environment` is what else it should find in its
 * environment: what this process has there, keys too, is none of its business.
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

/** Whether the program ended in failure without a word, as it does where a question is answered with no. */
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
