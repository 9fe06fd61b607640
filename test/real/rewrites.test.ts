import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"

import { assert, layer } from "@effect/vitest"
import { Parser } from "acorn"
import { Duration, Effect, Exit, Layer, Schedule, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { inject } from "vitest"

import { boundedParser } from "../../src/engine/nodes/check/javaScript.ts"
import { runDataOf } from "../../src/engine/operator/explain/runData.ts"
import { compareOutputs, runsOfNode } from "../../src/engine/operator/proof/compare.ts"
import { rewriteWorkflow } from "../../src/engine/upgrade/rewrites/rewrites.ts"
import type { RuleId } from "../../src/engine/upgrade/Rule.ts"
import { rules, rulesOn } from "../../src/engine/upgrade/rules.ts"
import { objectOf, objectsOf } from "../../src/internal/schema/JsonObject.ts"
import { directory, useCommand } from "../cli/built.ts"
import { eventually, given, node, to, webhook } from "../contract/fixtures.ts"
import { overReal, TestedEngine } from "../contract/TestedEngine.ts"
import { scene } from "../contract/twoEngines.ts"
import { operatorCommand, watched } from "../engine/plans/process.ts"
import { Beside, mutateCopies, serverWithPlans } from "../engine/plans/support.ts"
import { planted } from "../engine/upgrade/planted.ts"
import { engineFolder } from "../engines/install.ts"
import { ask, type Json } from "../support/harness.ts"
import { agentWorkflow, fakeModel } from "./fakeModel.ts"

useCommand()

/** Lists of items that each pair of an old node and its rewrite gets; `REWRITTEN_LISTS=1000` gives as many as were promised. */
const lists = Number(process.env["REWRITTEN_LISTS"] ?? 60)

/** Workflows that one plan rewrites; `UPGRADED_WORKFLOWS=200` makes as many as were promised. */
const workflows = Number(process.env["UPGRADED_WORKFLOWS"] ?? 5)

/** Milliseconds for one test, on a machine with other work. */
const longest = Math.max(300_000, lists * 1000, workflows * 15_000)

const readWorkflow = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.StructWithRest(Schema.Struct({ nodes: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  )
)

/** A workflow that reads and writes in a folder. */
const inFolder = (workflow: Json, files: string) => readWorkflow(JSON.stringify(workflow).replaceAll(folder, files))

/** Numbers that look random, the same for the same seed. */
const numbers = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed
}

/** Lists of up to four items, with fields that are missing at times. */
const generated = (): ReadonlyArray<ReadonlyArray<Json>> => {
  const next = numbers(7)
  const below = (count: number) => Math.floor((next() / 2_147_483_648) * count)
  const item = (): Json => ({
    id: below(3),
    name: ["Ann", "Bob", "", "Zoë"][below(4)],
    ...(below(3) === 0 ? {} : { tags: Array.from({ length: below(3) }, () => ["a", "b", { c: below(2) }][below(3)]) }),
    ...(below(3) === 0 ? {} : { note: below(4) === 0 ? null : `n${below(3)}` }),
    more: { deep: below(5), list: [{ x: below(9) }, { x: 1 }] },
    html: `<ul><li class="a">${below(9)}</li><li>two <b>${below(9)}</b></li></ul>`
  })
  return Array.from({ length: lists }, () => Array.from({ length: below(5) }, item))
}

interface Pair {
  readonly rule: RuleId
  readonly kind: string
  readonly typeVersion: number
  readonly parameters: Json
  /** The property of the file in the output, whose bytes are compared. */
  readonly file?: string | undefined
  /** The text of the file in `data` with which each item comes. */
  readonly given?: string
  /** Whether the rewrite tells of other input items that its items come from, as its conditions say. */
  readonly isUnpaired?: boolean
}

const code = (kind: "function" | "functionItem", functionCode: string): Pair => ({
  rule: kind === "function" ? "U3-function" : "U3-functionItem",
  kind,
  typeVersion: 1,
  parameters: { functionCode }
})

const listed = (typeVersion: number, parameters: Json): Pair => ({
  rule: "U3-itemLists",
  kind: "itemLists",
  typeVersion,
  parameters
})

const fields = (...names: ReadonlyArray<string>) => ({ fields: names.map((fieldName) => ({ fieldName })) })

const html = "'<p>' + json.name + '</p>'"

const withFile = (pair: Pair): Pair => ({ ...pair, given: html, file: "data" })

/** The folder in which engines may read and write, for one of their own. */
const folder = "/in-the-folder-of-files"

const filePair = (rule: RuleId, file: string, parameters: Json): Pair => ({
  rule,
  kind: rule.slice("U3-".length),
  typeVersion: 1,
  parameters,
  given: html,
  file
})

const moved = (typeVersion: number, parameters: Json, more: Partial<Pair> = {}): Pair => ({
  ...filePair("U3-moveBinaryData", "made", { options: {}, ...parameters }),
  typeVersion,
  ...more
})

/**
 * The rewrites that always give the same, with the old node that each is of. A sort by code is none of them here: every second
 * one fails in an engine, whichever node does it.
 */
const pairs: Readonly<Record<string, Pair>> = {
  "items changed, counted, reordered and kept in mind": code(
    "function",
    `const state = getWorkflowStaticData('node');
const items2 = [...items].reverse();
for (let i = 0; i < items.length; i++) items[i].json.place = items[i].index;
for (const item of items2) {
  state.n = (state.n || 0) + 1;
  item.json.n = state.n;
  item.json.x = item.json.id + $items('Round').length;
}
return items2.slice(0, 3);`
  ),
  "bare objects": code("function", "total = 0;\nreturn items.map((item) => ({ n: item.json.name, t: (total += 1) }));"),
  "one object": code(
    "function",
    `const day = DateTime.fromISO('2026-01-02').toISODate();
const { name } = $workflow;
return { json: { count: items.length, day, name, deep: $jmespath($json, 'more.deep'), id: $node['Round'].json.id } };`
  ),
  "item changed": code(
    "functionItem",
    `const state = getWorkflowStaticData('node');
state.n = (state.n || 0) + 1;
item.x = state.n;
item.more.deep += 1;
return item;`
  ),
  "item by choice": code(
    "functionItem",
    "const out = { n: item.name };\nif (item.note) out.note = item.note;\nreturn item.id > 1 ? out : { small: item.id };"
  ),
  "AI Transform": {
    rule: "U3-aiTransform",
    kind: "aiTransform",
    typeVersion: 1,
    parameters: { jsCode: "return $input.all().map((one) => ({ json: { n: one.json.name } }));" }
  },
  "split 2": listed(2.2, {
    operation: "splitOutItems",
    fieldToSplitOut: "tags",
    include: "selectedOtherFields",
    fieldsToInclude: fields("id", "name"),
    options: {}
  }),
  "split 3, two fields": listed(3.1, {
    operation: "splitOutItems",
    fieldToSplitOut: "tags, more.list",
    include: "allOtherFields",
    options: { destinationFieldName: "t,l" }
  }),
  "split 3, an object": listed(3.1, { operation: "splitOutItems", fieldToSplitOut: "more", options: {} }),
  "aggregate 2": listed(2.2, {
    operation: "aggregateItems",
    fieldsToAggregate: {
      fieldToAggregate: [
        { fieldToAggregate: "id" },
        { fieldToAggregate: "note", renameField: true, outputFieldName: "notes" }
      ]
    },
    options: {}
  }),
  "aggregate 3, all": listed(3.1, {
    operation: "concatenateItems",
    aggregate: "aggregateAllItemData",
    destinationFieldName: "all",
    include: "specifiedFields",
    fieldsToInclude: "id, name",
    options: {}
  }),
  "aggregate 3, merged": listed(3.1, {
    operation: "concatenateItems",
    fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: "tags" }] },
    options: { mergeLists: true, keepMissing: true }
  }),
  "limit 1": listed(1, { operation: "limit", maxItems: 2, keep: "lastItems" }),
  "limit 3": listed(3.1, { operation: "limit", maxItems: 2 }),
  "duplicates 3": listed(3.1, {
    operation: "removeDuplicates",
    compare: "selectedFields",
    fieldsToCompare: "id",
    options: {}
  }),
  "sort 1": listed(1, {
    operation: "sort",
    sortFieldsUi: { sortField: [{ fieldName: "id", order: "descending" }] },
    options: {}
  }),
  "summarize 2": listed(2.2, {
    operation: "summarize",
    fieldsToSummarize: {
      values: [
        { aggregation: "sum", field: "id" },
        { aggregation: "concatenate", field: "note" }
      ]
    },
    fieldsToSplitBy: "name",
    options: {}
  }),
  "summarize 3": listed(3.1, {
    operation: "summarize",
    fieldsToSummarize: { values: [{ aggregation: "count", field: "note" }] },
    fieldsToSplitBy: "note",
    options: {}
  }),
  HTML: {
    rule: "U3-htmlExtract",
    kind: "htmlExtract",
    typeVersion: 1,
    parameters: {
      sourceData: "json",
      dataPropertyName: "html",
      extractionValues: {
        values: [
          { key: "all", cssSelector: "li", returnArray: true },
          { key: "one", cssSelector: ".a", returnValue: "text" }
        ]
      },
      options: {}
    }
  },
  iCal: {
    rule: "U3-iCal",
    kind: "iCal",
    typeVersion: 1,
    parameters: {
      title: "={{ $json.name || 'none' }}",
      start: "2026-01-02T10:00:00",
      end: "2026-01-02T11:00:00",
      additionalFields: { uid: "=u{{ $json.id }}" }
    }
  },
  "items with files, one of them read": withFile(
    code(
      "function",
      `for (let i = 0; i < items.length; i++) {
  const file = await getBinaryDataAsync(items[i]);
  items[i].json.size = Buffer.from(file.data.data, 'base64').length;
}
return items;`
    )
  ),
  "an item with its files": withFile(
    code(
      "functionItem",
      "const file = await getBinaryDataAsync();\nitem.size = Buffer.from(file.data.data, 'base64').length;\nreturn item;"
    )
  ),
  "a file read": filePair("U3-readBinaryFile", "read", {
    filePath: `=${folder}/in-{{ $json.id }}.txt`,
    dataPropertyName: "read"
  }),
  "files read": {
    ...filePair("U3-readBinaryFiles", "data", { fileSelector: `${folder}/in-*.txt` }),
    isUnpaired: true
  },
  "a file written": filePair("U3-writeBinaryFile", "data", { fileName: `=${folder}/out-{{ $json.id }}.txt` }),
  "HTML of a file": {
    rule: "U3-htmlExtract",
    kind: "htmlExtract",
    typeVersion: 1,
    parameters: {
      sourceData: "binary",
      dataPropertyName: "data",
      extractionValues: { values: [{ key: "one", cssSelector: "p", returnValue: "html" }] },
      options: { trimValues: false }
    },
    given: html
  },
  "the JSON as a file 1": moved(1, { mode: "jsonToBinary", destinationKey: "made" }),
  "the JSON as a file 1.1": moved(1.1, { mode: "jsonToBinary", convertAllData: true, destinationKey: "made" }),
  "a field as a file": moved(1.1, {
    mode: "jsonToBinary",
    convertAllData: false,
    sourceKey: "note",
    destinationKey: "made"
  }),
  "a file as the JSON": moved(
    1,
    {},
    { given: "JSON.stringify({ made: json.id, list: [json.name] })", file: undefined }
  ),
  "a file as a field": moved(
    1.1,
    { setAllData: false, destinationKey: "text" },
    { given: "String.fromCharCode(65279) + json.name", file: undefined }
  )
}

