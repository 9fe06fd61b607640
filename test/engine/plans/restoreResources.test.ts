import { readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClientResponse } from "effect/http"

import { CredentialSources } from "../../../src/engine/tools/CredentialSources.ts"
import { objectOf, objectsOf, textOf } from "../../../src/internal/schema/JsonObject.ts"
import { Elicitation } from "../../../src/mcp/Elicitation.ts"
import { columns, rows } from "../../contract/promotingTables.ts"
import { restoringTablesSuite } from "../../contract/restoringTables.ts"
import { ask, type Json } from "../../support/harness.ts"
import { folder, git, historyIn } from "../history/support.ts"
import { appliedDespiteLosses, Beside, twoEmbedded } from "./support.ts"

const instance = "staging"

const world = Effect.gen(function* () {
  const { send } = yield* Beside
  const table = String((yield* send(instance, "POST", "/data-tables", { name: "Orders", columns }))["id"])
  yield* send(instance, "POST", `/data-tables/${table}/rows`, { data: rows })
  return table
})

const backedUp = Effect.fnUntraced(function* (directory: string, more: Json = {}) {
  const { data } = yield* ask("backup", { instances: [instance], ...more })
  return { version: git(directory, "rev-parse", "HEAD").trim(), answer: objectOf(objectsOf(data)[0]) }
})

const inHistory = <A, E>(
  work: (directory: string) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof twoEmbedded>>>
) =>
  Effect.gen(function* () {
    const directory = yield* folder
    yield* Effect.provide(work(directory), twoEmbedded(["2.41.1", "2.41.1"]).pipe(Layer.provide(historyIn(directory))))
  })

describe("data tables in a backup", () => {
  it.live("lie in a file with a line for each, of which a changed column is one line of a diff", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const table = yield* world
        const { send } = yield* Beside
        const { answer } = yield* backedUp(directory)
        assert.deepInclude(answer, { workflows: 0, tables: 1, variables: 0, folders: 0 })
        assert.notProperty(answer, "notice")
        const file = path.join(directory, instance, "data-tables.jsonl")
        const lines = () =>
          readFileSync(file, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => objectOf(JSON.parse(line)))
        assert.deepInclude(lines()[0], { id: table, name: "Orders", columns })
        const before = git(directory, "rev-parse", "HEAD^{tree}")
        yield* backedUp(directory)
        assert.strictEqual(git(directory, "rev-parse", "HEAD^{tree}"), before)
        yield* send(instance, "POST", `/data-tables/${table}/columns`, { name: "note", type: "string" })
        yield* send(instance, "POST", "/data-tables", { name: "Archive", columns: [{ name: "a", type: "string" }] })
        yield* backedUp(directory)
        assert.deepStrictEqual(
          lines().map(({ name }) => name),
          ["Archive", "Orders"]
        )
        const changed = git(directory, "diff", "--numstat", before.trim(), "HEAD")
        assert.strictEqual(changed.trim(), `2\t1\t${instance}/data-tables.jsonl`)
        const log = git(directory, "log", "-1", "--skip=1", "--format=%an %B")
        assert.match(log, /^unknown Changed since the last backup: data tables on staging/)
        assert.include(log, "+ Archive, changed Orders")
        yield* send(instance, "DELETE", `/data-tables/${String(lines()[0]?.["id"])}`)
        yield* backedUp(directory)
        assert.deepStrictEqual(
          lines().map(({ name }) => name),
          ["Orders"]
        )
      })
    )
  )
})

const byText = (one: string, other: string) => (one < other ? -1 : 1)

describe("rows in a backup", () => {
  it.live("are a line each, stay where a backup leaves them out, and are left out of tables with too many", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const table = yield* world
        const { send } = yield* Beside
        const file = `${instance}/data-tables/${table}.jsonl`
        const treeOf = (answer: { readonly version: string }) =>
          git(directory, "rev-parse", `${answer.version}^{tree}`).trim()
        yield* backedUp(directory)
        assert.strictEqual(git(directory, "ls-tree", "-r", "--name-only", "HEAD", `${instance}/data-tables/`), "")
        const first = treeOf(yield* backedUp(directory, { rows: true }))
        assert.match(git(directory, "show", `HEAD:${file}`), /^\{"id":1,"city":"city 0",.*\}\n\{"id":2,/)
        assert.strictEqual(treeOf(yield* backedUp(directory, { rows: true })), first)
        assert.strictEqual(treeOf(yield* backedUp(directory)), first)
        const many = rows.flatMap((row) => Array.from({ length: 223 }, () => row))
        yield* send(instance, "POST", `/data-tables/${table}/rows`, { data: [rows[0]] })
        yield* backedUp(directory, { rows: true })
        assert.strictEqual(git(directory, "diff", "--numstat", first, "HEAD").trim(), `1\t0\t${file}`)
        assert.include(git(directory, "log", "-2"), `${file}: 46 rows: 1 added, 0 deleted, 0 changed`)
        const second = git(directory, "rev-parse", "HEAD^{tree}").trim()
        yield* send(instance, "POST", `/data-tables/${table}/rows`, { data: many })
        const { answer, version } = yield* backedUp(directory, { rows: true })
        assert.deepInclude(answer, { rows: 0, notice: "Rows left out of tables with more than 10000: Orders." })
        assert.strictEqual(treeOf({ version }), second)

        yield* send(instance, "DELETE", `/data-tables/${table}`)
        const { steps, warnings } = yield* ask("plan_restore", { instance, version })
        assert.strictEqual(steps, 3)
        assert.include(String(warnings), "Rows come back as they were when a backup kept rows last, up to this version")
      })
    )
  )
})

