import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientResponse } from "effect/http"

import { CredentialSources } from "../../../src/engine/tools/CredentialSources.ts"
import { Elicitation, type Reply } from "../../../src/mcp/Elicitation.ts"
import { passthroughTrigger } from "../../support/engineNodes.ts"
import { ask, callTool, type Json, refused } from "../../support/harness.ts"
import { appliedDespiteLosses, Beside, hook, twoEmbedded } from "./support.ts"

const everything = { from: "staging", to: "production", name: "*" }
const plan = (more: Json = {}) => ask("plan_promotion", { ...everything, ...more })
const planIdOf = (planned: Json) => ({ plan_id: String(planned["plan_id"]) })
const apply = (planned: Json) => ask("apply_plan", { ...planIdOf(planned), confirm: true })
const rollbackOf = (planned: Json) => ask("plan_rollback", planIdOf(planned))
const text = (value: unknown) => JSON.stringify(value)
const over = () => Effect.provide(twoEmbedded(["2.41.1", "2.41.1"]))

const columns = [
  { name: "city", type: "string" },
  { name: "amount", type: "number" },
  { name: "due", type: "date" }
]
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place)

/** A data table on an instance, past all of our code. */
const madeTable = Effect.fnUntraced(function* (instance: string, name: string, count = 0, of = columns) {
  const { send } = yield* Beside
  const { id } = yield* send(instance, "POST", "/data-tables", { name, columns: of })
  const data = upTo(count).map((amount) => ({ city: `city ${amount}`, amount, due: "2026-11-26T00:00:00.000Z" }))
  if (count > 0) yield* send(instance, "POST", `/data-tables/${String(id)}/rows`, { data })
  return String(id)
})

const byId = (id: string, name: string) => ({
  dataTableId: {
    __rl: true,
    mode: "list",
    value: id,
    cachedResultName: name,
    cachedResultUrl: `/projects/p/datatables/${id}`
  }
})
const byName = (value: string) => ({ dataTableId: { __rl: true, mode: "name", value } })
const tableNode = (name: string, parameters: object, type = "n8n-nodes-base.dataTable") => ({
  name,
  type,
  typeVersion: 1,
  position: [220, 0],
  parameters: { operation: "get", ...parameters }
})

/** A workflow of such nodes behind a webhook. */
const madeWorkflow = Effect.fnUntraced(function* (instance: string, name: string, ...nodes: ReadonlyArray<object>) {
  const { send } = yield* Beside
  const body = { name, nodes: [hook(name), ...nodes], connections: {}, settings: {} }
  const { id } = yield* send(instance, "POST", "/workflows", body)
  return String(id)
})

const listAt = Effect.fnUntraced(function* (instance: string, path: string) {
  const { send } = yield* Beside
  const { data } = yield* send(instance, "GET", path)
  const all: ReadonlyArray<Json> = Array.isArray(data) ? data : []
  return all
})

const tables = (instance: string) => listAt(instance, "/data-tables?sortBy=name%3Aasc")

/** The columns and the rows of each table of an instance by its name, as far as they do not differ from place to place. */
const contents = Effect.fnUntraced(function* (instance: string) {
  const all = yield* tables(instance)
  return yield* Effect.forEach(all, ({ columns: of, id, name }) =>
    Effect.map(listAt(instance, `/data-tables/${String(id)}/rows?limit=100`), (rows) => ({
      name,
      columns: Object(of).map((column: Json) => [column["name"], column["type"], column["index"]]),
      rows: rows.map(({ amount, city, due, id: row }) => ({ amount, city, due, row }))
    }))
  )
})

/** Everything of an instance that a promotion of workflows with tables could change. */
const stateOf = Effect.fnUntraced(function* (instance: string) {
  const workflows = yield* listAt(instance, "/workflows?limit=100")
  return {
    tables: yield* contents(instance),
    workflows: workflows.map(({ active, connections, id, name, nodes, settings }) => ({
      active,
      connections,
      id,
      name,
      nodes,
      settings
    }))
  }
})

const nodesOf = Effect.fnUntraced(function* (instance: string, name: string) {
  const workflows = yield* listAt(instance, "/workflows?limit=100")
  const nodes: unknown = workflows.find((workflow) => workflow["name"] === name)?.["nodes"]
  return Array.isArray(nodes) ? nodes.map((node): Json => ({ ...Object(node) })) : []
})

