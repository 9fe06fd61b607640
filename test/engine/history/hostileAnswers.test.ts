import { execFileSync } from "node:child_process"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"

import { Instances } from "../../../src/engine/client/Instances.ts"
import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { answers } from "../../internal/http/standIn.ts"
import { ask, environment, operatorToolsets, refused, serverOver } from "../../support/harness.ts"
import { json } from "../tools/standIn.ts"
import { folder, git, historyIn, versionsOf } from "./support.ts"

type Item = Readonly<Record<string, unknown>>

const start = { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }

const workflow = (id: unknown, more: Item = {}): Item => ({
  id,
  name: "Forged",
  active: false,
  nodes: [start],
  connections: {},
  settings: {},
  pinData: {},
  tags: [],
  ...more
})

const fileIn = (path: string, text: string) => `M 100644 inline ${path}\ndata ${text.length}\n${text}`

/** Stands for a value nested deeper than anything could write it. */
const deep = "nested"
const nested = `${'{"inner":'.repeat(30_000)}1${"}".repeat(30_000)}`

/** Ids with which an engine may try to write past its own folder, or to stop the recording. */
const forgedIds = (victim: string): ReadonlyArray<unknown> => [
  `x.json\n${fileIn(`production/Orders.${victim}.json`, "{}")}`,
  `x.json\n${fileIn(".github/workflows/ci.yml", "on: push")}`,
  "x.json\nM 120000 inline production/link\ndata 11\n/etc/passwd",
  "x.json\ndata 0\n\nreset refs/heads/other\nfrom refs/heads/main\n",
  "../../../production/Orders",
  "/.git/hooks/post-checkout",
  ".git",
  "a\0b",
  'a"b',
  "a".repeat(10_000),
  "json",
  undefined,
  { id: "x" },
  // Neither can be made a text.
  { toString: "x" },
  [{ toString: "x" }],
  ""
]

/** The whole server over a real production, and a staging that lists what it likes. */
const servers = (directory: string, list: () => ReadonlyArray<Item>, tags: () => ReadonlyArray<Item> = () => []) =>
  Layer.unwrap(
    Effect.map(EmbeddedEngine, ({ apiKey, httpClient }) => {
      const client = HttpClient.make((request, url) => {
        if (url.port !== "5001") return httpClient.execute(request)
        const one = list().find(({ id }) => id === url.pathname.replace(/^\/api\/v1\/workflows\//, ""))
        if (one !== undefined) return json(one)(request)
        if (url.pathname === "/api/v1/workflows") {
          const text = JSON.stringify({ data: list(), nextCursor: null }).replace(`"${deep}"`, nested)
          return answers(200, { "content-type": "application/json" }, text)(request)
        }
        if (url.pathname === "/api/v1/tags") return json({ data: tags(), nextCursor: null })(request)
        return json({ message: "Not Found" }, 404)(request)
      })
      const key = Redacted.value(apiKey)
      return serverOver(
        {
          production: environment("http://127.0.0.1:5002", key, { requestsPerSecond: Infinity }),
          staging: environment("http://127.0.0.1:5001", key, { requestsPerSecond: Infinity })
        },
        Layer.succeed(HttpClient.HttpClient, client),
        operatorToolsets
      )
    })
  ).pipe(Layer.provide(EmbeddedEngine.layer({ version: "1.82.3" })), Layer.provide(historyIn(directory)))

const created = (name: string) =>
  Effect.map(ask("create_workflow", { name, nodes: [start], connections: {} }), ({ id }) => String(id))

const Backup = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({ instance: Schema.String, workflows: Schema.Int, notice: Schema.optionalKey(Schema.String) })
  )
)

const filesOf = (directory: string) => git(directory, "ls-tree", "-r", "HEAD").trim().split("\n")