/** The rules about workflows that name others, whose ids are the engine's own. */
const across = new Set<string>(rules.filter(({ isAcross }) => isAcross === true).map(({ id }) => id))

const around = {
  parse: boundedParser({ Parser }),
  callers: [],
  takesCallerPolicy: false,
  problemOf: () => undefined
}

/** The old node and its rewrite, which are called `Old` and `New`, behind a node. */
const both = ({ kind, parameters, rule, typeVersion }: Pair, before: string) => {
  const old = {
    name: "Old",
    type: `n8n-nodes-base.${kind}`,
    typeVersion,
    position: [900, 0],
    parameters
  }
  const { graph, left, parts } = rewriteWorkflow(
    { nodes: [node("noOp", before), old], connections: { [before]: { main: [[to("Old")]] } }, settings: {} },
    [{ rule, node: "Old" }],
    around
  )
  assert.deepStrictEqual(left, [])
  const renamed = (name: string) => name.replace(/^Old/, "New")
  const fresh = graph.nodes
    .filter(({ name }) => name !== before)
    .map((one) => ({ ...one, name: renamed(String(one.name)), position: [900, 200] }))
  const entry = renamed(parts[0]?.entry ?? "")
  return { entry, nodes: [old, ...fresh], connections: entry === "New" ? {} : { [entry]: { main: [[to("New")]] } } }
}

