import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import { EmbeddedEngine, type Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { probeDifferences } from "../engine/embedded/known-differences.ts"

const material = fileURLToPath(new URL("../../../shared/engine", import.meta.url))

const Transcript = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ title: Schema.String, status: Schema.Int, type: Schema.String, body: Schema.Unknown }))
)

const readTranscript = (file: string) =>
  Effect.flatMap(
    Effect.promise(() => readFile(file, "utf8")),
    Schema.decodeUnknownEffect(Transcript)
  )

/** Serves an embedded engine on a free port, and tells its URL. */
const served = Effect.fnUntraced(function* (version: Version) {
  const routes = Layer.unwrap(EmbeddedEngine.use((engine) => Effect.succeed(engine.routes)))
  const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(EmbeddedEngine.layer({ version })),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )
  return yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provide(yield* Layer.build(server)))
})

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "probe-"))),
  (dir) => Effect.promise(() => rm(dir, { recursive: true, force: true }))
)

describe.skipIf(!existsSync(material))("the probe", () => {
  for (const version of ["1.82.3", "2.41.1"] as const) {
    it.live(`gets from the embedded ${version} what it got from the real one`, () =>
      Effect.gen(function* () {
        const host = yield* served(version)
        const out = path.join(yield* folder, "answers.json")
        const args = [path.join(material, "probe-engine.mjs"), "--host", host, "--key", "embedded", "--out", out]
        yield* Effect.promise(() => promisify(execFile)(process.execPath, args))

        const real = yield* readTranscript(path.join(material, "transcripts", `${version}.json`))
        const embedded = yield* readTranscript(out)
        assert.strictEqual(embedded.length, real.length)
        const differences = real.filter((entry, index) => JSON.stringify(entry) !== JSON.stringify(embedded[index]))
        const unknown = differences.map(({ title }) => title).filter((title) => !(title in probeDifferences))
        assert.deepStrictEqual(unknown, [])
      })
    )
  }
})
