import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"

import { answers } from "../../internal/http/standIn.ts"
import { ask, environment, type Json, operatorToolsets, refused, serverOver } from "../../support/harness.ts"
import { workflowOf } from "../../support/manyWorkflows.ts"
import { engineThat, host, json, key } from "../tools/standIn.ts"
import { planted } from "../upgrade/planted.ts"

interface Engine {
  readonly version?: string
  readonly workflows: ReadonlyArray<Json>
  readonly executions?: ReadonlyArray<Json>
  /** An execution with its data. */
  readonly execution?: Json
}

/** An engine with these workflows and executions. */
const engineOf = ({ execution = {}, executions = [], version = "1.82.3", workflows }: Engine) =>
  engineThat(({ path }) => {
    const { pathname, searchParams } = new URL(path, host)
    if (pathname === "/rest/settings") return json({ data: { versionCli: version } })
    if (/\/executions\/\d+$/.test(pathname)) return json(execution)
    const [, id] = /\/workflows\/(\w+)$/.exec(pathname) ?? []
    if (id !== undefined) return json(workflows.find((one) => one["id"] === id) ?? {}, 200)
    const all = pathname.endsWith("/workflows") ? workflows : pathname.endsWith("/executions") ? executions : []
    const from = Number(searchParams.get("cursor") ?? 0)
    const to = Math.min(from + Number(searchParams.get("limit") ?? 100), all.length)
    return json({ data: all.slice(from, to), nextCursor: to < all.length ? String(to) : null })
  })

/** The server over instances of one engine. */
const over = ({ client }: ReturnType<typeof engineOf>, names: ReadonlyArray<string> = ["production"]) => {
  const instance = environment(host, key, { requestsPerSecond: Infinity })
  return Effect.provide(
    serverOver(
      Object.fromEntries(names.map((name) => [name, instance])),
      Layer.succeed(HttpClient.HttpClient, client),
      operatorToolsets
    )
  )
}

const Counts = { workflows: Schema.Int, stop: Schema.Int, change: Schema.Int, cosmetic: Schema.Int, clean: Schema.Int }
const Report = Schema.Struct({
  notice: Schema.optionalKey(Schema.String),
  instances: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        instance: Schema.String,
        version: Schema.String,
        archived: Schema.optionalKey(Schema.Int),
        ...Counts
      })
    )
  ),
  workflows: Schema.Array(
    Schema.Struct({
      instance: Schema.String,
      id: Schema.String,
      severity: Schema.String,
      rules: Schema.Record(Schema.String, Schema.Unknown),
      runs: Schema.optionalKey(Schema.Int),
      calledBy: Schema.optionalKey(Schema.Array(Schema.String))
    })
  ),
  more: Schema.optionalKey(Schema.Int),
  nextCursor: Schema.optionalKey(Schema.String)
})
const decodeReport = Schema.decodeUnknownEffect(Report)

const Details = Schema.Struct({
  findings: Schema.Int,
  data: Schema.Array(
    Schema.Struct({
      rule: Schema.String,
      severity: Schema.String,
      node: Schema.optionalKey(Schema.String),
      field: Schema.optionalKey(Schema.String),
      line: Schema.optionalKey(Schema.Int),
      happens: Schema.String,
      rewrite: Schema.String,
      why: Schema.optionalKey(Schema.String)
    })
  ),
  todo: Schema.Record(Schema.String, Schema.String),
  nextCursor: Schema.optionalKey(Schema.String)
})

const bytesOf = (answer: unknown) => new TextEncoder().encode(JSON.stringify(answer)).length

/** The report, in no more bytes than it may have. */
const reportOf = Effect.fnUntraced(function* (args: Json = {}) {
  const answer = yield* ask("check_upgrade", args)
  assert.isAtMost(bytesOf(answer), 4096)
  return yield* decodeReport(answer)
})

/** Every third of the planted workflows, and those that they call: pages are read anew for each cursor. */
const thirds = planted.filter(({ workflow: { id } }, at) => !/^[abc]/.test(id) || at % 3 === 0)

/** All pages of a report. */
const wholeReport = Effect.fnUntraced(function* (args: Json = {}) {
  const first = yield* reportOf(args)
  const rows = [...first.workflows]
  for (let { nextCursor } = first; nextCursor !== undefined;) {
    const next = yield* reportOf({ cursor: nextCursor })
    rows.push(...next.workflows)
    nextCursor = next.nextCursor
  }
  return { first, rows }
})

