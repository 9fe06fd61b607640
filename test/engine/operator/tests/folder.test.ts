import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

import { Deadline } from "../../../../src/engine/client/Deadline.ts"
import { EngineClient } from "../../../../src/engine/client/EngineClient.ts"
import { Instances } from "../../../../src/engine/client/Instances.ts"
import { runTests } from "../../../../src/engine/operator/tests/runTests.ts"
import { recordedTools } from "../../../../src/engine/operator/tests/runTestsTool.ts"
import { readTest } from "../../../../src/engine/operator/tests/TestFile.ts"
import { monotonicMillis } from "../../../../src/internal/time.ts"
import { ask, type Json, OperatorServer, operatorToolsets, refused } from "../../../support/harness.ts"
import { inFolder } from "../../../support/inFolder.ts"
import { inTime } from "../../../support/inTime.ts"
import { engineThat, json, serving } from "../../tools/standIn.ts"

const orders = "Kp3vQm8sXz1RtY7a"

const readRun = Schema.decodeUnknownSync(Schema.Struct({ executionId: Schema.Int }))

const ran = Effect.map(ask("execute_workflow", { id: orders, data: { total: 5 } }), (run) => readRun(run).executionId)

describe("record_test and run_tests", () => {
  it("cost at most 500 tokens of the list of tools together", () => {
    const listed = recordedTools.map(({ description, inputSchema, name }) => ({
      name,
      description,
      inputSchema: inputSchema()
    }))
    assert.isAtMost(countTokens(JSON.stringify(listed)), 500)
  })

  it.effect("run nothing where nothing may be changed, and record there", () => {
    const run = (node: string, items: ReadonlyArray<Json>) => ({
      [node]: [{ data: { main: [items.map((one) => ({ json: one }))] } }]
    })
    const execution = {
      id: 7,
      status: "success",
      workflowId: "w1",
      data: { resultData: { runData: { ...run("Start", [{ n: 1 }]), ...run("Api key: prod", [{ n: 2 }]) } } },
      workflowData: {
        name: "W",
        nodes: [
          { name: "Start", type: "n8n-nodes-base.manualTrigger", parameters: {} },
          { name: "Api key: prod", type: "n8n-nodes-base.set", parameters: {} }
        ],
        connections: { Start: { main: [[{ node: "Api key: prod", type: "main", index: 0 }]] } }
      }
    }
    const engine = engineThat(() => json(execution))
    return Effect.gen(function* () {
      const files = new Map<string, unknown>()
      const kept = yield* ask("record_test", { execution: 7 }).pipe(inFolder(files))
      assert.deepInclude(kept, { file: "w-execution-7.json", expect: { "Api key: prod": "exact" } })
      const { message } = yield* refused("record_test", { execution: 7, ignore: ["a..b"] })
      assert.match(message, /^Invalid ignore: .*is no path/)
      const sent = engine.asked.length
      const { data } = yield* refused("run_tests", {}).pipe(inFolder(files))
      assert.include(data, { code: "READ_ONLY" })
      assert.lengthOf(engine.asked, sent)
      assert.isTrue(engine.asked.every(({ method }) => method === "GET"))
    }).pipe(Effect.provide(serving(engine.client, { readOnly: true }, operatorToolsets)))
  })
})