/** Refusals of an engine, or what stands in front of it. */
const refusing = (status: number, body: Json, ...paths: ReadonlyArray<RegExp>) =>
  Effect.flatMap(Beside, ({ meddle }) =>
    meddle((request, proceed) =>
      paths.some((one) => one.test(request.url))
        ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(body, { status })))
        : proceed
    )
  )

const licence = (feature: string) => ({
  message: `Your license does not allow for ${feature}. To enable ${feature}, please upgrade to a license that supports this feature.`
})

describe("what a backup cannot read", () => {
  it.live("is named once where a licence lacks it, and stays as it was recorded", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const { send } = yield* Beside
        yield* send(instance, "POST", "/variables", { key: "host", value: "secret-value" })
        yield* backedUp(directory)
        const kept = git(directory, "show", `HEAD:${instance}/variables.jsonl`)
        yield* refusing(403, licence("feat:variables"), /\/variables/)
        const { answer } = yield* backedUp(directory)
        assert.deepInclude(answer, { tables: 0, folders: 0 })
        assert.notProperty(answer, "variables")
        assert.match(textOf(answer["notice"]), /^Not kept, as they are not to be read: variables \(.*licence.*\)\.$/)
        assert.strictEqual(git(directory, "show", `HEAD:${instance}/variables.jsonl`), kept)
        yield* refusing(403, { message: "Forbidden" }, /\/variables/, /\/projects/, /\/data-tables/)
        const { answer: bare } = yield* backedUp(directory, { rows: true })
        assert.deepInclude(bare, { workflows: 0, tags: 0 })
        assert.strictEqual(
          bare["notice"],
          "Not kept, as they are not to be read: data tables, variables, folders (API call failed for instance staging: Insufficient permissions)."
        )
        assert.notProperty(bare, "tables")
        assert.strictEqual(git(directory, "show", `HEAD:${instance}/variables.jsonl`), kept)
        const { version } = yield* backedUp(directory)
        const { steps, warnings } = yield* ask("plan_restore", { instance, version })
        assert.strictEqual(steps, 0)
        assert.include(String(warnings), "Variables are not brought back: ")
      })
    )
  )

  it.live("is never taken for deleted where somebody else answers, or the engine is too busy", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const table = yield* world
        const { meddle, send } = yield* Beside
        yield* send(instance, "POST", "/variables", { key: "host", value: "secret-value" })
        const { data } = yield* send(instance, "GET", "/projects")
        yield* send(instance, "POST", `/projects/${String(objectsOf(data)[0]?.["id"])}/folders`, { name: "Sales" })
        yield* backedUp(directory, { rows: true })
        const kept = git(directory, "rev-parse", "HEAD^{tree}")
        const lists = [/\/data-tables(\?|$)/, /\/data-tables\/\w+\/rows/, /\/variables/, /\/folders/]
        for (const list of lists) {
          for (const [status, body] of [
            [200, { data: [] }],
            [429, { message: "too many" }],
            [200, { error: "maintenance" }]
          ] as const) {
            yield* refusing(status, body, list)
            const { answer } = yield* backedUp(directory, { rows: true })
            assert.property(answer, "error", `${String(list)} ${status}`)
            assert.strictEqual(git(directory, "rev-parse", "HEAD^{tree}"), kept)
          }
        }
        yield* meddle(undefined)
        yield* send(instance, "DELETE", `/data-tables/${table}`)
        yield* backedUp(directory)
        assert.notInclude(git(directory, "ls-tree", "-r", "--name-only", "HEAD"), `data-tables/${table}`)
      })
    )
  )
})