const step = (type: string, parameters: Json = {}, more: Json = {}): Json => ({
  id: "n1",
  name: "Step",
  type: `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more
})

const workflow = (id: string, nodes: ReadonlyArray<Json>, more: Json = {}): Json => ({
  ...workflowOf(1, 1),
  id,
  name: `Workflow ${id}`,
  nodes,
  connections: {},
  ...more
})

const runs = (workflowId: string, count: number, seconds = 1) =>
  Array.from({ length: count }, (_, at) => ({
    id: 100 + at,
    workflowId,
    mode: "trigger",
    status: "success",
    finished: true,
    startedAt: new Date(3_600_000 * (at + 1)).toISOString(),
    stoppedAt: new Date(3_600_000 * (at + 1) + seconds * 1000).toISOString()
  }))

describe("check_upgrade", () => {
  it.effect("finds in a fleet what is planted there, page after page, and counts it exactly", () =>
    Effect.gen(function* () {
      const { first, rows } = yield* wholeReport()
      const expected = thirds.filter(({ expected: findings }) => findings.length > 0)
      const rulesIn = new Map(rows.map(({ id, rules }) => [id, Object.keys(rules).toSorted()]))
      assert.deepStrictEqual(
        expected.map(({ workflow: { id } }) => [id, rulesIn.get(id)]),
        expected.map(({ expected: findings, workflow: { id } }) => [
          id,
          [...new Set(findings.map(({ rule }) => rule))].toSorted()
        ])
      )
      assert.lengthOf(rows, expected.length)
      const [counts] = first.instances ?? []
      const worst = (severity: string, ...others: ReadonlyArray<string>) =>
        expected.filter(({ expected: findings }) => {
          const severities = findings.map((one): string => one.severity)
          return severities.includes(severity) && !others.some((other) => severities.includes(other))
        }).length
      assert.deepInclude(counts, {
        workflows: thirds.length,
        stop: worst("stops"),
        change: worst("changes results", "stops"),
        cosmetic: worst("cosmetic", "changes results", "stops"),
        clean: thirds.length - expected.length
      })
    }).pipe(over(engineOf({ workflows: thirds.map(({ workflow: one }) => one) })))
  )

  it.effect("fits into 4,096 bytes for ten instances with 5,000 findings, whatever their names are", () => {
    const long = "Ж\u{1F600}".repeat(60)
    const nodes = Array.from({ length: 10 }, (_, at) => step("function", {}, { name: `${long} ${at}` }))
    const workflows = Array.from({ length: 50 }, (_, at) => workflow(`w${at}`, nodes, { name: `${long} ${at}` }))
    const names = Array.from({ length: 10 }, (_, at) => `instance-with-a-rather-long-name-${at}`)
    return Effect.gen(function* () {
      const first = yield* reportOf({ instances: "*" })
      assert.lengthOf(first.instances ?? [], 10)
      for (const counts of first.instances ?? []) assert.include(counts, { workflows: 50, stop: 50, clean: 0 })
      const second = yield* reportOf({ cursor: first.nextCursor })
      const rows = [...first.workflows, ...second.workflows]
      assert.lengthOf(new Set(rows.map(({ id, instance }) => `${instance} ${id}`)), rows.length)
      assert.strictEqual(rows.length + (second.more ?? 0), 500)
    }).pipe(over(engineOf({ workflows }), names))
  })

  it.effect("tells every finding of a workflow with its node, field, line and what to do", () => {
    const nodes = [
      step("function", { functionCode: "const a = 1\nreturn [{ json: { a: $env.KEY } }]" }),
      step("cron", { triggerTimes: { item: [{ mode: "everyDay" }] } }, { name: "Clock" }),
      step("executeWorkflow", { workflowId: "b" }, { name: "Call" })
    ]
    const workflows = [workflow("a", nodes, { active: true }), workflow("b", []), workflow("c", [step("set")])]
    return Effect.gen(function* () {
      const answer = yield* ask("check_upgrade", { workflow: "Workflow a" })
      const { data, findings, todo } = yield* Schema.decodeUnknownEffect(Details)(answer)
      assert.strictEqual(findings, 4)
      assert.deepStrictEqual(
        data.map(({ field, line, node, rewrite, rule }) => [rule, node, field, line, rewrite]),
        [
          ["U2-env", "Step", "parameters.functionCode", 2, "none"],
          ["U3-function", "Step", "type", undefined, "none"],
          ["U3-cron", "Clock", "type", undefined, "proved possible"],
          ["U2-publish", "Call", "parameters.workflowId", undefined, "none"]
        ]
      )
      assert.sameMembers(Object.keys(todo), ["U2-env", "U3-function", "U3-cron", "U2-publish"])
      assert.match(String(data[1]?.why), /env/)
      const { message } = yield* refused("check_upgrade", { workflow: "Workflow z" })
      assert.include(message, "is no id or name of a workflow of production")
    }).pipe(over(engineOf({ workflows })))
  })

  it.effect("is told by check_workflow, too, of what later versions stop", () => {
    const nodes = [
      step("function", { functionCode: "return items" }, { name: "Function" }),
      step("itemLists", {}, { name: "Lists", typeVersion: 3 }),
      step("cron", {}, { name: "Cron" }),
      step("gmailTrigger", {}, { name: "Mail", typeVersion: 1.2 }),
      { ...step("", { agent: "sqlAgent" }), name: "Agent", type: "@n8n/n8n-nodes-langchain.agent", typeVersion: 1.7 }
    ]
    return Effect.gen(function* () {
      const { findings } = yield* ask("check_workflow", { id: "a" })
      const warnings = Schema.decodeUnknownSync(
        Schema.Array(Schema.Struct({ node: Schema.optionalKey(Schema.String), problem: Schema.String }))
      )(findings)
      assert.deepStrictEqual(
        warnings.flatMap(({ node, problem }) => (problem.startsWith("from version 3.0 on: ") ? [node] : [])),
        ["Function", "Lists", "Cron", "Agent"]
      )
    }).pipe(over(engineOf({ workflows: [workflow("a", nodes)] })))
  })

  it.effect("tells all of many findings of one workflow by cursor", () => {
    const nodes = Array.from({ length: 300 }, (_, at) => step("function", {}, { name: `Step ${at}` }))
    return Effect.gen(function* () {
      const nodesSeen: Array<string | undefined> = []
      let nextCursor: string | undefined
      do {
        const answer = yield* ask(
          "check_upgrade",
          nextCursor === undefined ? { workflow: "a" } : { cursor: nextCursor }
        )
        assert.isAtMost(bytesOf(answer), 4096)
        const page = yield* Schema.decodeUnknownEffect(Details)(answer)
        nodesSeen.push(...page.data.map(({ node }) => node))
        nextCursor = page.nextCursor
      } while (nextCursor !== undefined)
      assert.deepStrictEqual(
        nodesSeen,
        nodes.map(({ name }) => String(name))
      )
    }).pipe(over(engineOf({ workflows: [workflow("a", nodes)] })))
  })

  it.effect("names the callers of a workflow, how often it ran, and code that took more than a minute", () => {
    const nodes = [step("code", { jsCode: "return items" }, { name: "Slow" })]
    const workflows = [
      workflow("a", nodes, { active: true }),
      workflow("b", [step("executeWorkflow", { workflowId: "a" })], { active: true }),
      workflow("c", [step("noOp")], { settings: { errorWorkflow: "a" } })
    ]
    const execution = {
      ...runs("a", 1, 100)[0],
      data: { resultData: { runData: { Slow: [{ executionTime: 75_000, startTime: 1 }] } } },
      workflowData: { nodes }
    }
    return Effect.gen(function* () {
      const { workflows: rows } = yield* reportOf()
      assert.lengthOf(rows, 1)
      assert.deepInclude(rows[0], {
        id: "a",
        severity: "stops",
        rules: { "U3-minute": "Slow" },
        runs: 4,
        calledBy: ["Workflow b (b)", "Workflow c (c)"]
      })
    }).pipe(over(engineOf({ workflows, executions: runs("a", 4, 100), execution })))
  })

  it.effect("says in its first line that an engine or the target is newer than the rules", () =>
    Effect.gen(function* () {
      const answer = yield* ask("check_upgrade")
      assert.match(JSON.stringify(answer), /^\{"notice":"These rules end at version 3.0, and production has 3.1.4: /)
      const newer = yield* ask("check_upgrade", { to: "3.2" })
      assert.match(JSON.stringify(newer), /^\{"notice":"These rules end at version 3.0, and the target is 3.2, /)
    }).pipe(over(engineOf({ version: "3.1.4", workflows: [workflow("a", [step("function")])] })))
  )

  it.effect("tells nothing that is later than the target, and of a freeze that nodes run on", () =>
    Effect.gen(function* () {
      const { workflows: none } = yield* reportOf({ to: "2.42.5" })
      assert.lengthOf(none, 0)
      const { workflows: frozen } = yield* reportOf({ to: "2.42.6" })
      assert.deepInclude(frozen[0], { severity: "cosmetic", rules: { "U3-function": "Step" } })
      const { workflows: gone } = yield* reportOf({ to: 3 })
      assert.deepInclude(gone[0], { severity: "stops", rules: { "U3-function": "Step" } })
      const { message } = yield* refused("check_upgrade", { to: "next" })
      assert.include(message, "must be a version such as 2.48.5 or 3.0")
      const { message: cursor } = yield* refused("check_upgrade", { cursor: "abc" })
      assert.include(cursor, "must be the nextCursor of an earlier check_upgrade")
    }).pipe(over(engineOf({ version: "2.41.1", workflows: [workflow("a", [step("function")])] })))
  )

  it.effect("reads what is published beside what is edited, and leaves archived workflows out", () => {
    const activeVersion = { versionId: "v1", nodes: [step("function")], connections: {} }
    const workflows = [
      workflow("a", [step("code")], { active: true, versionId: "v2", activeVersion }),
      workflow("b", [step("function")], { isArchived: true })
    ]
    return Effect.gen(function* () {
      const { instances, workflows: rows } = yield* reportOf()
      assert.deepInclude(instances?.[0], { workflows: 1, archived: 1, stop: 1 })
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        ["a"]
      )
    }).pipe(over(engineOf({ version: "2.41.1", workflows })))
  })

  const listed = [workflow("a", [step("function")]), workflow("b", [step("function")], { isArchived: true })]
  const pages = [
    { data: listed, nextCursor: "2" },
    { data: [...listed, workflow("c", [step("code")])], nextCursor: null }
  ]
  it.effect.each(["application/json", "text/plain"])(
    "counts each workflow once where the list moves on, as %s",
    (type) => {
      const left = pages.map((page) => answers(200, { "content-type": type }, JSON.stringify(page)))
      const engine = engineThat(({ path }) => {
        if (path.startsWith("/rest/settings")) return json({ data: { versionCli: "2.41.1" } })
        return (path.includes("/workflows") ? left.shift() : undefined) ?? json({ data: [], nextCursor: null })
      })
      return Effect.gen(function* () {
        const { instances, workflows: rows } = yield* reportOf()
        assert.deepInclude(instances?.[0], { workflows: 2, archived: 1, stop: 1, clean: 1 })
        assert.deepStrictEqual(
          rows.map(({ id, rules }) => [id, Object.keys(rules)]),
          [["a", ["U3-function"]]]
        )
      }).pipe(over(engine))
    }
  )

  it.effect("shows no secret that stands in names, paths and code", () => {
    const secret = "sk-proj-0123456789abcdefghijklmnopqrstuv"
    const nodes = [
      step("code", { jsCode: `return [{ json: { a: $env["${secret}"], password: "${secret}" } }]` }),
      step("readWriteFile", { fileSelector: `/data/${secret}` }, { name: `Read ${secret}` }),
      step("code", { jsCode: `process.env.${secret} = (` }, { name: "Broken" })
    ]
    return Effect.gen(function* () {
      const texts = [yield* ask("check_upgrade"), yield* ask("check_upgrade", { workflow: "a" })].map((one) =>
        JSON.stringify(one)
      )
      for (const text of texts) assert.notInclude(text, secret)
    }).pipe(over(engineOf({ workflows: [workflow("a", nodes)] })))
  })

  const large = engineOf({
    workflows: Array.from({ length: 500 }, (_, at) => ({ ...workflowOf(at, 20), active: true })),
    executions: runs("w1", 1500)
  })
  it.effect("reads 500 workflows of 20 nodes in less than 60 requests", () =>
    Effect.gen(function* () {
      const { instances } = yield* reportOf()
      assert.include(instances?.[0], { workflows: 500, clean: 500 })
      assert.isBelow(large.requests.length, 60)
    }).pipe(over(large))
  )
})