/** Code that gives each item a file, and a small one beside it. */
const adding = (text: string) => `return items.map(({ json }, item) => {
  const file = (of) => ({ data: Buffer.from(of).toString('base64'), mimeType: 'text/html', fileName: 'a.html' });
  return { json, binary: { data: file(${text}), other: file('other') }, pairedItem: { item } };
});`

/** A loop whose every round hands one list to both nodes. */
const looped = (pair: Pair) => {
  const at = (one: Json, x: number, y: number) => ({ ...one, position: [x, y] })
  const { file, given: text } = pair
  const before = text === undefined ? "Round" : "Files"
  const { connections, entry, nodes } = both(pair, before)
  const files = node("code", "Files", { jsCode: adding(text ?? "") }, { typeVersion: 2 })
  const read = file === undefined ? [] : ["Old", "New"]
  const nameOfHash = (name: string) => `${name} hash`
  const hash = { action: "hash", type: "SHA256", binaryData: true, binaryPropertyName: file, dataPropertyName: "hash" }
  return {
    nodes: [
      webhook({ responseMode: "onReceived" }),
      node("splitOut", "Lists", { fieldToSplitOut: "body.lists", options: {} }),
      at(node("splitInBatches", "Loop", { batchSize: 1, options: {} }, { typeVersion: 3 }), 400, 0),
      at(node("splitOut", "Round", { fieldToSplitOut: "list", options: {} }), 600, 0),
      at(node("noOp", "Back"), 600, 600),
      ...(text === undefined ? [] : [at(files, 750, 0)]),
      ...nodes,
      ...read.map((name) => at(node("crypto", nameOfHash(name), hash), 1200, 0))
    ],
    connections: {
      Webhook: { main: [[to("Lists")]] },
      Lists: { main: [[to("Loop")]] },
      Loop: { main: [[], [to("Round"), to("Back")]] },
      ...(text === undefined ? {} : { Round: { main: [[to("Files")]] } }),
      [before]: { main: [[to("Old"), to(entry)]] },
      ...connections,
      ...Object.fromEntries(read.map((name) => [name, { main: [[to(nameOfHash(name))]] }])),
      Back: { main: [[to("Loop")]] }
    },
    settings: { executionOrder: "v1" }
  }
}

