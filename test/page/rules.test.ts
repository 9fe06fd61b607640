import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

import { activeVersionDifference, publishedOf } from "../../src/engine/workflow/views.ts"
import { fieldsOf, readFields } from "../../src/page/fields.ts"
import { nextNode } from "../../src/page/nextNode.ts"
import { withTitles } from "../../src/page/parts.tsx"
import { planWords, stepWords } from "../../src/page/planWords.ts"
import { lanesOf, markAt, marksOf, nextMark } from "../../src/page/timeline.ts"
import { wholeRunsIn } from "../../src/page/wholeRuns.ts"

const schema = {
  type: "object",
  properties: {
    hours: { type: "integer", description: "Back" },
    id: { type: "string", description: "Id" },
    dry_run: { type: "boolean" },
    format: { type: "string", enum: ["text", "mermaid"] },
    nodes: { type: "array", items: { type: "string" } },
    ids: { type: "array", items: { type: "integer" } },
    action: { type: "array", items: { type: "string", enum: ["tag", "untag"] } },
    operations: { type: "array", items: { type: "object" } },
    version: { type: "number" },
    instance: { type: "string" },
    where: { type: "object" }
  },
  required: ["id"]
}

describe("a text for models", () => {
  const tools = [
    { name: "apply_plan", title: "Apply plan" },
    { name: "activate_workflow", title: "Activate workflow" }
  ]

  it("has the titles of tools in place of their names", () => {
    assert.strictEqual(withTitles("Activate it with activate_workflow", tools), "Activate it with “Activate workflow”")
  })

  it("has moments as people write them, and quotations as they are", () => {
    const text = withTitles('Changed at 2026-07-14T15:04:43.611Z, as "at 2026-07-14T15:04Z" says', [])
    assert.match(text, /^Changed at .*2026.*, as "at 2026-07-14T15:04Z" says$/)
    assert.notInclude(text, "T15:04:43")
  })

  it("keeps the names of users, and what names nothing of the server", () => {
    const problem = 'Node "apply_plan" of workflow activate_orders has no credential'
    assert.strictEqual(withTitles(problem, tools), problem)
  })
})

describe("the marks of a timeline", () => {
  const [now, hour, width] = [Date.parse("2026-11-26T12:00:00Z"), 3_600_000, 700]
  const run = (workflowId: string, id: number, hoursAgo: number) => ({
    instance: "staging",
    id: String(id),
    workflowId,
    status: id % 5 === 0 ? "error" : "success",
    mode: "trigger",
    startedAt: now - hoursAgo * hour,
    stoppedAt: now - hoursAgo * hour + 1000
  })
  const lanesAt = (runs: ReadonlyArray<ReturnType<typeof run>>, time: number) =>
    lanesOf(runs).map((lane) => ({ ...lane, marks: marksOf(lane, width, time) }))
  const runs = Array.from({ length: 200 }, (_, at) => run(`w${at % 3}`, 1000 - at, at / 10))

  it("stay the same as time goes on, while the day has them", () => {
    const marksOfLane = (time: number) =>
      lanesAt(runs, time).flatMap(({ key, marks }) => marks.map(({ at, count }) => `${key} ${at} ${count}`))
    const before = marksOfLane(now)
    for (const minutes of [1, 7, 90]) assert.deepStrictEqual(marksOfLane(now + minutes * 60_000), before)
  })

  it("are found again by their lane and time where a lane has come before theirs", () => {
    const [before, later] = [lanesAt(runs, now), lanesAt([run("w9", 5000, 0), ...runs], now)]
    const lane = before[1] ?? assert.fail("no lane")
    const stop = { lane: lane.key, at: lane.marks[4]?.at ?? 0 }
    assert.deepStrictEqual(markAt(later, stop), stop)
    assert.deepStrictEqual(nextMark(later, stop, "ArrowRight"), { lane: lane.key, at: lane.marks[5]?.at })
    assert.strictEqual(
      nextMark(later, stop, "ArrowUp")?.lane,
      later[later.findIndex(({ key }) => key === lane.key) - 1]?.key
    )
  })

  it("are passed by lanes without marks, and end at the first and the last lane", () => {
    const [first = assert.fail("no lane"), second = assert.fail("one lane")] = lanesAt(runs, now)
    const lanes = [first, { key: "staging silent", marks: [] }, second]
    const stop = { lane: first.key, at: first.marks[0]?.at ?? 0 }
    const below = nextMark(lanes, stop, "ArrowDown") ?? assert.fail("no mark below")
    assert.strictEqual(below.lane, second.key)
    assert.isUndefined(nextMark(lanes, below, "ArrowDown"))
    assert.isUndefined(nextMark(lanes, stop, "ArrowLeft"))
    assert.deepStrictEqual(markAt([{ key: "staging silent", marks: [] }, first], undefined), stop)
  })
})