describe("a promotion of a workflow that uses data tables", () => {
  it.live(
    "makes those that the target lacks, with their rows where asked, once, though each write loses its answer",
    () =>
      Effect.gen(function* () {
        const orders = yield* madeTable("staging", "Orders", 45)
        const cities = yield* madeTable("staging", "Cities", 2)
        const nodes = [
          tableNode("Read", byId(orders, "Orders")),
          tableNode("Tool", byId(cities, "formerly"), "n8n-nodes-base.dataTableTool"),
          tableNode("Named", byName("Orders"))
        ]
        yield* madeWorkflow("staging", "Sales", ...nodes)
        yield* madeWorkflow("production", "Sales")
        yield* madeWorkflow("staging", "Report", tableNode("Read", byName("cities")))
        const before = yield* stateOf("production")
        const planned = yield* plan({ include: ["rows"] })
        assert.deepInclude(planned, { blocked: [], steps: 7 })
        assert.notInclude(text(planned["warnings"]), "table")
        assert.strictEqual(yield* appliedDespiteLosses(planned), 6)
        assert.deepStrictEqual(yield* contents("production"), yield* contents("staging"))
        const ids = new Map((yield* tables("production")).map(({ id, name }) => [name, String(id)]))
        const [, read, tool, named] = yield* nodesOf("production", "Sales")
        const wanted = (id: string | undefined, name: string) => ({
          operation: "get",
          dataTableId: { ...byId(String(id), name).dataTableId, cachedResultUrl: "" }
        })
        assert.deepStrictEqual(read?.["parameters"], wanted(ids.get("Orders"), "Orders"))
        assert.deepStrictEqual(tool?.["parameters"], wanted(ids.get("Cities"), "formerly"))
        assert.deepStrictEqual(named?.["parameters"], { operation: "get", ...byName("Orders") })
        assert.deepInclude(yield* plan({ include: ["rows"] }), { steps: 0, blocked: [], warnings: [] })

        yield* appliedDespiteLosses(yield* rollbackOf(planned))
        assert.deepStrictEqual(yield* stateOf("production"), before)
      }).pipe(over())
  )

  it.live(
    "takes those of the same name or of the mapping, and tells of other columns and of what a run alone knows",
    () =>
      Effect.gen(function* () {
        const orders = yield* madeTable("staging", "Orders", 1)
        const tests = yield* madeTable("staging", "Test cities")
        const theirs = yield* madeTable("production", "Orders", 0, [
          { name: "city", type: "number" },
          { name: "due", type: "date" }
        ])
        const cities = yield* madeTable("production", "Cities")
        yield* madeWorkflow(
          "staging",
          "Sales",
          tableNode("Read", byId(orders, "Orders")),
          tableNode("Mapped", byId(tests, "Test cities")),
          tableNode("Mapped name", byName("Test cities")),
          tableNode("Open", byName("={{ $json.table }}"))
        )
        const planned = yield* plan({ mapping: { tables: { "Test cities": "Cities", Ordres: "Orders" } } })
        assert.deepInclude(planned, { blocked: [], steps: 1 })
        assert.deepStrictEqual(planned["warnings"], [
          "mapping.tables: nothing of the source is called Ordres",
          'Sales: data table "Orders" on production has other columns than on staging: city is number instead of string, no amount',
          "Sales: node Open finds its data table at run time: nobody checks that it is on production"
        ])
        assert.deepInclude(yield* apply(planned), { state: "applied" })
        const [, read, mapped, named] = yield* nodesOf("production", "Sales")
        assert.nestedPropertyVal(read, "parameters.dataTableId.value", theirs)
        assert.nestedPropertyVal(mapped, "parameters.dataTableId.value", cities)
        assert.nestedPropertyVal(named, "parameters.dataTableId.value", "Cities")
        assert.lengthOf(yield* tables("production"), 2)
      }).pipe(over())
  )

  it.live("is blocked where nobody knows a table, and leaves a table that somebody has filled meanwhile", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const orders = yield* madeTable("staging", "Orders", 1)
      yield* madeWorkflow("staging", "Lost", tableNode("Read", byId("gone000000000000", "Gone")))
      yield* madeWorkflow("staging", "Sales", tableNode("Read", byId(orders, "Orders")))
      const planned = yield* plan()
      assert.deepInclude(planned, { steps: 2, blocked_count: 1 })
      assert.include(text(planned["blocked"]), 'data table \\"Gone\\" of node Read has no match on production')
      assert.include(text(planned["warnings"]), "made on production without their rows (Orders): include rows")
      assert.deepInclude(yield* apply(planned), { state: "applied" })
      const [table] = yield* tables("production")
      yield* send("production", "POST", `/data-tables/${String(table?.["id"])}/rows`, { data: [{ city: "Oslo" }] })
      const back = yield* rollbackOf(planned)
      const report = yield* apply(back)
      assert.deepInclude(report, { state: "partly applied" })
      assert.include(text(report), "there are rows in it by now, so that it stays")
      assert.lengthOf(yield* tables("production"), 1)
      assert.lengthOf(yield* listAt("production", "/workflows"), 0)
    }).pipe(over())
  )

  it.live("is blocked where several tables of the source have the name of one that the target lacks", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const orders = yield* madeTable("staging", "Orders", 1)
      const [table] = yield* tables("staging")
      const other = { ...table, id: "OrdersElsewhere1", projectId: "another" }
      yield* madeWorkflow("staging", "Sales", tableNode("Read", byId(orders, "Orders")))
      yield* madeWorkflow("staging", "Report", tableNode("Read", byId(other.id, "Orders")))
      yield* meddle((request, proceed) =>
        request.url.includes(":5001/") && request.url.endsWith("/data-tables")
          ? Effect.succeed(
              HttpClientResponse.fromWeb(request, Response.json({ data: [table, other], nextCursor: null }))
            )
          : proceed
      )
      const planned = yield* plan()
      assert.deepInclude(planned, { steps: 0, blocked_count: 2 })
      assert.include(text(planned["blocked"]), `several of staging have its name (${orders}, ${other.id})`)
      const mapping = { tables: { [orders]: "Orders", [other.id]: "Other orders" } }
      yield* madeTable("production", "Orders")
      yield* madeTable("production", "Other orders")
      assert.deepInclude(yield* plan({ mapping }), { steps: 2, blocked: [] })
    }).pipe(over())
  )

  it.live("is planned without a look at tables where the target or a key has none, which the plan says", () =>
    Effect.gen(function* () {
      const orders = yield* madeTable("staging", "Orders")
      yield* madeWorkflow("staging", "Sales", tableNode("Read", byId(orders, "Orders")))
      const planned = yield* plan({ activation: "inactive" })
      assert.include(text(planned["warnings"]), "has no data tables")
      assert.deepInclude(planned, { blocked: [], steps: 1 })
    }).pipe(Effect.provide(twoEmbedded(["2.41.1", "1.82.3"])))
  )

  it.live.each(["id", "name"])(
    "makes no workflow without its table or rows where these are refused, and the table is named by its %s",
    (way) =>
      Effect.gen(function* () {
        const { meddle } = yield* Beside
        const id = yield* madeTable("staging", "Orders", 2)
        const parameters = way === "id" ? byId(id, "Orders") : byName("Orders")
        yield* madeWorkflow("staging", "Sales", tableNode("Read", parameters))
        const refuse = (end: RegExp) =>
          meddle((request, proceed) =>
            request.method === "POST" && end.test(request.url)
              ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ message: "no" }, { status: 400 })))
              : proceed
          )
        yield* refuse(/\/data-tables$/)
        const planned = yield* plan({ include: ["rows"] })
        assert.deepInclude(yield* apply(planned), { done: 0 })
        assert.lengthOf(yield* listAt("production", "/workflows"), 0)
        yield* refuse(/\/rows$/)
        const again = yield* plan({ include: ["rows"] })
        assert.include(text(yield* apply(again)), "was not made (insert rows")
        assert.lengthOf(yield* listAt("production", "/workflows"), 0)
        yield* meddle(undefined)
        assert.deepInclude(yield* apply(again), { state: "applied", done: 3 })
      }).pipe(over())
  )

  it.live("brings no more rows than a plan keeps", () =>
    Effect.gen(function* () {
      const orders = yield* madeTable("staging", "Orders", 10_001)
      yield* madeWorkflow("staging", "Sales", tableNode("Read", byId(orders, "Orders")))
      const request = { from: "staging", to: "production", name: "*", include: ["rows"] }
      assert.include((yield* refused("plan_promotion", request)).message, "Orders has more than 10000 rows")
      assert.deepInclude(yield* plan(), { steps: 2, blocked: [] })
      const all = { columnName: "id", condition: "gt", value: 0 }
      const emptied = (...filters: ReadonlyArray<object>) =>
        ({ instance: "staging", table: orders, action: "delete", filter: { filters } }) as const
      const { message } = yield* refused("change_data_table", emptied(all))
      const [, first = ""] = /the first 10000 are those of (\{.*?\})/.exec(message) ?? []
      const part = yield* ask("change_data_table", emptied(all, Object(JSON.parse(first))))
      assert.deepInclude(yield* apply(part), { state: "applied" })
      assert.lengthOf(yield* listAt("staging", `/data-tables/${orders}/rows`), 1)
    }).pipe(over())
  )
})

