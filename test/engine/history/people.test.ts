import { cpSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { ask, environment, operatorToolsets, serverOver } from "../../support/harness.ts"
import { folder, git, historyIn, versionsOf } from "./support.ts"

const node = (name: string, url: string) => ({
  name,
  type: "n8n-nodes-base.httpRequest",
  typeVersion: 4.2,
  position: [0, 0],
  parameters: { url, options: {} }
})
const draft = (name: string) => ({ name, nodes: [node("Fetch", "https://a.test")], connections: {} })

/** The server over the engine of the test, with a history in this folder. */
const serverIn = (directory: string) =>
  Layer.unwrap(
    Effect.map(EmbeddedEngine, ({ apiKey, host, httpClient }) =>
      serverOver(
        { production: environment(host, Redacted.value(apiKey)) },
        Layer.succeed(HttpClient.HttpClient, httpClient),
        operatorToolsets
      )
    )
  ).pipe(Layer.provide(historyIn(directory)))

/** Changes a file of the history by hand, and commits it as a person. */
const byHand = (directory: string, id: string, [from, to]: readonly [string, string], message: string) => {
  const [file = ""] = git(directory, "ls-files", `production/*.${id}.json`).trim().split("\n")
  const at = path.join(directory, file)
  writeFileSync(at, readFileSync(at, "utf8").replace(from, to))
  git(directory, "-c", "user.name=Ann Smith", "-c", "user.email=ann@x.test", "commit", "-qam", message)
}

const idOf = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))

const Backup = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ changes: Schema.Array(Schema.Struct({ by: Schema.String, change: Schema.String })) })])
)

describe.each(["1.82.3", "2.41.1"] as const)("the history beside people, of an engine %s", (version) => {
  it.live("lists what they commit and merge, and does not say that somebody has changed the engine's workflow", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = idOf(yield* ask("create_workflow", draft("Prices")))
        yield* ask("update_workflow", { id, name: "Prices of today" })
        yield* versionsOf(id)
        git(directory, "checkout", "-q", "-b", "side")
        byHand(directory, id, ["https://a.test", "https://b.test"], "Try the other address")
        git(directory, "checkout", "-q", "main")
        const as = ["-c", "user.name=Ben Jones", "-c", "user.email=ben@x.test"]
        git(directory, ...as, "merge", "-q", "--no-ff", "-m", "Merge what Ann tried", "side")
        yield* ask("get_workflow", { id })
        const rows = yield* versionsOf(id)
        assert.sameDeepMembers(
          rows.map(({ by, change }) => [by, change]),
          [
            ["unknown", 'as the engine shows it, unlike the history: Fetch: url "https://b.test" → "https://a.test"'],
            [
              "Ben Jones",
              'in the history alone, "Merge what Ann tried": Fetch: url "https://a.test" → "https://b.test"'
            ],
            [
              "Ann Smith",
              'in the history alone, "Try the other address": Fetch: url "https://a.test" → "https://b.test"'
            ],
            ["an unknown client", 'name "Prices" → "Prices of today"'],
            ["an unknown client", "first version"]
          ]
        )
        const merged = rows.find(({ by }) => by === "Ben Jones")
        const compared = yield* ask("compare_workflows", { a: id, versionA: merged?.version })
        assert.deepStrictEqual(compared.differences, ['Fetch: url "https://b.test" → "https://a.test"'])
        assert.include((yield* ask("view_workflow", { id, version: merged?.version })).sketch, "https://b.test")
        const { changes } = yield* ask("restore_workflow", { id, version: merged?.version })
        assert.deepStrictEqual(changes, ['Fetch: url "https://a.test" → "https://b.test"'])

        yield* versionsOf(id)
        byHand(directory, id, ["https://b.test", "https://c.test"], "By hand")
        yield* ask("update_workflow", { id, name: "Prices of tomorrow" })
        const [last, before] = yield* versionsOf(id)
        assert.strictEqual(last?.change, 'name "Prices of today" → "Prices of tomorrow"')
        assert.include(before?.change, "as the engine shows it, unlike the history")
      }).pipe(Effect.provide(serverIn(directory)))
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version })))
  )

  it.live("does not call it deleted by somebody else what was copied into the folder of an instance", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = idOf(yield* ask("create_workflow", draft("Prices")))
        yield* ask("backup")
        const [file = ""] = git(directory, "ls-files", `production/*.${id}.json`).trim().split("\n")
        cpSync(path.join(directory, file), path.join(directory, "production/Other.copied1.json"))
        git(directory, "add", ".")
        git(directory, "-c", "user.name=Ann", "-c", "user.email=ann@x.test", "commit", "-qm", "Copied")
        assert.deepStrictEqual(Backup((yield* ask("backup")).data)[0].changes, [])
        assert.strictEqual(git(directory, "ls-files", "production/*copied1*"), "")
      }).pipe(Effect.provide(serverIn(directory)))
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version })))
  )

  it.live("does not say that somebody else has made what was changed since the history was copied", () =>
    Effect.gen(function* () {
      const first = yield* folder
      const copy = path.join(yield* folder, "copy")
      const clone = path.join(yield* folder, "clone")
      const [changed, removed, later] = yield* Effect.gen(function* () {
        const made = yield* Effect.forEach(["Changed", "Removed", "Later"], (name) =>
          Effect.map(ask("create_workflow", draft(name)), (answer) => idOf(answer).id)
        )
        yield* ask("backup")
        cpSync(first, copy, { recursive: true })
        git(first, "clone", "-q", first, clone)
        yield* ask("update_workflow", { id: made[0], name: "Changed here" })
        yield* ask("update_workflow", { id: made[2], name: "Later here" })
        yield* ask("delete_workflow", { id: made[1] })
        return made
      }).pipe(Effect.provide(serverIn(first)))
      for (const directory of [copy, clone]) {
        yield* Effect.gen(function* () {
          yield* ask("backup")
          for (const id of [changed, removed, later]) {
            const [row] = yield* versionsOf(id)
            assert.strictEqual(row?.by, "unknown", row?.change)
          }
        }).pipe(Effect.provide(serverIn(directory)))
      }
      const { httpClient, host, apiKey } = yield* EmbeddedEngine
      const headers = { "X-N8N-API-KEY": Redacted.value(apiKey) }
      yield* httpClient.del(`${host}/api/v1/workflows/${String(later)}`, { headers })
      yield* Effect.gen(function* () {
        yield* ask("backup")
        const [row] = yield* versionsOf(later)
        assert.deepInclude(row, { by: "somebody else", change: "deleted" })
      }).pipe(Effect.provide(serverIn(copy)))
    }).pipe(Effect.provide(EmbeddedEngine.layer({ version })))
  )
})