describe("a form", () => {
  it("asks for what is needed first, and offers what can be chosen", () => {
    const fields = fieldsOf("list", schema)
    assert.strictEqual(fields[0]?.name, "id")
    assert.deepStrictEqual(fields.find(({ name }) => name === "format")?.choices, ["text", "mermaid"])
    assert.deepStrictEqual(fields.find(({ name }) => name === "dry_run")?.choices, ["true", "false"])
  })

  it("asks for JSON only where nothing simpler will do", () => {
    const kinds = fieldsOf("list", schema, ["staging"]).map(({ kind, name }) => [name, kind])
    assert.deepStrictEqual(Object.fromEntries(kinds), {
      id: "text",
      hours: "number",
      dry_run: "choice",
      format: "choice",
      nodes: "lines",
      ids: "lines",
      action: "choices",
      operations: "json",
      version: "number",
      instance: "choice",
      where: "json"
    })
    assert.deepStrictEqual(fieldsOf("list", schema).find(({ name }) => name === "instance")?.kind, "text")
  })

  it("has a row for each condition that workflows are chosen by, and takes those of a link", () => {
    const search = { properties: { tags: { type: "array", items: { type: "string" } }, cursor: { type: "string" } } }
    const bulk = { properties: { where: { type: "object" }, in: { type: "object" }, also: { type: "array" } } }
    const fields = fieldsOf("plan_bulk", bulk, [], search)
    assert.deepStrictEqual(
      fields.map(({ kind, parts }) => [kind, parts.map(({ name }) => name)]),
      [
        ["conditions", ["tags", "ids", "name", "idle_days"]],
        ["conditions", ["nodeType", "field", "notes"]],
        ["json", []]
      ]
    )
    const read = (where: string) => readFields(fields, { where })
    assert.deepStrictEqual(read('{"ids":"A\\nB","idle_days":"30"}').args, { where: { ids: ["A", "B"], idle_days: 30 } })
    assert.deepStrictEqual(read('{"ids":["A"],"idle_days":30}').args, { where: { ids: ["A"], idle_days: 30 } })
    assert.deepStrictEqual(read('{"name":""}').problems, { where: "name: Is needed" })
    assert.deepStrictEqual(read('{"calledBy":"A"}').problems, { where: "There is no condition calledBy" })
    assert.deepStrictEqual(read("{").problems, { where: "Must be JSON: an object, { … }" })
  })

  it("tells instances, workflows, tags and days by the names of arguments", () => {
    const text = { type: "string" }
    const list = { type: "array", items: text }
    const nounsOf = (tool: string, properties: object) =>
      fieldsOf(tool, { properties: { ...properties } }, ["a", "b"]).map(({ choices, kind, noun }) => [
        kind,
        noun,
        choices
      ])
    assert.deepStrictEqual(nounsOf("plan_promotion", { from: text, ids: list }), [
      ["choice", "instance", ["a", "b"]],
      ["lines", "workflow", []]
    ])
    assert.deepStrictEqual(nounsOf("workflow_history", { id: text, since: text, instances: list }), [
      ["text", "workflow", []],
      ["text", "date", []],
      ["choices", "instance", ["*", "a", "b"]]
    ])
    assert.deepStrictEqual(nounsOf("run_workflow", { from: text }), [["text", undefined, []]])
    assert.deepStrictEqual(nounsOf("get_credential", { id: text }), [["text", undefined, []]])
    assert.deepStrictEqual(nounsOf("delete_tag", { id: text }), [["text", "tag", []]])
    assert.deepStrictEqual(nounsOf("get_execution", { id: { type: "integer" } }), [["number", undefined, []]])
  })

  it("reads texts as what the tool expects, and leaves out what is empty", () => {
    const texts = {
      id: "7",
      hours: "24",
      dry_run: "false",
      format: "",
      nodes: " A, B\n\n[C]\n",
      ids: "7\n8",
      action: "untag\ntag",
      operations: "[{}]",
      version: "1.5",
      where: '{"active":true}'
    }
    assert.deepEqual(readFields(fieldsOf("list", schema), texts), {
      args: {
        id: "7",
        hours: 24,
        dry_run: false,
        nodes: ["A, B", "[C]"],
        ids: [7, 8],
        action: ["untag", "tag"],
        operations: [{}],
        version: 1.5,
        where: { active: true }
      },
      problems: {}
    })
  })

  it("takes a list of JSON where one is pasted, and a line that only begins like one as it is", () => {
    const read = (nodes: string) => readFields(fieldsOf("list", schema), { id: "7", nodes }).args["nodes"]
    assert.deepStrictEqual(read('["*"]'), ["*"])
    assert.deepStrictEqual(read("[old] Fetch"), ["[old] Fetch"])
  })

  it("says what is wrong where it cannot, whatever is typed", () => {
    const { problems } = readFields(fieldsOf("list", schema), {
      hours: "1.5",
      version: "many",
      ids: "7\nmany",
      operations: "{}",
      where: "{"
    })
    assert.deepStrictEqual(problems, {
      id: "Is needed",
      hours: "Must be a whole number",
      version: "Must be a number",
      ids: "Line 2 must be a whole number",
      operations: "Must be JSON: a list, [ … ]",
      where: "Must be JSON: an object, { … }"
    })
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(schema.properties)), fc.string()), (texts) => {
        const { args, problems } = readFields(fieldsOf("list", schema), texts)
        for (const name of Object.keys(texts)) {
          const isEmpty = texts[name]?.trim() === ""
          assert.strictEqual(Number(name in args) + Number(name in problems), isEmpty && name !== "id" ? 0 : 1)
        }
      })
    )
  })
})

