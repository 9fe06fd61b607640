import { readFile } from "node:fs/promises"

import { assert, describe, it } from "@effect/vitest"
import * as acorn from "acorn"
import { Result } from "effect"
import * as fc from "fast-check"

import { boundedParser } from "../../../../src/engine/nodes/check/javaScript.ts"
import { noFiles } from "../../../../src/engine/operator/run/mocks.ts"
import { nodesToMock } from "../../../../src/engine/operator/run/sideEffects.ts"
import { differencesOf, differingValues } from "../../../../src/engine/operator/tests/Difference.ts"
import { runsOf, sourceItemsOf, toNodeOutput } from "../../../../src/engine/operator/tests/NodeOutput.ts"
import {
  matchesPattern,
  parsePattern,
  printPattern,
  valuesAt
} from "../../../../src/engine/operator/tests/PathPattern.ts"
import { misfits, shapeOf } from "../../../../src/engine/operator/tests/shape.ts"
import {
  fileName,
  printTest,
  readTest,
  shrinkTest,
  type TestFile
} from "../../../../src/engine/operator/tests/TestFile.ts"
import { testFromExecution } from "../../../../src/engine/operator/tests/testFromExecution.ts"
import { junitXml, resultData } from "../../../../src/engine/operator/tests/testReport.ts"
import { volatilePaths } from "../../../../src/engine/operator/tests/volatileFields.ts"
import { ExecutionId, nameOf, type Workflow, WorkflowId } from "../../../../src/engine/workflow/models.ts"
import type { Json } from "../../../support/harness.ts"
import { readXml } from "../../../support/xml.ts"

const key = fc.stringMatching(/^[a-z]{1,4}$/)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(key, tie("any"), { maxKeys: 3 })
  )
})).any
const item = fc.dictionary(key, value, { maxKeys: 4 })
const items = fc.array(item, { maxLength: 4 })
const runs = fc.array(fc.array(items, { minLength: 1, maxLength: 3 }), { maxLength: 3 })

const pattern = (text: string) => Result.getOrThrow(parsePattern(text))

describe("what a node gives out, in a test file", () => {
  it("is read as what was written, but for outputs at the end that gave out nothing", () => {
    fc.assert(
      fc.property(runs, (all) => {
        const read = runsOf(toNodeOutput(all))
        assert.lengthOf(read, all.length)
        assert.deepStrictEqual(differencesOf(all, read, []), [])
      })
    )
  })

  it("keeps from which item each came", () => {
    const given = toNodeOutput([[[{ a: 1 }, { a: 2 }]]], [[0, 0]])
    assert.deepStrictEqual(given, { outputs: [[{ a: 1 }, { a: 2 }]], from: [0, 0] })
    assert.deepStrictEqual(sourceItemsOf(given), [[0, 0]])
  })
})

describe("differences between what was expected and what was given out", () => {
  it("are none between equal values, whatever they are", () => {
    fc.assert(
      fc.property(value, (one) => {
        assert.deepStrictEqual(differingValues(one, structuredClone(one), []), [])
      })
    )
  })

  it("are told at a field that changed, and not where that is ignored", () => {
    fc.assert(
      fc.property(items, item, key, (before, changed, name) => {
        const expected = [...before, { ...changed, [name]: "before" }]
        const got = [...before, { ...changed, [name]: "after" }]
        assert.deepStrictEqual(differencesOf([[expected]], [[got]], []), [
          { item: before.length, path: name, expected: "before", got: "after" }
        ])
        assert.deepStrictEqual(differencesOf([[expected]], [[got]], [[name]]), [])
      })
    )
  })

  it("count runs and items before they compare them, and tell fields that nobody expected last", () => {
    assert.deepStrictEqual(differencesOf([[[{ a: 1 }]], [[]]], [[[{ b: 2, a: 2 }, {}]]], []), [
      { of: "runs", expected: 2, got: 1 },
      { run: 0, of: "items", expected: 1, got: 2 },
      { run: 0, item: 0, path: "a", expected: 1, got: 2 },
      { run: 0, item: 0, path: "b", expected: undefined, got: 2 }
    ])
  })

  it("are none where a secret was left out of the recording", () => {
    const expected = { header: "Bearer [masked]", all: "[masked]", mixed: "a [masked] b [masked]." }
    assert.deepStrictEqual(differingValues(expected, { header: "Bearer x", all: 7, mixed: "a 1 b 2." }, []), [])
    assert.lengthOf(differingValues(expected, { header: "Basic x", all: 7, mixed: "a 1 b 2" }, []), 2)
  })
})