const secret = "hidden-4711"
const portNumber = 471147114711471
/** A configured source of the values of variables. */
const vault = (values: Json) => ({ vault: { use: "variables" as const, values: Effect.succeed(values) } })

const fetchNode = (url: string) => ({
  name: "Fetch",
  type: "n8n-nodes-base.httpRequest",
  typeVersion: 4.2,
  position: [220, 0],
  parameters: { url, options: {} }
})

/** Values of variables by their names, past all of our code. */
const variables = (instance: string) =>
  Effect.map(listAt(instance, "/variables"), (all) =>
    Object.fromEntries(all.map(({ key, value }) => [String(key), value]))
  )

const entering = (reply: Reply, forms: Array<string> = []) =>
  Effect.provideService(Elicitation, {
    ask: undefined,
    enter: (form) =>
      Effect.sync(() => {
        forms.push(text(form))
        return reply
      })
  })

describe("a promotion of a workflow that uses variables", () => {
  const url = "=https://{{ $vars.host }}/{{ $vars['path'] }}?{{ $vars.theirs }}"
  const madeHere = Effect.gen(function* () {
    const { send } = yield* Beside
    yield* madeWorkflow("staging", "Sales", fetchNode(url))
    yield* send("production", "POST", "/variables", { key: "theirs", value: "1" })
  })

  it.live("is blocked where the target lacks them, as no model is to give their values", () =>
    Effect.gen(function* () {
      yield* madeHere
      const planned = yield* plan()
      assert.deepInclude(planned, { steps: 0, blocked_count: 1 })
      const words = text(planned["blocked"])
      assert.include(words, "production has no variable host (node Fetch): create it there, or take its value from")
      assert.include(words, "no variable path")
      assert.notInclude(words, "theirs")
      const request = { from: "staging", to: "production", name: "*", include: ["variables"] }
      const { message } = yield* refused("plan_promotion", request)
      assert.include(message, "no person can be asked for the values here")
      const declined = yield* entering({ _tag: "Declined" })(refused("plan_promotion", request))
      assert.include(declined.message, "The values of the variables host, path on instance production were not entered")
    }).pipe(over())
  )

  it.live("makes them with values that a source and a person give, which no answer shows, and deletes them again", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      yield* madeHere
      const before = { ...(yield* stateOf("production")), variables: yield* variables("production") }
      const forms: Array<string> = []
      const planned = yield* plan({ include: ["variables"], source: "vault" }).pipe(
        entering({ _tag: "Accepted", content: { host: secret } }, forms),
        Effect.provideService(CredentialSources, vault({ path: portNumber, other: 1 }))
      )
      assert.lengthOf(forms, 1)
      assert.include(forms[0], '"properties":{"host":{"type":"string","maxLength":1000}}')
      assert.deepInclude(planned, { blocked: [], steps: 3 })
      const described = yield* ask("show_plan", planIdOf(planned))
      yield* appliedDespiteLosses(planned)
      assert.deepStrictEqual(yield* variables("production"), { theirs: "1", host: secret, path: String(portNumber) })
      assert.deepInclude(yield* plan(), { steps: 0, blocked: [] })
      const back = yield* rollbackOf(planned)
      for (const answer of [planned, described, back, yield* ask("show_plan", planIdOf(back))]) {
        assert.include(text(answer), "(not shown)")
        assert.notInclude(text(answer), secret)
        assert.notInclude(text(answer), String(portNumber))
      }
      yield* appliedDespiteLosses(back)
      assert.deepStrictEqual({ ...(yield* stateOf("production")), variables: yield* variables("production") }, before)

      const again = yield* plan({ source: "vault" }).pipe(
        Effect.provideService(CredentialSources, vault({ path: "orders", host: secret }))
      )
      yield* apply(again)
      const [host] = (yield* listAt("production", "/variables")).filter(({ key }) => key === "host")
      yield* send("production", "PUT", `/variables/${String(host?.["id"])}`, { key: "host", value: "changed" })
      const partly = yield* rollbackOf(again)
      assert.include(text(partly["blocked"]), "someone else has changed it since")
      assert.deepInclude(yield* apply(partly), { state: "applied" })
      assert.deepStrictEqual(yield* variables("production"), { theirs: "1", host: "changed" })
    }).pipe(over())
  )

  it.live(
    "makes no workflow without its variable where that is refused, and shows no value that the refusal holds",
    () =>
      Effect.gen(function* () {
        const { meddle } = yield* Beside
        yield* madeHere
        const planned = yield* plan({ source: "vault" }).pipe(
          Effect.provideService(CredentialSources, vault({ path: secret, host: secret }))
        )
        yield* meddle((request, proceed) =>
          request.method === "POST" && request.url.endsWith("/variables")
            ? Effect.succeed(
                HttpClientResponse.fromWeb(
                  request,
                  Response.json({ message: `${secret} is not allowed` }, { status: 400 })
                )
              )
            : proceed
        )
        const report = text(yield* callTool("apply_plan", { ...planIdOf(planned), confirm: true }))
        assert.include(report, "[redacted] is not allowed")
        for (const answer of [
          report,
          text(yield* ask("show_plan", planIdOf(planned))),
          text(yield* ask("audit_log", {}))
        ])
          assert.notInclude(answer, secret)
        assert.include(report, "the change that it depends on was not made (POST production/variables (")
        assert.lengthOf(yield* listAt("production", "/workflows"), 0)
        yield* meddle(undefined)
        assert.deepInclude(yield* apply(planned), { state: "applied", done: 3 })
      }).pipe(over())
  )

  it.live("is told of a variable that only workflows of a project of the target see", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      yield* madeWorkflow("staging", "Sales", fetchNode("={{ $vars.host }}/{{ $vars.both }}"))
      yield* send("production", "POST", "/projects", { name: "Team" })
      const projectId = (yield* listAt("production", "/projects")).find(({ type }) => type === "team")?.["id"]
      for (const key of ["host", "both"])
        yield* send("production", "POST", "/variables", { key, value: "1", projectId })
      yield* send("production", "POST", "/variables", { key: "both", value: "1" })
      const planned = yield* plan()
      assert.deepInclude(planned, {
        steps: 1,
        warnings: [
          "Sales: on production the variable host (node Fetch) is one of a project: workflows outside of it do not see it"
        ]
      })
    }).pipe(over())
  )

  it.live("refuses a source whose value no variable can keep, or which is for credentials", () =>
    Effect.gen(function* () {
      yield* madeHere
      for (const host of ["x".repeat(1001), null, { name: secret }]) {
        const { message } = yield* refused("plan_promotion", { ...everything, source: "vault" }).pipe(
          Effect.provideService(CredentialSources, vault({ path: "orders", host }))
        )
        assert.include(message, "source: gives for the variable host no text of at most 1000 characters")
        assert.notInclude(message, secret)
      }
      const { message } = yield* refused("plan_promotion", { ...everything, source: "password" }).pipe(
        Effect.provideService(CredentialSources, {
          password: { use: "credentials", values: Effect.succeed({ path: "orders", host: secret }) }
        })
      )
      assert.include(message, "is for credentials alone")
    }).pipe(over())
  )

  it.live("tells of variables that nobody can check, or that a run alone knows", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      yield* madeWorkflow("staging", "Sales", fetchNode("={{ $vars.host + $vars[$json.name] }}"))
      yield* meddle((request, proceed) =>
        request.url.includes("/variables")
          ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ message: noLicence }, { status: 403 })))
          : proceed
      )
      const planned = yield* plan()
      assert.deepInclude(planned, { blocked: [], steps: 1 })
      const words = text(planned["warnings"])
      assert.include(words, "nobody has checked that production has the variables host")
      assert.include(words, "The licence of this engine does not include variables")
      assert.include(words, "node Fetch finds a variable at run time")
    }).pipe(over())
  )
})

