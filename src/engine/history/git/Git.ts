import { type Duration, Effect, Schedule, Schema } from "effect"
import { ChildProcessSpawner } from "effect/process"

import { runProgram } from "../../../internal/runProgram.ts"

/** A `git` command failed. */
export class GitError extends Schema.TaggedError<GitError>()("GitError", {
  /** The output of the command, or the reason for which it could not be started. */
  message: Schema.String
}) {}

/** The `git` program on one repository; fails if the exit code is not 0. */
export interface Git {
  /** The output of the command. */
  readonly bytes: (args: ReadonlyArray<string>, more?: More) => Effect.Effect<Uint8Array, GitError>
  /** The same as text. */
  readonly text: (args: ReadonlyArray<string>, more?: More) => Effect.Effect<string, GitError>
}

interface More {
  readonly input?: string
  readonly deadline?: Duration.Input
}

/** Runs no hooks and no programs of a configuration, fetches nothing, and never prompts. */
const settings = [
  "core.quotePath=false",
  "core.fsync=committed,reference",
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  "core.fsmonitor=false",
  "core.autocrlf=false",
  "protocol.allow=never",
  "safe.bareRepository=all",
  "gc.autoDetach=false",
  // Nobody's own settings count here, so nothing is removed that they may keep.
  "gc.pruneExpire=never",
  "gc.reflogExpire=never",
  "gc.reflogExpireUnreachable=never",
  "gc.worktreePruneExpire=never"
]
  .flatMap((setting) => ["-c", setting])
  .concat("--literal-pathspecs")

/** Callers wait for most commands. */
const usualDeadline = "20 seconds"

/** Updating a work tree on a slow disk and packing take long. */
export const longDeadline = "2 minutes"

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of git where no settings but those of its git directory count. */
export const withoutSettings: Environment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1"
}

/** The program in a folder. `environment` is its environment, which contains nothing of this process's own, such as keys. */
export const make = (cwd: string, environment: Environment) =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const env = {
      ...environment,
      GIT_NO_LAZY_FETCH: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_OPTIONAL_LOCKS: "0",
      LC_ALL: "C"
    }

    const bytes = Effect.fnUntraced(
      function* (args: ReadonlyArray<string>, { deadline = usualDeadline, input }: More = {}) {
        const { code, stderr, stdout } = yield* runProgram({
          name: "git",
          args: [...settings, ...args],
          cwd,
          env,
          input,
          deadline
        })
        if (code === 0) return stdout
        const said = decoder.decode(stderr).trim()
        if (code === noProgram) return yield* new GitError({ message: `${notStarted}: ${said}` })
        return yield* new GitError({ message: said || `${silently} ${code}` })
      },
      Effect.catchTag(["PlatformError", "ProgramStopped"], ({ message }) =>
        Effect.fail(new GitError({ message: /ENOENT|NotFound/.test(message) ? `${notStarted}: ${message}` : message }))
      ),
      Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
    )
    const text = (args: ReadonlyArray<string>, more?: More) =>
      Effect.map(bytes(args, more), (written) => decoder.decode(written))
    return { bytes, text } satisfies Git
  })

/** The exit code of a shell that finds no program of that name. */
const noProgram = 127

const notStarted = "the program git could not be started"

/** Whether the program failed without output, as it does to answer a question with no. */
export const saidNothing = ({ message }: GitError): boolean => message.startsWith(silently)

const silently = "git ended with code"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Another process was faster, or is writing right now. */
const isRace = ({ message }: GitError) =>
  /Not updating|cannot lock ref|could not lock config|reference already exists|index\.lock/.test(message) ||
  message.split("refs/").some((part, place) => place > 0 && part.split("\n", 1)[0]?.includes(".lock"))

/** Retries, for half a second, while another process on the same repository is in the way. */
export const retryRaces = <A, R>(self: Effect.Effect<A, GitError, R>): Effect.Effect<A, GitError, R> =>
  Effect.retry(self, { while: isRace, schedule: Schedule.jittered(Schedule.spaced("50 millis")), times: 12 })