for (const engine of inject("engines")) {
  layer(overReal(engine), { excludeTestServices: true, timeout: "300 seconds" })(`on ${engine.version}`, (it) => {
    // Engines of 1.x refuse paths that begin like that of their own folder.
    const files = path.join(engine.home, engine.version.startsWith("1.") ? "files" : ".n8n-files")
    mkdirSync(files, { recursive: true })
    for (const id of [0, 1, 2]) writeFileSync(path.join(files, `in-${id}.txt`), `File ${id}\n`)

    for (const [name, pair] of Object.entries(pairs)) {
      it.effect(
        `the rewrite of ${pair.kind} (${name}) gives the same for every list`,
        () =>
          Effect.gen(function* () {
            const { call, send } = yield* TestedEngine
            const workflow = inFolder(looped(pair), files)
            const hook = String(objectOf(objectOf(workflow.nodes[0]).parameters).path)
            const { id } = yield* given({ name: `Pair ${name}`, ...workflow })
            yield* ask("activate_workflow", { id })
            const all = generated().map((list) => ({ list }))
            yield* call("POST", `/webhook/${hook}`, { lists: all })
            // An engine that is busy with the run may not answer.
            const newest = Effect.map(Effect.exit(send("GET", `/executions?workflowId=${id}`)), (exit) =>
              Exit.isSuccess(exit) ? objectsOf(objectOf(exit.value.body).data)[0] : undefined
            )
            const ended = yield* Effect.repeat(newest, {
              until: (execution) => typeof execution?.stoppedAt === "string",
              schedule: Schedule.spaced("500 millis"),
              times: longest / 500
            })
            const executionId = String(ended?.id)
            const { body } = yield* send("GET", `/executions/${executionId}?includeData=true`)
            const data = runDataOf(objectOf(body))
            assert.isDefined(data)
            assert.isUndefined(data?.error, JSON.stringify(data?.error)?.slice(0, 500))
            if (data === undefined) return
            const [old, fresh] = [runsOfNode(data, "Old"), runsOfNode(data, "New")]
            assert.isAbove(old.length, lists * 0.6)
            const differences = [
              ...compareOutputs(old, fresh, { volatile: [], isSet: false, isPaired: pair.isUnpaired !== true })
                .differences,
              ...compareOutputs(runsOfNode(data, "Old hash"), runsOfNode(data, "New hash"), {
                volatile: [],
                isSet: false,
                isPaired: true
              }).differences
            ]
            assert.deepStrictEqual(differences.slice(0, 3), [])
            if (pair.file !== undefined) assert.isAbove(runsOfNode(data, "New hash").length, lists * 0.6)
          }),
        longest
      )
    }

    it.effect(
      "check_upgrade finds what is planted on the engine, and nothing else there",
      () =>
        Effect.gen(function* () {
          const { send } = yield* TestedEngine
          const tells = new Set<string>(
            rulesOn({ from: engine.version, to: "3.0" }, ({ isAcross }) => isAcross !== true).map(({ id }) => id)
          )
          const forms = planted.filter(
            ({ expected, workflow: { id } }, at) =>
              /^[ac]/.test(id) && at % 3 === 0 && !expected.some(({ rule }) => across.has(rule))
          )
          const ours = new Map<string, ReadonlyArray<string>>()
          yield* Effect.addFinalizer(() =>
            Effect.forEach(ours.keys(), (id) => send("DELETE", `/workflows/${id}`), { concurrency: 4, discard: true })
          )
          for (const { expected, workflow } of forms) {
            const { connections, name, nodes, settings } = workflow
            const { body, status } = yield* send("POST", "/workflows", { name, nodes, connections, settings })
            const rules = new Set(expected.map(({ rule }) => rule))
            // Its API takes no caller policy.
            const isRefused = engine.version.startsWith("1.") && rules.has("U3-caller")
            assert.strictEqual(status, isRefused ? 400 : 200, JSON.stringify(body))
            if (!isRefused) ours.set(String(objectOf(body).id), [...rules].filter((rule) => tells.has(rule)).toSorted())
          }
          const rows = new Map<string, ReadonlyArray<string>>()
          let page = yield* ask("check_upgrade")
          for (;;) {
            for (const row of objectsOf(page["workflows"])) {
              rows.set(String(row.id), Object.keys(objectOf(row.rules)).toSorted())
            }
            if (page["nextCursor"] === undefined) break
            page = yield* ask("check_upgrade", { cursor: page["nextCursor"] })
          }
          for (const [id, rules] of ours) assert.deepStrictEqual(rows.get(id) ?? [], rules, id)
          assert.isAbove(ours.size, 60)
        }),
      longest
    )

    it.effect(
      "a plan makes a tools agent one of version 2, which calls the same tool and answers the same",
      () =>
        Effect.gen(function* () {
          const { isV2 } = yield* TestedEngine
          // The engine 1.82.3 of these tests is installed without its AI nodes.
          if (!isV2) return
          const model = yield* fakeModel
          const parameters = { agent: "toolsAgent", promptType: "define", text: "2+3?", options: {} }
          const { id } = yield* agentWorkflow(model, { parameters, typeVersion: 1.9 })
          const before = yield* ask("execute_workflow", { id, data: {} })
          assert.strictEqual(model.calls(), 2)
          const where = { ids: [id] }
          const left = yield* ask("plan_upgrade", { where })
          assert.deepInclude(left, { steps: 0, verdicts: { unproved: 1 } }, JSON.stringify(left))
          const plan = yield* ask("plan_upgrade", { where, accept: [id] })
          assert.strictEqual(model.calls(), 2, "no proof asks a model")
          assert.deepInclude(yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true }), {
            state: "applied"
          })
          const agent = objectsOf((yield* ask("get_workflow", { id }))["nodes"]).find(({ name }) => name === "Agent")
          assert.deepInclude(agent, { typeVersion: 2 })
          assert.notProperty(agent?.parameters, "agent")
          assert.deepStrictEqual((yield* ask("execute_workflow", { id, data: {} }))["data"], before["data"])
          assert.strictEqual(model.calls(), 4)
          assert.include(yield* ask("plan_upgrade", { where }), { steps: 0 })
        }),
      longest
    )

    it.effect(
      "a plan rewrites many workflows that their runs prove, goes on after kill -9, and its rollback brings back what was there",
      () =>
        Effect.gen(function* () {
          const { call, send } = yield* TestedEngine
          const made = yield* Effect.forEach(
            Array.from({ length: workflows }, (_, index) => index),
            (index) => upgradable(index, call),
            { concurrency: 4 }
          )
          const ids = made.map(({ id }) => id)
          const contents = Effect.forEach(ids, (id) =>
            Effect.map(send("GET", `/workflows/${id}`), ({ body }) => {
              const { connections, nodes, settings } = objectOf(body)
              return { connections, nodes, settings }
            })
          )
          const before = yield* contents
          let kill = () => {}
          let writes = 0
          const way = yield* Effect.acquireRelease(
            Effect.promise(() =>
              watched(engine.host, (method, at) => {
                // The write at which it is killed arrives all the same.
                if (method === "PUT" && /\/workflows\/\w+$/.test(at) && ++writes === Math.ceil(workflows / 2)) kill()
              })
            ),
            ({ close }) => Effect.promise(close)
          )
          const environments = { main: { engine_host: way.host, engine_api_key: engine.apiKey } }
          const cwd = yield* Effect.promise(() =>
            directory({ ".config.json": { environments, nodeTypes: { folder: engineFolder(engine.version) } } })
          )
          const server = Effect.acquireRelease(
            Effect.sync(() => operatorCommand(cwd)),
            ({ leave }) => Effect.promise(leave)
          )
          const first = yield* server
          const [time, plan] = yield* Effect.timed(planned(first, ids))
          assert.deepInclude(plan, { steps: workflows, verdicts: { proved: workflows } }, JSON.stringify(plan))
          yield* Effect.logInfo(`${workflows} workflows proved on ${engine.version} in ${Duration.toMillis(time)} ms`)
          kill = () => first.child.kill("SIGKILL")
          const broken = yield* Effect.exit(applied(first, plan))
          assert.isTrue(Exit.isFailure(broken))
          const next = yield* server
          assert.deepInclude(yield* applied(next, plan), { state: "applied", refused: [] })
          assert.strictEqual(writes, workflows)
          assert.notInclude(JSON.stringify(yield* contents), "itemLists")
          assert.include(yield* planned(next, ids), { steps: 0 })
          // A webhook answers as it did before.
          for (const { answer, path: hook } of made) {
            assert.deepStrictEqual((yield* call("POST", `/webhook/${hook}`, input(1))).body, answer)
          }
          const back = yield* said(next, "plan_rollback", { plan_id: plan["plan_id"] })
          assert.deepInclude(yield* applied(next, back), { state: "applied" })
          assert.deepStrictEqual(yield* contents, before)
          const left = yield* send("GET", "/workflows?limit=250")
          assert.notInclude(JSON.stringify(left.body), "Temporary run of")
        }).pipe(Effect.scoped),
      longest
    )
  })
}