layer(OperatorServer)("a folder of tests", (it) => {
  it.effect("gets what is recorded, and nothing is replaced unless that is asked for", () =>
    Effect.gen(function* () {
      const files = new Map<string, unknown>()
      const execution = yield* ran
      const kept = yield* ask("record_test", { execution, name: "Small order" }).pipe(inFolder(files))
      assert.deepInclude(kept, { file: "small-order.json", name: "Small order" })
      assert.notProperty(kept, "text")
      const { message } = yield* refused("record_test", { execution, name: "Small order" }).pipe(inFolder(files))
      assert.match(message, /small-order\.json is there already/)
      const shape = {
        execution,
        name: "Small order",
        overwrite: true,
        expect: { Accept: "shape", Answer: { "[0].status": "accepted" } }
      }
      yield* ask("record_test", shape).pipe(inFolder(files))
      assert.deepNestedInclude(files.get("small-order.json"), {
        "expect.Accept.items": 1,
        "expect.Accept.shape.status": "string",
        "expect.Answer": { values: { "[0].status": "accepted" } }
      })
      assert.deepInclude(yield* inTime(ask("run_tests")).pipe(inFolder(files)), { passed: 1, total: 1 })
      const { text } = yield* ask("record_test", { execution, dry_run: true }).pipe(inFolder(files))
      assert.lengthOf([...files], 1)
      assert.include(text, '"testFormat": 1')
    })
  )

  it.effect("has all its tests run, and says of each that did not pass why, first where it first differs", () =>
    Effect.gen(function* () {
      const files = new Map<string, unknown>()
      const execution = yield* ran
      yield* ask("record_test", { execution, file: "good.json" }).pipe(inFolder(files))
      const good: Json = Object(files.get("good.json"))
      files.set("broken.json", "broken")
      files.set("old.json", { ...good, testFormat: 2 })
      files.set("other.json", { ...good, workflow: { name: "Nobody's" } })
      files.set("wrong.json", {
        ...good,
        expect: { Answer: { values: { "[0].status": "refused", nothing: 1 } }, Accept: { items: 2 } }
      })
      const result = yield* inTime(ask("run_tests")).pipe(inFolder(files))
      assert.deepInclude(result, {
        passed: 1,
        total: 5,
        summary: "1 passed, 1 failed, 3 refused",
        passedFiles: ["good.json"]
      })
      const told = new Map(
        (Array.isArray(result.notPassed) ? result.notPassed : []).map((one: unknown) => [
          Object(one).file,
          Object(one).problems
        ])
      )
      assert.deepStrictEqual(
        told,
        new Map([
          ["broken.json", ["line 1, column 2: expected a value"]],
          ["old.json", ["testFormat must be 1, the only form of test files that this version reads"]],
          ["other.json", ['there is no workflow called "Nobody\'s" on production']],
          [
            "wrong.json",
            [
              "first: Accept: expected 2 items, got 1",
              'Answer, item 1, status: expected "refused", got "accepted"',
              "Answer, nothing: expected 1, got nothing"
            ]
          ]
        ])
      )
      const some = yield* inTime(ask("run_tests", { files: ["good"], id: orders })).pipe(inFolder(files))
      assert.deepInclude(some, { passed: 1, total: 1 })
      const { message } = yield* refused("run_tests", { files: ["goood.json"] }).pipe(inFolder(files))
      assert.match(message, /^Invalid files: there is no goood\.json in tests\. It has: good\.json, broken\.json/)
    })
  )

  it.effect("finds a test's workflow by its name where its id is another one, on any instance", () =>
    Effect.gen(function* () {
      const files = new Map<string, unknown>()
      yield* ask("record_test", { execution: yield* ran, file: "a.json" }).pipe(inFolder(files))
      files.set("a.json", { ...Object(files.get("a.json")), workflow: { id: "elsewhere", name: "Order intake" } })
      assert.deepInclude(yield* inTime(ask("run_tests", { instance: "staging" })).pipe(inFolder(files)), { passed: 1 })
    })
  )

  it.effect("may hold nodes that a person lets act outside", () =>
    Effect.gen(function* () {
      const { id } = yield* ask("create_workflow", {
        name: "Outside",
        nodes: [
          { name: "Start", type: "engine-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0] },
          {
            name: "Send",
            type: "engine-nodes-base.httpRequest",
            typeVersion: 4.2,
            position: [1, 0],
            parameters: { url: "http://a.test" }
          }
        ],
        connections: [{ source: "Start", target: "Send" }]
      })
      const test = {
        testFormat: 1,
        name: "T",
        workflow: { id },
        trigger: { node: "Start", items: [{}] },
        expect: { Send: { items: 1 } }
      }
      const files = new Map<string, unknown>([
        ["a.json", { ...test, allow: ["Send"] }],
        ["b.json", test]
      ])
      assert.deepInclude(yield* inTime(ask("run_tests", { id })).pipe(inFolder(files)), {
        passedFiles: ["a.json"],
        summary: "1 passed, 1 refused"
      })
    })
  )

  it.effect("is not needed where the test is given, and run_tests says so where there is neither", () =>
    Effect.gen(function* () {
      assert.match((yield* refused("run_tests")).message, /^Invalid files: there is no folder of tests/)
      assert.match((yield* refused("run_tests", { test: {} })).message, /^Invalid test: testFormat is required/)
      assert.match((yield* refused("run_tests", { operations: [{ op: "arrange" }] })).message, /^Invalid id: say which/)
      const { guidance, text } = yield* ask("record_test", { execution: yield* ran })
      assert.match(String(guidance), /^Nothing was kept: there is no folder/)
      assert.deepInclude(yield* inTime(ask("run_tests", { test: text })), { passed: 1, total: 1 })
    })
  )

  it.effect("is left alone where there is no time left for a test", () =>
    Effect.gen(function* () {
      const { text } = yield* ask("record_test", { execution: yield* ran })
      const test = readTest(JSON.parse(String(text)))
      assert.isTrue(Result.isSuccess(test))
      const engine = yield* (yield* Instances).resolve()
      const soon = (yield* monotonicMillis) + 5000
      const results = yield* runTests([{ file: "a.json", test }], { concurrency: 1 }).pipe(
        Effect.provideService(Deadline, soon),
        Effect.provideService(EngineClient, engine)
      )
      assert.deepInclude(results[0]?.verdict, { outcome: "skipped", problems: [{ what: "no time was left for it" }] })
    })
  )
})
