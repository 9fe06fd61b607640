import { Effect, Schedule } from "effect"

import type { GitError } from "./Git.ts"

/** Another process was faster, or is writing right now. */
const isRace = ({ message }: GitError) =>
  /Not updating|cannot lock ref|could not lock config|reference already exists|index\.lock/.test(message) ||
  message.split("refs/").some((part, place) => place > 0 && part.split("\n", 1)[0]?.includes(".lock"))

/** Retries, for half a second, while another process on the same repository is in the way. */
export const retryRaces = <A, R>(self: Effect.Effect<A, GitError, R>): Effect.Effect<A, GitError, R> =>
  Effect.retry(self, { while: isRace, schedule: Schedule.jittered(Schedule.spaced("50 millis")), times: 12 })
