import { existsSync } from "node:fs"
import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Console, Effect, FileSystem } from "effect"

import { ConfigurationError } from "../internal/config/ConfigurationError.ts"
import * as Message from "../mcp/protocol/Message.ts"
import { modern, versionKey } from "../mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../mcp/protocol/Session.ts"
import type { Options } from "./configuration/flags.ts"

/** Whether a program is in the path of this process. */
const isInstalled = (program: string): boolean => {
  const name = process.platform === "win32" ? `${program}.exe` : program
  return (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, name)))
}

/** Folders of demonstrations, which name their process, so that those of killed ones are known. */
const prefix = "workflow-tool-server-demo-"

const isRunning = (pid: number) =>
  Effect.match(
    Effect.try(() => process.kill(pid, 0)),
    { onFailure: ({ cause }) => String(cause).includes("EPERM"), onSuccess: () => true }
  )

/** Removes what killed demonstrations have left. */
const removeLeft = Effect.fnUntraced(function* (places: string) {
  const fileSystem = yield* FileSystem.FileSystem
  for (const name of yield* fileSystem.readDirectory(places)) {
    const [, pid] = /^workflow-tool-server-demo-(\d{1,10})-/.exec(name) ?? []
    if (pid === undefined || (yield* isRunning(Number(pid)))) continue
    yield* Effect.ignore(fileSystem.remove(path.join(places, name), { recursive: true }))
  }
})

/** A folder that only this user can read, and that is gone when the process ends. */
const ownFolder = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const folder = yield* Effect.acquireRelease(
    fileSystem.makeTempDirectory({ prefix: `${prefix}${process.pid}-` }),
    (made) => Effect.ignore(fileSystem.remove(made, { recursive: true, force: true }))
  )
  yield* Effect.ignore(removeLeft(path.dirname(folder)))
  return folder
}).pipe(
  Effect.provide(NodeFileSystem.layer),
  Effect.mapError(
    ({ message }) =>
      new ConfigurationError({ message: `--demo: no folder could be made for what it keeps: ${message}` })
  )
)

/** The options of a demonstration: what it keeps lies in a folder of its own. */
export const demoOptions = Effect.fnUntraced(function* (options: Options) {
  const folder = yield* ownFolder
  const hasGit = isInstalled("git")
  yield* Console.error(
    "This is a demonstration: two engines of a small company, staging and production, in this process. " +
      "Everything is gone when it ends."
  )
  if (!hasGit && options.history === undefined) {
    yield* Console.error(
      "git is not installed, so that no history of workflows is kept. Changes are undone by their plans, and by the versions that the engines keep."
    )
  }
  return {
    ...options,
    embedded: { file: undefined, folder },
    toolsets: [...new Set([...(options.toolsets ?? []), "operator" as const])],
    audit: options.audit ?? path.join(folder, "audit.jsonl"),
    history: options.history ?? (hasGit ? path.join(folder, "history") : undefined)
  }
})

/** Calls that an assistant might have made: two changes that can be taken back, and a plan that waits for a person. */
const assistantsCalls = [
  {
    name: "edit_workflow",
    reason: "more reminders",
    arguments: {
      id: "Abandoned carts",
      operations: [{ op: "set", node: "Worth a reminder", path: "conditions.conditions[0].rightValue", value: 2 }]
    }
  },
  {
    name: "edit_workflow",
    reason: "returns have a channel of their own",
    arguments: {
      id: "Returned goods",
      operations: [{ op: "replace", node: "Tell support", find: "#support", value: "#returns" }]
    }
  },
  {
    name: "plan_bulk",
    reason: "alerts go to #ops",
    arguments: { action: ["replace_text"], find: "#alerts", value: "#ops" }
  }
]

/** Makes these calls as a client of this server, so that the page has changes to show. */
export const assistantAtWork = Effect.gen(function* () {
  const { receive } = (yield* Sessions).open(modern, () => Effect.void)
  for (const { reason, ...params } of assistantsCalls) {
    const _meta = {
      [versionKey]: modern.date,
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "Assistant", version: "1" },
      "workflow-tool-server/reason": reason
    }
    yield* receive(Message.read({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta } }))
  }
})