describe("variables and folders in a backup", () => {
  it.live("are kept without values and brought back with those of a source or a person, and go again", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const { send } = yield* Beside
        const listOf = (path: string) => Effect.map(send(instance, "GET", path), ({ data }) => objectsOf(data))
        const project = String((yield* listOf("/projects"))[0]?.["id"])
        const folders = `/projects/${project}/folders`
        const names = (path: string) =>
          Effect.map(listOf(path), (all) =>
            all.map(({ key, name, value = "" }) => `${String(key ?? name)} ${String(value)}`.trim()).toSorted(byText)
          )
        const removed = (path: string, thing: Json | undefined) =>
          send(instance, "DELETE", `${path}/${String(thing?.["id"])}`)
        for (const key of ["host", "port"]) yield* send(instance, "POST", "/variables", { key, value: `secret-${key}` })
        const { id: parent } = yield* send(instance, "POST", folders, { name: "Sales" })
        yield* send(instance, "POST", folders, { name: "Orders", parentFolderId: parent })
        const { answer, version } = yield* backedUp(directory)
        assert.deepInclude(answer, { variables: 2, folders: 2 })
        assert.notInclude(git(directory, "log", "-p"), "secret-")
        assert.match(git(directory, "show", `HEAD:${instance}/folders.jsonl`), /"Sales".*\n.*"Sales\/Orders"/)
        const before = yield* names(folders)

        yield* removed(folders, { id: parent })
        for (const one of yield* listOf("/variables")) yield* removed("/variables", one)
        const request = { instance, version }
        const { steps, warnings } = yield* ask("plan_restore", request)
        assert.strictEqual(steps, 2)
        assert.match(String(warnings), /whose values were never kept: "host", "port"/)
        const plan = yield* ask("plan_restore", { ...request, include: ["variables"], source: "vault" }).pipe(
          Effect.provideService(CredentialSources, {
            vault: { use: "variables", values: Effect.succeed({ host: "restored" }) }
          }),
          Effect.provideService(Elicitation, {
            ask: undefined,
            enter: ({ schema }) => {
              assert.deepInclude(schema, { required: ["port"] })
              return Effect.succeed({ _tag: "Accepted", content: { port: "443" } })
            }
          })
        )
        assert.deepInclude(plan, { steps: 4, blocked: [] })
        assert.notInclude(JSON.stringify(plan), "restored")
        yield* appliedDespiteLosses(plan)
        assert.deepStrictEqual(yield* names("/variables"), ["host restored", "port 443"])
        assert.deepStrictEqual(yield* names(folders), before)
        yield* appliedDespiteLosses(yield* ask("plan_rollback", { plan_id: plan["plan_id"] }))
        assert.deepStrictEqual(yield* names("/variables"), [])
        assert.deepStrictEqual(yield* names(folders), [])
      })
    )
  )
})