/** Nodes one behind the other, of which the first is a webhook. */
const inLine = (...nodes: ReadonlyArray<Json>) => ({
  nodes: nodes.map((one) => ({ ...one, type: String(one["type"]).replace("engine-nodes-base", "n8n-nodes-base") })),
  connections: Object.fromEntries(
    nodes.slice(1).map((one, index) => [String(nodes[index]?.["name"]), { main: [[to(String(one["name"]))]] }])
  ),
  settings: { executionOrder: "v1" }
})

/** Six items with what each old node of a workflow needs. */
const made = node(
  "code",
  "Made",
  {
    jsCode: `return [3, 1, 2, 3, 5, 4].map((id) => ({
  json: { id, kind: id % 2 === 0 ? "even" : "odd", html: "<p>" + id + "</p><p>b</p>" },
}));`
  },
  { typeVersion: 2 }
)

const everyKind = (hook: Json) =>
  inLine(
    hook,
    made,
    node("function", "All", {
      functionCode: `return items.map(({ json }, item) => ({
  json: { ...json, place: item, list: [item, 2] },
  binary: { note: { data: "aGk=", mimeType: "text/plain", fileName: "a.txt" } },
  pairedItem: { item },
}));`
    }),
    node("functionItem", "Each", { functionCode: "item.half = item.place / 2;\nreturn item;" }),
    node("htmlExtract", "Html", {
      sourceData: "json",
      dataPropertyName: "html",
      extractionValues: { values: [{ key: "p", cssSelector: "p", returnArray: true }] },
      options: {}
    }),
    node("code", "Again", { jsCode: "return $('Each').all();" }, { typeVersion: 2 }),
    node(
      "itemLists",
      "Sorted",
      { operation: "sort", sortFieldsUi: { sortField: [{ fieldName: "id", order: "descending" }] }, options: {} },
      { typeVersion: 2 }
    ),
    node(
      "itemLists",
      "Once",
      { operation: "removeDuplicates", compare: "selectedFields", fieldsToCompare: "id", options: {} },
      { typeVersion: 3.1 }
    ),
    node("itemLists", "Top", { operation: "limit", maxItems: 4 }, { typeVersion: 1 }),
    node(
      "itemLists",
      "Parts",
      {
        operation: "splitOutItems",
        fieldToSplitOut: "list",
        include: "selectedOtherFields",
        fieldsToInclude: "kind, id",
        options: {}
      },
      { typeVersion: 3.1 }
    ),
    node(
      "itemLists",
      "Sums",
      {
        operation: "summarize",
        fieldsToSummarize: { values: [{ aggregation: "sum", field: "id" }] },
        fieldsToSplitBy: "kind",
        options: {}
      },
      { typeVersion: 3.1 }
    ),
    node(
      "itemLists",
      "Whole",
      { operation: "concatenateItems", aggregate: "aggregateAllItemData", destinationFieldName: "all", options: {} },
      { typeVersion: 3.1 }
    )
  )