describe("the shape of items", () => {
  it("fits every item that it was made of", () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (all) => {
        const shape = shapeOf(all)
        for (const one of all) assert.deepStrictEqual(misfits(shape, one, []), [])
      })
    )
  })

  it("tells fields of another type, missing ones and new ones", () => {
    const shape = shapeOf([
      { id: 1, name: "a", rows: [{ n: 1 }] },
      { id: 2, name: null, rows: [], more: true }
    ])
    assert.deepStrictEqual(shape, { id: "number", name: "string|null", rows: [{ n: "number" }], "more?": "boolean" })
    assert.deepStrictEqual(misfits(shape, { id: "1", rows: [{ n: null }], other: 1 }, []), [
      { path: "id", expected: "number", got: "1" },
      { path: "name", expected: "string|null", got: undefined },
      { path: "rows[0].n", expected: "number", got: null },
      { path: "other", got: 1 }
    ])
    assert.lengthOf(
      misfits(shape, { id: "1", rows: [{ n: null }], other: 1 }, ["id", "name", "rows[*].n", "other"].map(pattern)),
      0
    )
  })
})

describe("a path with *", () => {
  it("is read as it is printed", () => {
    for (const text of ["a", "rows[*].id", "[*]", "a[*][*].b", '["x.y"][0]']) {
      assert.strictEqual(printPattern(pattern(text)), text)
    }
  })

  it("means every field or place, and all that is inside", () => {
    assert.isTrue(matchesPattern(["rows", 3, "id", "x"], pattern("rows[*].id")))
    assert.isFalse(matchesPattern(["rows", 3], pattern("rows[*].id")))
    const values = valuesAt({ rows: [{ id: 1 }, {}, { id: 2 }] }, pattern("rows[*].id"))
    assert.deepStrictEqual(
      values.map(({ place, value: one }) => [place.join("."), one]),
      [
        ["rows.0.id", 1],
        ["rows.2.id", 2]
      ]
    )
  })
})

describe("what changes from run to run", () => {
  const from = Date.parse("2026-11-20T10:00:00Z")
  const moment = { from, until: from + 5000, identifiers: ["4711", "w1", "Orders"] }
  const paths = (...nodes: ReadonlyArray<readonly [code: string, item: Json]>) => {
    const all = nodes.map(([code, one], index) => ({
      name: String(index),
      node: { parameters: { code } },
      items: [one]
    }))
    return [...volatilePaths(all, { at: "2026-11-20T10:00:01Z" }, moment).values()]
  }

  it("is what came about in this run: moments, ids, numbers by chance", () => {
    const made = {
      iso: "2026-11-20T10:00:02.345+00:00",
      ms: from + 17,
      s: from / 1000,
      id: "9b2d1c9e-7c1f-4e0a-8a52-6f8f2ad1e6a1",
      random: 0.123456789012,
      day: "2026-11-20",
      execution: "4711",
      rows: [{ at: "on 2026-11-20T10:00:00Z" }]
    }
    const code = "$now $execution.id Math.random()"
    assert.deepStrictEqual(paths([code, made]), [["iso", "ms", "s", "id", "random", "day", "execution", "rows[*].at"]])
    assert.deepStrictEqual(paths(["", { execution: "4711", day: "2026-11-20", random: 0.123456789012 }]), [[]])
  })

  it("is not what was given to the run, or is of another time", () => {
    assert.deepStrictEqual(paths(["$now", { at: "2026-11-20T10:00:01Z", old: "2020-01-01T00:00:00Z", n: 12 }]), [[]])
    assert.deepStrictEqual(paths(["", { text: "ordered at 2026-11-20T10:00:01Z" }]), [[]])
  })

  it("is an id of the run also where something given happens to equal it, in the field that holds it", () => {
    const code = "$execution.id"
    const given = { wanted: [{ n: 3 }] }
    const first = { name: "A", node: { parameters: { code } }, items: [{ run: "3", of: "x" }] }
    const second = { name: "B", node: { parameters: {} }, items: [{ run: "3", n: 3 }] }
    const paths = volatilePaths([first, second], given, { ...moment, identifiers: ["3"] })
    assert.deepStrictEqual([...paths.values()], [["run"], ["run"]])
  })

  it("is followed wherever it is passed on", () => {
    const id = "9b2d1c9e-7c1f-4e0a-8a52-6f8f2ad1e6a1"
    assert.deepStrictEqual(paths(["Math.random()", { r: 0.123456789012 }], ["", { copy: 0.123456789012, id }]), [
      ["r"],
      ["copy", "id"]
    ])
  })
})