describe("what an engine answers", () => {
  it.live("writes nothing past the folder of its instance, whatever its ids are, and the rest is recorded", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      let list: ReadonlyArray<Item> = []
      const listedFiles = () => filesOf(directory).map((line) => line.replace(/ blob [0-9a-f]+\t/, " "))
      yield* Effect.gen(function* () {
        const id = yield* created("Orders")
        assert.lengthOf(yield* versionsOf(id), 1)
        const forged = forgedIds(id)
        list = [workflow("before1"), ...forged.map((one) => workflow(one)), workflow("after1")]
        const { data, notice } = yield* ask("backup", { instance: "*" })
        assert.isUndefined(notice)
        const [production, staging] = Backup(data)
        assert.deepInclude(production, { instance: "production", workflows: 1 })
        assert.deepInclude(staging, { instance: "staging", workflows: 2 })
        assert.match(
          staging?.notice ?? "",
          new RegExp(
            `^Not recorded, unlike all else: ".*and ${new Set(forged.map((one) => (typeof one === "object" ? "{…}" : one))).size - 10} more\\. Not kept, as they are not to be read: `
          )
        )
        yield* ask("update_workflow", { id, name: "Renamed" })
        assert.lengthOf(yield* versionsOf(id), 2)
        assert.deepStrictEqual(listedFiles(), [
          "100644 .gitattributes",
          "100644 README.md",
          `100644 production/Renamed.${id}.json`,
          "100644 staging/Forged.after1.json",
          "100644 staging/Forged.before1.json"
        ])
      }).pipe(Effect.provide(servers(directory, () => list)))
      assert.strictEqual(git(directory, "for-each-ref", "--format=%(refname)"), "refs/heads/main\n")
      assert.strictEqual(git(directory, "status", "--porcelain"), "")
      // Also after a restart.
      yield* Effect.gen(function* () {
        list = [...list, workflow("later1")]
        yield* ask("backup", { instance: "*" })
        assert.include(listedFiles(), "100644 staging/Forged.later1.json")
      }).pipe(Effect.provide(servers(directory, () => list)))
    })
  )

  it.live("may be nested deeper than a stack is: the workflow is left out, and the recording goes on", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const list = [workflow("deep1", { staticData: deep }), workflow("flat1")]
      yield* Effect.gen(function* () {
        const [staging] = Backup((yield* ask("backup", { instance: "staging" })).data)
        assert.match(staging?.notice ?? "", /"deep1" \(its values are nested/)
        assert.isTrue(filesOf(directory).some((line) => line.endsWith("\tstaging/Forged.flat1.json")))
      }).pipe(Effect.provide(servers(directory, () => list)))
    })
  )

  it.live("forges no line of another instance in a commit, by a version with line breaks", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      let list: ReadonlyArray<Item> = []
      yield* Effect.gen(function* () {
        const id = yield* created("Orders")
        list = [workflow("one1", { versionId: `v\nproduction/Orders.${id}.json: deleted` })]
        yield* ask("backup", { instance: "staging" })
        assert.deepStrictEqual(
          (yield* versionsOf(id)).map(({ change }) => change),
          ["first version"]
        )
      }).pipe(Effect.provide(servers(directory, () => list)))
    })
  )

  it.live("may have ids that differ only by case, which stay two workflows", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const list = [workflow("abc1", { settings: { timezone: "UTC" } }), workflow("ABC1")]
      yield* Effect.gen(function* () {
        const [staging] = Backup((yield* ask("backup", { instance: "staging" })).data)
        assert.deepInclude(staging, { workflows: 2 })
        const read = (name: string) => git(directory, "show", `HEAD:staging/${name}`)
        assert.include(read("Forged.abc1.json"), "UTC")
        assert.notInclude(read("Forged.ABC1.json"), "UTC")
      }).pipe(Effect.provide(servers(directory, () => list)))
    })
  )

  it.live("may have names and fields longer than file names are", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const long = "名".repeat(500)
      const list = [
        workflow("a".repeat(128), {
          name: long,
          nodes: [{ ...start, name: long, parameters: { [long]: "line\nline" } }],
          settings: { [long]: { [long]: "line\nline" } }
        })
      ]
      yield* Effect.gen(function* () {
        const { notice } = yield* ask("backup", { instance: "staging" })
        assert.isUndefined(notice)
        assert.strictEqual(git(directory, "status", "--porcelain"), "")
      }).pipe(Effect.provide(servers(directory, () => list)))
    })
  )

  it.live("keeps of tags and credentials only texts, under ids of an engine", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const tags = [
        { id: "tag1", name: "live" },
        { id: "../x", name: "odd" }
      ]
      yield* Effect.gen(function* () {
        const [staging] = Backup((yield* ask("backup", { instance: "staging" })).data)
        assert.match(staging?.notice ?? "", /"\.\.\/x"/)
        assert.deepStrictEqual(JSON.parse(git(directory, "show", "HEAD:staging/tags.json")), [
          { id: "tag1", name: "live" }
        ])
      }).pipe(
        Effect.provide(
          servers(
            directory,
            () => [],
            () => tags
          )
        )
      )
    })
  )
})

describe("a version that was planted by another instance", () => {
  it.live("is not restored, alone or with the whole instance; one that a person committed is", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const id = yield* created("Orders")
        assert.lengthOf(yield* versionsOf(id), 1)
        const file = `production/Orders.${id}.json`
        const forged = git(directory, "show", `HEAD:${file}`).replace('"Orders"', '"Planted"')
        const commitBy = (committer: string, message: string) =>
          execFileSync("git", ["-C", directory, "fast-import", "--quiet"], {
            input: [
              "commit refs/heads/main",
              `committer ${committer} ${Math.floor(Date.now() / 1000)} +0000`,
              `data ${message.length}\n${message}`,
              "from refs/heads/main^0",
              fileIn(file, forged),
              ""
            ].join("\n")
          })
        commitBy(
          "workflow-tool-server <workflow-tool-server@workflow-tool-server.invalid>",
          "First seen: Forged on staging\n\nstaging/Forged.x1.json: first version\n\nAt: 2026-01-01T00:00:00.000Z"
        )
        const planted = git(directory, "rev-parse", "HEAD").trim()
        const one = yield* refused("restore_workflow", { id, version: planted })
        assert.include(one.message, "was not made for instance production")
        const { history } = yield* (yield* Instances).resolve("production")
        const all = yield* Effect.flip(history.allAt(planted, (record) => record))
        assert.strictEqual(all._tag, "ForeignVersion")

        commitBy("Ann <ann@example.test>", "My own state")
        const ours = git(directory, "rev-parse", "HEAD").trim()
        git(directory, "checkout", "--quiet", "--force", "main")
        const { changes } = yield* ask("restore_workflow", { id, version: ours, dry_run: true })
        assert.include(JSON.stringify(changes), "Planted")
      }).pipe(Effect.provide(servers(directory, () => [])))
    })
  )
})