const noLicence =
  "Your license does not allow for feat:variables. To enable feat:variables, please upgrade to a license that supports this feature."

describe("a promotion into a folder", () => {
  /** The paths of the folders of an instance, with the number of workflows in them. */
  const folders = Effect.fnUntraced(function* (instance: string) {
    const { send } = yield* Beside
    const all = yield* listAt(instance, "/projects/personal/folders")
    return yield* Effect.forEach(all, ({ id, name, parentFolderId }) =>
      Effect.map(send(instance, "GET", `/projects/personal/folders/${String(id)}`), ({ totalWorkflows }) => ({
        name: [...all.filter((one) => one["id"] === parentFolderId).map((one) => one["name"]), name].join("/"),
        totalWorkflows
      }))
    )
  })
  const wholeState = Effect.fnUntraced(function* (instance: string) {
    return {
      ...(yield* stateOf(instance)),
      variables: yield* variables(instance),
      folders: yield* folders(instance)
    }
  })

  /** The same with names in place of the ids of what plans make, which get others when they are made anew. */
  const named = Effect.fnUntraced(function* (instance: string) {
    const { folders: places, tables: held, variables: values, workflows } = yield* wholeState(instance)
    const [table] = yield* tables(instance)
    const nodes = workflows.map((one) => ({
      name: one.name,
      nodes: text(one.nodes).replaceAll(String(table?.["id"]), "table")
    }))
    return { places, held, values, nodes: nodes.toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1)) }
  })

  it.live(
    "makes folder, variable, table and workflow once, though each write loses its answer, takes all back, and makes it anew",
    () =>
      Effect.gen(function* () {
        const { send } = yield* Beside
        const orders = yield* madeTable("staging", "Orders", 2)
        yield* madeWorkflow(
          "staging",
          "Sales",
          tableNode("Read", byId(orders, "Orders")),
          fetchNode("={{ $vars.host }}")
        )
        yield* madeWorkflow("staging", "There", tableNode("Read", byName("Orders")))
        yield* madeWorkflow("production", "There")
        yield* send("production", "POST", "/projects/personal/folders", { name: "Team" })
        const before = yield* wholeState("production")
        const request = { folder: " Team/Shop/Orders/", include: ["rows"], source: "vault" }
        const planned = yield* plan(request).pipe(Effect.provideService(CredentialSources, vault({ host: secret })))
        assert.deepInclude(planned, { blocked: [], steps: 7 })
        yield* appliedDespiteLosses(planned)
        assert.deepStrictEqual(yield* folders("production"), [
          { name: "Team", totalWorkflows: 0 },
          { name: "Team/Shop", totalWorkflows: 0 },
          { name: "Shop/Orders", totalWorkflows: 1 }
        ])
        assert.deepStrictEqual(yield* variables("production"), { host: secret })
        assert.deepStrictEqual(yield* contents("production"), yield* contents("staging"))
        const [, read] = yield* nodesOf("production", "Sales")
        const [table] = yield* tables("production")
        assert.nestedPropertyVal(read, "parameters.dataTableId.value", table?.["id"])
        assert.deepInclude(yield* plan(request), { steps: 0, blocked: [] })
        const made = yield* named("production")
        const back = yield* rollbackOf(planned)
        yield* appliedDespiteLosses(back)
        assert.deepStrictEqual(yield* wholeState("production"), before)

        const forth = yield* rollbackOf(back)
        yield* appliedDespiteLosses(forth)
        assert.deepStrictEqual(yield* named("production"), made)
        yield* appliedDespiteLosses(yield* rollbackOf(forth))
        assert.deepStrictEqual(yield* wholeState("production"), before)
      }).pipe(over())
  )

  it.live("is made anew with calls of the workflows that are made anew with it", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      const sub = yield* send("staging", "POST", "/workflows", {
        name: "Sub",
        nodes: [passthroughTrigger],
        connections: {},
        settings: {}
      })
      const workflowId = { __rl: true, mode: "id", value: sub["id"] }
      yield* madeWorkflow("staging", "Main", {
        name: "Call",
        type: "n8n-nodes-base.executeWorkflow",
        typeVersion: 1.2,
        position: [220, 0],
        parameters: { workflowId }
      })
      const planned = yield* plan({ activation: "inactive" })
      yield* apply(planned)
      const back = yield* rollbackOf(planned)
      yield* apply(back)
      yield* apply(yield* rollbackOf(back))
      const there = yield* listAt("production", "/workflows")
      const [, call] = yield* nodesOf("production", "Main")
      assert.nestedPropertyVal(call, "parameters.workflowId.value", there.find(({ name }) => name === "Sub")?.["id"])
    }).pipe(over())
  )

  it.live("leaves a folder that somebody has used since", () =>
    Effect.gen(function* () {
      const { send } = yield* Beside
      yield* madeWorkflow("staging", "Sales")
      const planned = yield* plan({ folder: "Team" })
      yield* apply(planned)
      const [team] = yield* listAt("production", "/projects/personal/folders")
      const body = { name: "Else", nodes: [hook("else")], connections: {}, settings: {}, parentFolderId: team?.["id"] }
      yield* send("production", "POST", "/workflows", body)
      const back = yield* rollbackOf(planned)
      assert.include(text([back, yield* apply(back)]), "it is not empty any more, so that it stays")
      assert.deepStrictEqual(yield* folders("production"), [{ name: "Team", totalWorkflows: 1 }])
    }).pipe(over())
  )

  it.live(
    "goes to the root where the licence has no folders, and the plan says so; as where nobody knows the project; and nowhere where their list has no end",
    () =>
      Effect.gen(function* () {
        const { meddle } = yield* Beside
        const refusal = () => Response.json({ message: noFolders }, { status: 403 })
        yield* madeWorkflow("staging", "Sales")
        yield* meddle((request, proceed) =>
          request.url.includes("/folders") ? Effect.succeed(HttpClientResponse.fromWeb(request, refusal())) : proceed
        )
        const planned = yield* plan({ folder: "Team" })
        assert.include(text(planned["warnings"]), "New workflows go to the root of production, into no folder: ")
        assert.include(text(planned["warnings"]), "The licence of this engine does not include folders")
        assert.deepInclude(yield* apply(planned), { state: "applied", done: 1 })
        let pages = 0
        yield* meddle((request, proceed) => {
          if (!request.url.includes("/folders")) return proceed
          const page = { count: 1_000_000, data: [{ id: "f1", name: "Else" }] }
          return Effect.succeed(HttpClientResponse.fromWeb(request, ++pages > 3 ? refusal() : Response.json(page)))
        })
        const endless = yield* refused("plan_promotion", {
          from: "staging",
          to: "production",
          name: "*",
          folder: "Team"
        })
        assert.include(endless.message, "has no end that an engine's list has")
        assert.strictEqual(pages, 2)
        yield* meddle((request, proceed) => {
          if (!/\/projects(?:\?|$)/.test(request.url)) return proceed
          const projects = ["mine", "another's"].map((name) => ({ id: name, name, type: "personal" }))
          const page = Response.json({ data: projects, nextCursor: null })
          return Effect.succeed(HttpClientResponse.fromWeb(request, page))
        })
        yield* madeWorkflow("staging", "Sales of others")
        const several = yield* plan({ folder: "Team" })
        assert.include(text(several["warnings"]), "does not tell which personal project is the key's")
        const create = {
          instance: "production",
          name: "Lost",
          nodes: [fetchNode("https://example.com")],
          connections: {},
          folder: "Team"
        }
        assert.include((yield* refused("create_workflow", create)).message, "is needed beside folder")
        const empty = { from: "staging", to: "production", name: "*", folder: " / " }
        assert.include((yield* refused("plan_promotion", empty)).message, "must be a path, such as Sales/Orders")
      }).pipe(over())
  )
})

const noFolders =
  "Your license does not allow for feat:folders. To enable feat:folders, please upgrade to a license that supports this feature."