describe("what a test mocks", () => {
  const node = (name: string, type: string, more: Json = {}): Json => ({ name, type, parameters: {}, ...more })
  const to = (target: string, type = "main") => ({ [type]: [[{ node: target, type, index: 0 }]] })

  it("is what reaches outside, the agent whose model does, and what waits; never what only served these", () => {
    const workflow: Workflow = {
      id: WorkflowId.make("w1"),
      name: "W",
      active: false,
      nodes: [
        node("Start", "n8n-nodes-base.manualTrigger"),
        node("Set", "n8n-nodes-base.set"),
        node("Agent", "@n8n/n8n-nodes-langchain.agent"),
        node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi"),
        node("Search", "@n8n/n8n-nodes-langchain.toolVectorStore"),
        node("Store model", "@n8n/n8n-nodes-langchain.lmChatOpenAi"),
        node("Wait", "n8n-nodes-base.wait"),
        node("Send", "n8n-nodes-base.slack"),
        node("Off", "n8n-nodes-base.slack", { disabled: true }),
        node("Elsewhere", "n8n-nodes-base.slack")
      ],
      connections: {
        Start: to("Set"),
        Set: to("Agent"),
        Agent: to("Wait"),
        Model: to("Agent", "ai_languageModel"),
        Search: to("Agent", "ai_tool"),
        "Store model": to("Search", "ai_languageModel"),
        Wait: to("Send"),
        Send: to("Off")
      }
    }
    const { names, part } = Result.getOrThrow(nodesToMock(workflow, "Start", boundedParser(acorn)))
    assert.deepStrictEqual(names, ["Agent", "Wait", "Send"])
    assert.deepStrictEqual(part.nodes.map(nameOf), ["Start", "Set", "Agent", "Wait", "Send", "Off"])
  })
})

describe("a recording without secrets", () => {
  it("holds none under a harmless name either", () => {
    const json = {
      headers: { authorization: "Bearer abcdef123456" },
      body: { password: "swordfish" },
      out: [{ said: "it is swordfish, and abcdef123456!" }],
      pin: "12"
    }
    const start = { name: "Start", type: "n8n-nodes-base.manualTrigger" }
    const execution = {
      id: ExecutionId.make(7),
      status: "success",
      workflowData: { name: "W", nodes: [start], connections: {} },
      data: { resultData: { runData: { Start: [{ data: { main: [[{ json }]] } }] } } }
    }
    const request = { name: "T", instance: "production", expect: undefined, ignore: [], parse: boundedParser(acorn) }
    const { test } = Result.getOrThrow(testFromExecution(execution, request))
    assert.deepStrictEqual(test.trigger.items, [
      {
        headers: { authorization: "[masked]" },
        body: { password: "[masked]" },
        out: [{ said: "it is [masked], and [masked]!" }],
        pin: "[masked]"
      }
    ])
  })
})

