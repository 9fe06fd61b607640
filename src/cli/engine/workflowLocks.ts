import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect } from "effect"

import type { Coordination } from "../../internal/http/Coordination.ts"
import type { FileError } from "../files/fileProblems.ts"
import { homeless, stateFolder } from "../files/homeFolders.ts"
import { processLocks } from "../files/processLocks.ts"

/**
 * Locks of workflows against the other servers of this user on this machine. Without a folder for them changes go on, and it is
 * logged once that nothing keeps them apart, unless a shared Redis does.
 */
export const workflowLocks = Effect.fnUntraced(function* ({ isShared }: { readonly isShared: boolean }) {
  let isTold = isShared
  const unprotected = ({ message }: Pick<FileError, "message">) =>
    Effect.suspend(() => {
      if (isTold) return Effect.void
      isTold = true
      return Effect.logWarning(`${unlocked}: ${message}`)
    })
  const state = stateFolder()
  if (state !== undefined) return yield* processLocks(path.join(state, `locks${user()}`), unprotected)
  yield* unprotected({ message: `${homeless("XDG_STATE_HOME")}.` })
  const withoutLock: (typeof Coordination)["Service"]["withLock"] = (_, self) => self
  return withoutLock
}, Effect.provide(NodeFileSystem.layer))

const unlocked =
  "Changes of workflows are not locked against other servers of this user on this machine, which may overwrite each other's"

/** Whoever works in another user's home has claims that this user cannot ask. */
const user = () => (process.getuid === undefined ? "" : `-${process.getuid()}`)
