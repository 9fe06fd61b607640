import path from "node:path"

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem } from "effect"

import { CurrentAccess } from "../../mcp/callContext.ts"
import { ResourceNotFound, type ResourceProvider } from "../../mcp/Resources.ts"
import { ToolError } from "../../mcp/ToolError.ts"
import type { Toolset } from "../../mcp/Toolset.ts"
import type { Launch } from "../configuration/Launch.ts"
import { noFollow } from "../files/fileProblems.ts"

const uri = "audit://calls"
const mimeType = "application/x-ndjson"

/** Bytes shown of the end of the log: some hundred calls. */
const shownBytes = 128 * 1024

/** The end of the audit log as a resource, for the page; only for callers that may change something. */
export const callLog = (
  { config = "" }: Pick<Launch, "config">,
  { besideConfiguration, file }: NonNullable<Launch["audit"]>
): Toolset => {
  const name = path.resolve(besideConfiguration ? path.dirname(config) : "", file)
  const read = Effect.gen(function* () {
    if (!(yield* CurrentAccess).mayChange) return yield* notForReaders
    const text = yield* endOf(name).pipe(
      Effect.provide(NodeFileSystem.layer),
      Effect.orElseSucceed(() => "")
    )
    return { uri, mimeType, text }
  })
  const resources: ResourceProvider = {
    list: [
      {
        uri,
        name: "calls",
        title: "Audit log",
        description: "The last calls that may have changed something",
        mimeType
      }
    ],
    templates: [],
    read: (requested) => (requested === uri ? read : Effect.fail(new ResourceNotFound({ uri: requested }))),
    complete: () => Effect.succeed({ values: [] })
  }
  return { name: "audit", instructions: "", tools: [], resources }
}

const notForReaders = new ToolError({
  blame: "caller",
  code: "INSUFFICIENT_SCOPE",
  message: "The audit log is shown to those who may change something: this token may only read.",
  details: {}
})

/** The last whole lines of a file. */
const endOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const handle = yield* fileSystem.open(file, { flag: "r", noFollow })
  const size = Number((yield* handle.stat).size)
  const from = Math.max(0, size - shownBytes)
  yield* handle.seek(BigInt(from), "start")
  const bytes = new Uint8Array(size - from)
  const read = yield* handle.read(bytes)
  const text = new TextDecoder().decode(bytes.subarray(0, read))
  return from === 0 ? text : text.slice(text.indexOf("\n") + 1)
}, Effect.scoped)