describe("a plan", () => {
  const step = { step: "tags staging/1", before: { name: "Old" }, after: { name: "New" } }

  it("is told by what it does first, by the name of what it is about", () => {
    assert.strictEqual(planWords("bulk", step, 3), "Bulk change: tag New and 2 more")
    assert.strictEqual(
      planWords("restore", { step: "create staging/2", before: { name: "Gone" } }, 1),
      "Restore: create Gone"
    )
    assert.strictEqual(planWords("other", undefined, 2), "other")
    assert.deepStrictEqual(stepWords({ step: "delete 7" }), { verb: "delete", place: "7", name: "7" })
    assert.deepInclude(stepWords({ step: "create tag staging/my tag", after: "my tag" }), {
      verb: "create tag",
      name: "my tag"
    })
  })
})

describe("arrow keys", () => {
  const box = (x: number, y: number) => ({ x, y, width: 200, height: 56 })
  const nodes = [box(0, 0), box(260, 0), box(520, -90), box(520, 90)]

  it("lead to the nearest node that way, and nowhere where there is none", () => {
    assert.strictEqual(nextNode(nodes, 0, "ArrowRight"), 1)
    assert.include([2, 3], nextNode(nodes, 1, "ArrowRight"))
    assert.strictEqual(nextNode(nodes, 2, "ArrowDown"), 3)
    assert.strictEqual(nextNode(nodes, 3, "ArrowUp"), 2)
    assert.strictEqual(nextNode(nodes, 3, "ArrowLeft"), 1)
    assert.isUndefined(nextNode(nodes, 0, "ArrowLeft"))
    assert.isUndefined(nextNode(nodes, 0, "x"))
    assert.strictEqual(nextNode(nodes, 0, "End"), 3)
  })
})

describe("a run of which some items were read", () => {
  it("counts the others in", () => {
    const items = (...counts: ReadonlyArray<number>) =>
      counts.map((count) => Array.from({ length: count }, () => ({ json: {} })))
    const execution = {
      leftOut: { items: { A: 9 } },
      data: {
        resultData: {
          runData: {
            A: [{ executionTime: 3, data: { main: items(0, 3) } }],
            B: [{ executionTime: 1, data: { main: items(2) } }]
          }
        }
      }
    }
    assert.deepStrictEqual(wholeRunsIn(execution)?.get("A")?.items, [0, 12])
    assert.deepStrictEqual(wholeRunsIn(execution)?.get("B")?.items, [2])
    assert.isUndefined(wholeRunsIn({}))
  })
})

describe("the published version", () => {
  const graph = fc.record({
    nodes: fc.uniqueArray(
      fc.record({ name: fc.constantFrom("A", "B", "C", "D"), notes: fc.string() }, { noNullPrototype: true }),
      { selector: ({ name }) => name }
    ),
    connections: fc.dictionary(fc.constantFrom("A", "B", "C"), fc.constantFrom({ main: [] }, { main: [[]] }), {
      noNullPrototype: true
    })
  })
  const content = (workflow: object | undefined) => {
    const { connections, nodes }: { nodes?: ReadonlyArray<{ name: string }>; connections?: object } = workflow ?? {}
    return { nodes: Object.fromEntries((nodes ?? []).map((one) => [one.name, one])), connections: { ...connections } }
  }

  it("comes back from a draft and its differences", () => {
    fc.assert(
      fc.property(graph, graph, (draft, activeVersion) => {
        const drawn = { ...draft, ...activeVersionDifference({ ...draft, activeVersion }) }
        assert.deepEqual(content(publishedOf(drawn) ?? draft), content(activeVersion))
      })
    )
  })
})