const test: TestFile = {
  testFormat: 1,
  name: "T",
  workflow: { id: "w1", name: "Orders" },
  trigger: { node: "Start", items: [{ b: 1, a: 2 }] },
  mocks: { Fetch: [{ n: 1 }] },
  expect: { Say: { exact: [{ said: "x" }] } },
  ignore: [],
  status: "success",
  allow: [],
  timeout: 30
}

describe("a test file", () => {
  it("is read as it was printed, with its fields in their order and those of items as they were", () => {
    const text = printTest({ ...test, allow: ["Log"], timeout: 5, ignore: ["at"], status: "error" })
    assert.strictEqual(
      Object.keys(JSON.parse(text)).join(" "),
      "testFormat name workflow trigger mocks expect ignore status allow timeout"
    )
    assert.include(text, '"b": 1,\n        "a": 2')
    fc.assert(
      fc.property(fc.dictionary(key, runs), items, (mocks, given) => {
        const whole: TestFile = {
          ...test,
          trigger: { node: "Start", items: given },
          mocks: Object.fromEntries(Object.entries(mocks).map(([name, all]) => [name, toNodeOutput(all)]))
        }
        assert.deepStrictEqual(Result.getOrThrow(readTest(JSON.parse(printTest(whole)))), whole)
      }),
      { numRuns: 30 }
    )
  })

  it.each<[unknown, string]>([
    [[], "the test must be an object with testFormat, name, workflow, trigger, mocks and expect"],
    [{}, "testFormat is required"],
    [{ ...test, testFormat: 2 }, "testFormat must be 1, the only form of test files that this version reads"],
    [{ ...test, expects: {} }, "expects is no field of tests: did you mean expect?"],
    [{ ...test, workflow: {} }, "workflow must hold the id or the name"],
    [{ ...test, trigger: { node: "A", items: [1] } }, "trigger.items.0 must be an object"],
    [
      { ...test, mocks: { A: 1 } },
      'mocks.A must be a list of items, each an object, or {"outputs": […]}, or {"runs": […]}'
    ],
    [{ ...test, expect: { A: {} } }, "expect.A must say something: exact, shape, values, items or ran"],
    [
      { ...test, expect: { A: { values: { "a..b": 1 } } } },
      'expect.A "a..b" is no path; write it as in customer.name or rows[*].id'
    ],
    [{ ...test, expect: { A: { items: -1 } } }, "expect.A.items must be 0 or more"],
    [{ ...test, ignore: [""] }, 'ignore.0 "" is no path; write it as in customer.name or rows[*].id'],
    [{ ...test, timeout: 100 }, "timeout must be between 1 and 40"],
    [
      { ...test, trigger: { node: "Start", items: [{ json: {}, binary: { data: { data: "aGk=" } } }] } },
      `trigger.items.0 ${noFiles}`
    ],
    [{ ...test, mocks: { A: [{ json: {}, binary: { data: { data: "aGk=" } } }] } }, `mocks.A.0 ${noFiles}`]
  ])("says what is wrong with %j", (json, words) => {
    const read = readTest(json)
    assert.strictEqual(Result.isFailure(read) ? read.failure : "it is right", words)
  })

  it("is as docs/testing.md shows it", async () => {
    const page = await readFile(new URL("../../../../docs/testing.md", import.meta.url), "utf8")
    const [, example = ""] = /```json test\n([^]*?)```/.exec(page) ?? []
    const read = readTest(JSON.parse(example))
    assert.strictEqual(Result.isFailure(read) ? read.failure : "", "")
    // The page shows every field, and in the order in which they are printed.
    const printed = printTest({ ...Result.getOrThrow(read), status: "error" })
    assert.deepStrictEqual(Object.keys(JSON.parse(printed)), [
      ...Object.keys(JSON.parse(example)).slice(0, -2),
      "status",
      "allow",
      "timeout"
    ])
  })

  it("stays small: of what is expected the largest becomes a shape, and what is handed over is never cut", () => {
    const many = (length: number) => Array.from({ length }, (_, n) => ({ n, text: "x".repeat(100) }))
    const { cut, test: small } = Result.getOrThrow(
      shrinkTest({ ...test, expect: { Small: { exact: many(3) }, Large: { exact: many(6000), ignore: ["n"] } } })
    )
    assert.deepStrictEqual(small.expect["Large"], {
      shape: { n: "number", text: "string" },
      items: 6000,
      ignore: ["n"]
    })
    assert.deepStrictEqual(small.expect["Small"], { exact: many(3) })
    assert.match(cut.join(), /only the shape is expected: Large$/)
    const refused = shrinkTest({ ...test, mocks: { Fetch: many(6000) } })
    assert.match(
      Result.isFailure(refused) ? refused.failure : "",
      /most of it what Fetch gave out: record a smaller run$/
    )
  })

  it("gets a name of letters, digits and hyphens, whatever the test is called", () => {
    assert.strictEqual(fileName("Größe: ../../etc/passwd (execution 3)"), "größe-etc-passwd-execution-3.json")
    assert.strictEqual(fileName("../"), "test.json")
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        assert.match(fileName(name), /^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*\.json$/u)
      })
    )
  })
})