/** Runs a workflow by its webhook, until the engine shows one success more. */
const ran = Effect.fnUntraced(function* (id: string, hook: string) {
  const { send, trigger } = yield* Beside
  const successes = Effect.map(
    send("production", "GET", `/executions?workflowId=${id}&status=success`),
    ({ data }) => objectsOf(data).length
  )
  const before = yield* successes
  assert.strictEqual(yield* trigger("production", hook), 200)
  yield* eventually(successes, (count) => count > before)
})

/** A node of the rewritten workflow, and texts of its parameters that a mutant has otherwise. */
const mutants: ReadonlyArray<readonly [node: string, text: string, other: string]> = [
  ["All", "place: item", "place: item + 1"],
  ["All", "place: item", "place: String(item)"],
  ["All", "place: item, ", ""],
  ["All", "place: item", "places: item"],
  ["All", "[item, 2]", "[2, item]"],
  ["All", "...json, ", ""],
  ["All", "aGk=", "aG8="],
  ["All", "note:", "other:"],
  ["All", "text/plain", "text/html"],
  ["All", "a.txt", "b.txt"],
  ["All", "pairedItem: { item }", "pairedItem: { item: 0 }"],
  ["All", "return items", "return items.slice(1)"],
  ["All", "return items", "return [...items].reverse()"],
  ["All", "return items", "return nobody"],
  ["Each", ", binary: $input.item.binary", ""],
  ["Each", "item.half", "item.whole"],
  ["Each", "/ 2", "* 2"],
  ["Html", '"p","returnArray":true', '"p","returnArray":false'],
  ["Sorted", "descending", "ascending"],
  ["Once", '"id"', '"kind"'],
  ["Top", "4", "3"],
  ["Parts", "kind, id", "id"],
  ["Parts", "selectedOtherFields", "noOtherFields"],
  ["Sums", '"sum"', '"count"'],
  ["Whole", '"all"', '"whole"']
]

/** Parameters with another text in one of their texts, or in their JSON. */
const mutated = (parameters: unknown, text: string, other: string): Json => {
  const { jsCode, ...rest } = objectOf(parameters)
  if (typeof jsCode === "string") return { ...rest, jsCode: jsCode.replace(text, other) }
  return readWorkflow(`{"nodes":[${JSON.stringify(rest).replace(text, other)}]}`).nodes[0] ?? {}
}