describe("a restore beside what has changed since", () => {
  it.live("brings values back where their columns are the same, and names the others", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const table = yield* world
        const { send } = yield* Beside
        yield* backedUp(directory, { rows: true })
        const all = objectsOf((yield* send(instance, "GET", `/data-tables/${table}`))["columns"])
        const amount = all.find(({ name }) => name === "amount")
        yield* send(instance, "DELETE", `/data-tables/${table}/columns/${String(amount?.["id"])}`)
        yield* send(instance, "POST", `/data-tables/${table}/columns`, { name: "amount", type: "string" })
        const { version } = yield* backedUp(directory)
        yield* send(instance, "DELETE", `/data-tables/${table}`)
        const plan = yield* ask("plan_restore", { instance, version })
        assert.include(
          String(plan["warnings"]),
          'Values of "Orders" do not come back, as its columns were others when its rows were kept: amount'
        )
        yield* appliedDespiteLosses(plan)
        const { data } = yield* send(instance, "GET", "/data-tables?limit=250")
        const made = String(objectsOf(data)[0]?.["id"])
        const back = objectsOf((yield* send(instance, "GET", `/data-tables/${made}/rows?limit=100`))["data"])
        assert.deepStrictEqual(
          back.map(({ city }) => city),
          rows.map(({ city }) => city)
        )
      })
    )
  )

  it.live("names tables that have the names of deleted ones, as several or with other columns", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const table = yield* world
        const { send } = yield* Beside
        const { version } = yield* backedUp(directory)
        yield* send(instance, "DELETE", `/data-tables/${table}`)
        const present = (...ids: ReadonlyArray<string>) => ({
          data: ids.map((id) => ({
            id,
            name: "Orders",
            columns: [{ id: "c", index: 0, name: "city", type: "number" }]
          })),
          nextCursor: null
        })
        const warned = Effect.map(ask("plan_restore", { instance, version }), ({ warnings }) => String(warnings))
        yield* refusing(200, present("one"), /\/data-tables(\?|$)/)
        const replaced = yield* warned
        assert.include(replaced, 'take their places as they are: "Orders"')
        assert.include(replaced, 'the columns that they have now: "Orders" (city is number instead of string')
        yield* refusing(200, present("one", "other"), /\/data-tables(\?|$)/)
        const several = yield* warned
        assert.include(several, "Several data tables have the names of deleted ones, so that workflows keep the ids")
        assert.notInclude(several, "take their places")
      })
    )
  )

  it.live("leaves a folder that is only called otherwise, and a backup goes on beside a project that is deleted", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        const { meddle, send } = yield* Beside
        const { id: team } = yield* send(instance, "POST", "/projects", { name: "Team" })
        const projects = objectsOf((yield* send(instance, "GET", "/projects"))["data"])
        const personal = `/projects/${String(projects[0]?.["id"])}/folders`
        const { id: parent } = yield* send(instance, "POST", personal, { name: "Sales" })
        yield* send(instance, "POST", personal, { name: "Orders", parentFolderId: parent })
        const { answer, version } = yield* backedUp(directory)
        assert.deepInclude(answer, { folders: 2 })
        yield* send(instance, "PATCH", `${personal}/${String(parent)}`, { name: "Verkauf" })
        assert.deepInclude(yield* ask("plan_restore", { instance, version }), { steps: 0 })
        yield* meddle((request, proceed) =>
          request.url.includes(`${String(team)}/folders`)
            ? Effect.andThen(send(instance, "DELETE", `/projects/${String(team)}`), proceed)
            : proceed
        )
        const { answer: later } = yield* backedUp(directory)
        assert.deepInclude(later, { folders: 2 })
      })
    )
  )

  it.live(
    "makes variables of one name in each project that had them and is there, and says that they get one value",
    () =>
      inHistory(
        Effect.fnUntraced(function* (directory) {
          const { send } = yield* Beside
          yield* send(instance, "POST", "/projects", { name: "Team" })
          const listOf = (path: string) => Effect.map(send(instance, "GET", path), ({ data }) => objectsOf(data))
          const team = (yield* listOf("/projects")).find(({ name }) => name === "Team")?.["id"]
          for (const more of [{}, { projectId: team }]) {
            yield* send(instance, "POST", "/variables", { key: "host", value: "former", ...more })
          }
          const { version } = yield* backedUp(directory)
          for (const { id } of yield* listOf("/variables")) yield* send(instance, "DELETE", `/variables/${String(id)}`)
          const planned = ask("plan_restore", { instance, version, source: "vault" }).pipe(
            Effect.provideService(CredentialSources, {
              vault: { use: "variables", values: Effect.succeed({ host: "restored" }) }
            })
          )
          const plan = yield* planned
          assert.include(
            String(plan["warnings"]),
            'Variables that several projects had by one name all get one value: "host"'
          )
          yield* appliedDespiteLosses(plan)
          const projects = (yield* listOf("/variables")).map(({ project }) => objectOf(project)["id"])
          assert.deepStrictEqual(new Set(projects), new Set([undefined, team]))
          yield* appliedDespiteLosses(yield* ask("plan_rollback", { plan_id: plan["plan_id"] }))
          assert.deepStrictEqual(yield* listOf("/variables"), [])
          yield* send(instance, "DELETE", `/projects/${String(team)}`)
          const without = yield* planned
          assert.deepInclude(without, { steps: 1 })
          assert.include(
            String(without["warnings"]),
            'Variables of projects that the key does not see are not brought back: "host"'
          )
        })
      )
  )

  it.live("has rows read only while the history can be written", () =>
    inHistory(
      Effect.fnUntraced(function* (directory) {
        yield* world
        const { meddle, send } = yield* Beside
        for (const name of ["Second", "Third"]) yield* send(instance, "POST", "/data-tables", { name, columns })
        yield* backedUp(directory)
        let reads = 0
        yield* meddle((request, proceed) => {
          reads += Number(request.url.includes("/rows"))
          return proceed
        })
        const pack = path.join(directory, ".git", "objects", "pack")
        rmdirSync(pack)
        writeFileSync(pack, "")
        const { notice } = yield* ask("backup", { instances: [instance], rows: true })
        assert.include(String(notice), "cannot be written now")
        assert.strictEqual(reads, 1)
        rmSync(pack)
        assert.deepInclude((yield* backedUp(directory, { rows: true })).answer, { rows: rows.length })
      })
    )
  )
})

restoringTablesSuite("of an embedded engine", {
  isLicensed: true,
  layerOf: (given) => twoEmbedded(["2.41.1", "2.41.1"], given)
})