describe("what is told of a test", () => {
  it("names node, run, output, item and field, cuts what is long, and shows no secret", () => {
    const problems = [
      { node: "Sign", run: 1, output: 0, item: 2, path: "headers.apiKey", expected: "a", got: "swordfish-17" },
      { node: "Say", item: 0, path: "text", expected: null, got: "x".repeat(5000) },
      { node: "Say", of: "items", expected: 1, got: 0 } as const,
      ...Array.from({ length: 9 }, () => ({ node: "Tell", what: "did not run" }))
    ]
    const data = resultData({ file: "a.json", verdict: { outcome: "failed", seconds: 1, problems } })
    assert.deepStrictEqual(data.problems.slice(0, 4), [
      'first: Sign, run 2, output 1, item 3, headers.apiKey: expected "[masked]", got "[masked]"',
      `Say, item 1, text: expected null, got "${"x".repeat(160)}…(+4840)"`,
      "Say: expected 1 item, got 0",
      "Tell: did not run"
    ])
    assert.strictEqual(data.problems.at(-1), "and 4 more")
    assert.notInclude(JSON.stringify(data), "swordfish")
  })
})

describe("JUnit XML", () => {
  it("is well-formed, and says what it was given, whatever that is", () => {
    const odd = ["<", "&", '"', "]]>", "\n", "\t", "\r", "\u0000", "\u001B", "\uD800", "\uFFFE", "a", " ", "é", "😀"]
    const anything = fc.array(fc.constantFrom(...odd), { maxLength: 12 }).map((parts) => parts.join(""))
    fc.assert(
      fc.property(anything, anything, anything, (name, workflow, got) => {
        const verdict = { seconds: 0.25, workflow: { name: workflow } }
        const [suite] = readXml(
          junitXml(name, [
            { file: "a.json", name, verdict: { ...verdict, outcome: "passed", problems: [] } },
            {
              file: "b.json",
              verdict: {
                ...verdict,
                outcome: "failed",
                problems: [{ node: name, path: "x", item: 0, expected: 1, got }]
              }
            },
            { file: "c.json", verdict: { ...verdict, outcome: "error", problems: [{ what: got }] } },
            { file: "d.json", verdict: { seconds: 0, outcome: "skipped", problems: [{ what: got }] } }
          ])
        ).elements
        assert.include(suite?.attributes, { tests: "4", failures: "1", errors: "1", skipped: "1", time: "0.750" })
        const [passed, failed, broken, skipped] = suite?.elements ?? []
        assert.include(passed?.attributes, { file: "a.json", time: "0.250" })
        if (/^[\w ]*$/.test(name)) assert.include(passed?.attributes, { name })
        assert.deepStrictEqual(
          failed?.elements.map((one) => one.name),
          ["failure"]
        )
        assert.deepStrictEqual(
          broken?.elements.map((one) => one.name),
          ["error"]
        )
        assert.deepStrictEqual(
          skipped?.elements.map((one) => one.name),
          ["skipped"]
        )
        if (/^[\w ]+$/.test(got)) assert.include(broken?.elements[0]?.text, got)
      }),
      { numRuns: 100 }
    )
  })
})