for (const engine of inject("engines")) {
  const server = Layer.unwrap(
    Effect.map(HttpClient.HttpClient, (client) => {
      const place = { host: engine.host, apiKey: engine.apiKey }
      return serverWithPlans({ production: place, staging: place }, client)
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

  layer(server, { excludeTestServices: true, timeout: "60 seconds" })(`proofs on ${engine.version}`, (it) => {
    it.effect(
      "catch every mutated rewrite, and find the rewrite as it is the same",
      () =>
        Effect.gen(function* () {
          const { activate, hook, listed, make, prefix } = yield* scene
          const started = {
            ...hook("mutants"),
            parameters: { path: `${prefix}-mutants`, httpMethod: "POST", options: {} }
          }
          const id = yield* make("production", "Mutants", everyKind(started))
          yield* activate("production", id)
          const plan = Effect.andThen(
            ran(id, `${prefix}-mutants`),
            ask("plan_upgrade", { instances: "production", where: { ids: [id] }, accept: [id] })
          )
          for (const [name, text, other] of mutants) {
            let count = 0
            yield* mutateCopies((_, nodes) =>
              nodes.map((one) => {
                const parameters = one["name"] === name ? mutated(one["parameters"], text, other) : one["parameters"]
                if (JSON.stringify(parameters) !== JSON.stringify(one["parameters"])) count += 1
                return { ...one, parameters }
              })
            )
            const caught = yield* plan
            assert.isAbove(count, 0, `${name}: ${text}`)
            assert.deepInclude(
              caught,
              { steps: 0, verdicts: { different: 1 } },
              `${name}: ${text} ${JSON.stringify(caught)}`
            )
          }
          yield* mutateCopies((_, nodes) => nodes)
          const right = yield* plan
          assert.deepInclude(right, { steps: 1, verdicts: { proved: 1 } }, JSON.stringify(right))
          const left = (yield* listed("production", "workflows")).map(({ name }) => name)
          assert.deepStrictEqual(left, [`${prefix} Mutants`])
          yield* Effect.logInfo(`${mutants.length} mutants caught on ${engine.version}`)
        }).pipe(Effect.scoped),
      longest
    )

    it.effect(
      "pair what leaves a loop with its rounds, and tell what comes of kept state, of one run for all and of items that are shared",
      () =>
        Effect.gen(function* () {
          const { activate, hook, make, prefix } = yield* scene
          const isV1 = engine.version.startsWith("1.")
          const fun = (functionCode: string, beside: Json = {}) => node("function", "Old", { functionCode }, beside)
          const called = inLine(
            node("executeWorkflowTrigger", "Called", { inputSource: "passthrough" }, { typeVersion: 1.1 }),
            node("noOp", "End")
          )
          const callee = yield* make("production", "callee", called)
          if (!isV1) yield* activate("production", callee)
          const verdictOf = Effect.fnUntraced(function* (name: string, ...nodes: ReadonlyArray<Json>) {
            const started = {
              ...hook(name),
              parameters: { path: `${prefix}-${name}`, httpMethod: "POST", options: {} }
            }
            const id = yield* make("production", name, inLine(started, made, ...nodes, node("noOp", "End")))
            yield* activate("production", id)
            yield* ran(id, `${prefix}-${name}`)
            const plan = yield* ask("plan_upgrade", { instances: "production", where: { ids: [id] } })
            return String(objectsOf(plan["workflows"])[0]?.verdict)
          })
          const workflowId = { __rl: true, mode: "id", value: callee }
          const call = node("executeWorkflow", "Old", { workflowId, mode: "each", options: {} }, { typeVersion: 1.2 })
          assert.match(yield* verdictOf("each", call), /^proved by 1 run with 6 items/)
          const kept =
            "const state = getWorkflowStaticData('node');\nstate.n = (state.n || 0) + 1;\nreturn [{ json: { n: state.n } }];"
          assert.match(
            yield* verdictOf("state", fun(kept)),
            /^equal by rule: run \d+ depends on what code keeps .* expected 1, got 2$/
          )
          const counted = "return items.map(() => ({ json: { n: items.length } }))"
          const once = yield* verdictOf("once", fun(counted, { executeOnce: true }))
          assert.match(once, isV1 ? /^different .*: expected 1 item, got 6$/ : /^proved/)
          const owning = "for (const { json } of items) json.deep = { list: [json.id] };\nreturn items;"
          const reaching = "for (const { json } of items) json.deep.list.push(9);\nreturn items;"
          const shared = yield* verdictOf(
            "shared",
            node("code", "Owner", { jsCode: owning }, { typeVersion: 2 }),
            fun(reaching)
          )
          assert.match(
            shared,
            isV1 ? /^different on production: Owner, item 1, deep\.list\[1\]: expected nothing, got 9/ : /^proved/
          )
        }).pipe(Effect.scoped),
      longest
    )
  })
}

const [source, target] = ["1.", "2."].map((first) => inject("engines").find(({ version }) => version.startsWith(first)))

/** Both real engines, of which the newer one says that it is the version that is upgraded to. */
const overBoth = Layer.unwrap(
  Effect.map(HttpClient.HttpClient, (client) => {
    const newest = HttpClient.transform(client, (proceed, request) => {
      const { host, pathname } = new URL(request.url)
      return host === new URL(target?.host ?? "").host && pathname === "/rest/settings"
        ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ data: { versionCli: "3.0.0" } })))
        : proceed
    })
    const none = { host: "", apiKey: "" }
    return serverWithPlans({ production: source ?? none, staging: target ?? none }, newest)
  })
).pipe(Layer.provide(FetchHttpClient.layer))

if (source !== undefined && target !== undefined) {
  layer(overBoth, { excludeTestServices: true, timeout: "60 seconds" })("on both engines", (it) => {
    it.effect(
      "a plan is proved on the one and on the other, which has the target version, whatever code makes of a secret",
      () =>
        Effect.gen(function* () {
          const { activate, hook, listed, make, prefix } = yield* scene
          const { send, trigger } = yield* Beside
          const functionCode = `const { name, token } = $json.query;
return [{ name, first: token.slice(0, 3), long: token.length }, { name, more: true }].map((json) => ({ json }));`
          const old = (kind: string, name: string, code: string) => ({
            ...node(kind, name, { functionCode: code }),
            type: `n8n-nodes-base.${kind}`
          })
          const id = yield* make("production", "Both", {
            nodes: [
              { ...hook("both"), parameters: { path: `${prefix}-both`, httpMethod: "POST", options: {} } },
              old("function", "All", functionCode),
              old("functionItem", "Each", "item.n = 1;\nreturn item;")
            ],
            connections: { Hook: { main: [[to("All")]] }, All: { main: [[to("Each")]] } },
            settings: { executionOrder: "v1" }
          })
          yield* activate("production", id)
          const secret = "sk-proj-0123456789abcdefghijklmnopqrstuv"
          assert.strictEqual(yield* trigger("production", `${prefix}-both?name=a&token=${secret}`), 200)
          const plan = yield* ask("plan_upgrade", { instances: "production", where: { ids: [id] } })
          const text = JSON.stringify(plan)
          assert.deepInclude(plan, { steps: 1, verdicts: { proved: 1 } }, text)
          assert.match(text, /proved by 1 run with \d items? on production and staging/)
          assert.include(text, "of which the same was made on production")
          assert.deepInclude(yield* ask("apply_plan", { plan_id: plan["plan_id"], confirm: true }), {
            state: "applied"
          })
          assert.notInclude(JSON.stringify(yield* send("production", "GET", `/workflows/${id}`)), "functionCode")
          assert.deepStrictEqual(yield* listed("staging", "workflows"), [])
        }).pipe(Effect.scoped),
      longest
    )
  })
}

type Command = ReturnType<typeof operatorCommand>

const said = ({ call }: Command, tool: string, args: Json) => Effect.tryPromise(() => call(tool, args))

/** A plan whose proofs have all been made: where the time of a call is over, the next one goes on. */
const planned = (command: Command, ids: ReadonlyArray<string>) =>
  Effect.repeat(said(command, "plan_upgrade", { where: { ids } }), {
    until: ({ blocked }) => !JSON.stringify(blocked).includes("plan again"),
    times: 100
  })

const applied = (command: Command, plan: Json) =>
  Effect.repeat(said(command, "apply_plan", { plan_id: plan["plan_id"], confirm: true }), {
    until: ({ state }) => state !== "in progress",
    times: 20
  })

const input = (run: number) => ({ list: Array.from({ length: run + 1 }, (_, id) => ({ id, name: `n${id}` })) })

/** An active workflow with an old node of each kind whose runs can prove its rewrite, run twice, with what it answers. */
const upgradable = Effect.fnUntraced(function* (index: number, call: TestedEngine["Service"]["call"]) {
  const hook = webhook({ responseMode: "lastNode", options: {}, responseData: "allEntries" })
  const path = String(objectOf(hook.parameters).path)
  const { id } = yield* given({
    name: `Upgradable ${index}`,
    nodes: [
      hook,
      node(
        "itemLists",
        "Split",
        { operation: "splitOutItems", fieldToSplitOut: "body.list", options: {} },
        { typeVersion: 3.1 }
      ),
      node("function", "All", {
        functionCode: `for (const item of items) item.json.all = items.length + ${index};\nreturn items;`
      }),
      node("functionItem", "Each", { functionCode: "item.each = item.id * 2;\nreturn item;" }),
      node(
        "itemLists",
        "Sorted",
        { operation: "sort", sortFieldsUi: { sortField: [{ fieldName: "id", order: "descending" }] }, options: {} },
        { typeVersion: 2 }
      )
    ],
    connections: {
      Webhook: { main: [[to("Split")]] },
      Split: { main: [[to("All")]] },
      All: { main: [[to("Each")]] },
      Each: { main: [[to("Sorted")]] }
    },
    settings: { executionOrder: "v1" }
  })
  yield* ask("activate_workflow", { id })
  yield* eventually(call("POST", `/webhook/${path}`, input(0)), ({ status }) => status === 200)
  const { body: answer } = yield* call("POST", `/webhook/${path}`, input(1))
  return { id, path, answer }
})
