import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

import { type Change, contentBefore } from "../../../src/engine/plans/Change.ts"
import { outlineOf } from "../../../src/engine/plans/instanceContents.ts"
import { invert } from "../../../src/engine/plans/invert.ts"
import { levels } from "../../../src/engine/plans/levels.ts"
import { questionOf } from "../../../src/engine/plans/planQuestion.ts"
import { chooseWorkflows, counterpartsOf } from "../../../src/engine/plans/promotion/chooseWorkflows.ts"
import { counterpartFinder } from "../../../src/engine/plans/promotion/counterparts.ts"
import { draftPromotion } from "../../../src/engine/plans/promotion/draftPromotion.ts"
import type { Input } from "../../../src/engine/plans/promotion/Input.ts"
import { resolve } from "../../../src/engine/plans/resolve.ts"
import { stepOf } from "../../../src/engine/plans/Step.ts"
import { idsIn, linksOf } from "../../../src/engine/plans/workflowLinks.ts"
import { type Workflow, WorkflowId } from "../../../src/engine/workflow/models.ts"
import { valueAt, replaceAt } from "../../../src/engine/workflow/valuePaths.ts"
import { fits } from "../../../src/internal/fits.ts"
import { atOnce } from "../../../src/internal/Sliced.ts"

const ids = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"] as const

/** Which workflows call which, and which of them the target has already. */
const graph = fc.record({
  calls: fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { maxLength: 14 }),
  errors: fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { maxLength: 4 }),
  present: fc.uniqueArray(fc.constantFrom(...ids)),
  seed: fc.integer()
})
type Graph = typeof graph extends fc.Arbitrary<infer A> ? A : never

const workflowOf = (id: string, { calls, errors }: Graph, rename: (id: string) => string): Workflow => ({
  id: WorkflowId.make(rename(id)),
  name: `Workflow ${id}`,
  active: false,
  nodes: calls
    .filter(([from]) => from === id)
    .map(([, to], index) => ({
      name: `Call ${index}`,
      type: "n8n-nodes-base.executeWorkflow",
      typeVersion: 1.2,
      position: [0, 0],
      parameters:
        index % 2 === 0
          ? { workflowId: { __rl: true, value: rename(to), cachedResultUrl: `/workflow/${rename(to)}` } }
          : { workflowId: rename(to), created_by: { created_by: "a step" } }
    })),
  connections: {},
  settings: Object.fromEntries(errors.filter(([from]) => from === id).map(([, to]) => ["errorWorkflow", rename(to)])),
  tags: []
})

const there = (id: string) => `there-${id}`

const inputOf = (given: Graph, order: ReadonlyArray<string>): Input => ({
  from: "staging",
  to: "production",
  selected: order,
  source: new Map(order.map((id) => [id, workflowOf(id, given, (one) => one)])),
  target: given.present.map((id) => ({ ...workflowOf(id, given, there), nodes: [] })),
  tags: [],
  credentials: { all: [], isComplete: true },
  promoted: { counterparts: new Map(), written: new Map(), brought: new Map(), writtenAt: new Map() },
  editors: new Map(),
  mapping: { from: "staging", to: "production", credentials: {}, tables: {}, tags: {}, workflows: {}, values: {} },
  keep: [],
  generation: "2.x",
  nodeTypes: { problemOf: () => undefined, isKnown: () => true, hint: undefined },
  options: { activation: "keep", dependencies: "all", onDrift: "block" }
})

/** The contents of a target after the steps, in their order; fails where one needs what is not there yet. */
const carriedOut = (given: Graph) => {
  const { steps } = atOnce(draftPromotion(inputOf(given, ids)))
  const target = new Map(
    given.present.map((id) => [there(id), { ...workflowOf(id, given, there), nodes: [] as Workflow["nodes"] }])
  )
  const created = new Map<string, string>()
  for (const step of steps) {
    const change = resolve(step.change, (id) => created.get(id))
    assert.isDefined(change, `${step.id} comes after what it needs`)
    if (change?.kind === "create") {
      const id = `new-${created.size}`
      created.set(step.id, id)
      target.set(id, { ...workflowOf("w0", given, there), id: WorkflowId.make(id), ...change.content })
    }
    if (change?.kind === "update" && typeof change.workflow === "string") {
      const before = target.get(change.workflow)
      assert.isDefined(before)
      if (before !== undefined) target.set(change.workflow, { ...before, ...change.after })
    }
  }
  return { steps, target }
}

const callsOf = ({ connections, name, nodes, settings }: Workflow) =>
  idsIn(linksOf({ name, nodes, connections, settings: settings ?? {} }).texts)

describe("a promotion, whatever calls whatever", () => {
  it("is the same where only outlines are known of what does not go along", () => {
    const set = { name: "Set", type: "n8n-nodes-base.set", typeVersion: 3, position: [0, 0], parameters: { a: 1 } }
    const withSet = (workflow: Workflow) => ({ ...workflow, nodes: [...workflow.nodes, set] })
    fc.assert(
      fc.property(graph, fc.subarray([...ids], { minLength: 1 }), (given, selected) => {
        const input = inputOf(given, ids)
        const whole: Input = {
          ...input,
          selected,
          source: new Map([...input.source].map(([id, workflow]) => [id, withSet(workflow)])),
          target: input.target.map(withSet),
          options: { ...input.options, dependencies: "missing" }
        }
        const mayBecome = counterpartsOf(whole)
        const { chosen } = chooseWorkflows(whole, counterpartFinder(whole))
        const outlined: Input = {
          ...whole,
          source: new Map(
            [...whole.source].map(([id, workflow]) => [id, chosen.has(id) ? workflow : outlineOf(workflow)])
          ),
          target: whole.target.map((workflow) => (mayBecome(workflow) ? workflow : outlineOf(workflow)))
        }
        assert.deepStrictEqual(atOnce(draftPromotion(outlined)), atOnce(draftPromotion(whole)))
      })
    )
  })

  it("stops between two workflows", () => {
    const given = { calls: [], errors: [], present: [...ids], seed: 0 }
    assert.isAtLeast([...draftPromotion(inputOf(given, ids))].length, 2 * ids.length)
  })

  it("leads every call to the counterpart of what it led to, and makes each workflow once, before what needs it", () => {
    fc.assert(
      fc.property(graph, (given) => {
        const { target } = carriedOut(given)
        assert.strictEqual(target.size, ids.length)
        const nameOf = (id: string) => target.get(id)?.name
        for (const workflow of target.values()) {
          const caller = ids.find((id) => workflow.name === `Workflow ${id}`) ?? ""
          const wanted = callsOf(workflowOf(caller, given, (id) => id)).map((id) => `Workflow ${id}`)
          assert.deepStrictEqual(callsOf(workflow).map(nameOf), wanted)
          // What only looks like a reference of ours is somebody's parameter.
          assert.strictEqual(
            JSON.stringify(workflow.nodes).split("a step").length,
            JSON.stringify(workflowOf(caller, given, there).nodes).split("a step").length
          )
        }
      })
    )
  })

  it("is the same whatever order the workflows come in", () => {
    fc.assert(
      fc.property(graph, fc.shuffledSubarray([...ids], { minLength: ids.length }), (given, shuffled) => {
        assert.deepStrictEqual(
          atOnce(draftPromotion(inputOf(given, shuffled))).steps,
          atOnce(draftPromotion(inputOf(given, ids))).steps
        )
      })
    )
  })

  it("comes back by the inverse of the inverse", () => {
    fc.assert(
      fc.property(graph, (given) => {
        for (const { change } of atOnce(draftPromotion(inputOf(given, ids))).steps) {
          if (change.kind !== "update") continue
          const again = invert(change).flatMap(invert)[0]
          assert.strictEqual(again?.kind, "update")
          if (again?.kind !== "update") continue
          assert.deepStrictEqual(again.after, change.after)
          assert.deepStrictEqual(contentBefore(again), contentBefore(change))
          assert.deepStrictEqual(again.references, change.references)
        }
      })
    )
  })
})

describe("a promotion to an engine whose API does not take all settings", () => {
  it("says which of the counterpart's own are lost with a change, and changes nothing for their sake alone", () => {
    const given: Graph = { calls: [], errors: [], present: ["w0"], seed: 0 }
    const input = inputOf(given, ["w0"])
    const [counterpart] = input.target
    assert.isDefined(counterpart)
    const settings = { callerPolicy: "any", timezone: "UTC" }
    const to = (nodes: Workflow["nodes"]): Input => ({
      ...input,
      generation: "1.x",
      target: counterpart === undefined ? [] : [{ ...counterpart, nodes, settings }]
    })
    const node = { name: "Old", type: "n8n-nodes-base.noOp", typeVersion: 1, position: [0, 0], parameters: {} }
    const { steps, warnings } = atOnce(draftPromotion(to([node])))
    assert.lengthOf(steps, 1)
    assert.nestedPropertyVal(steps[0], "change.after.settings.timezone", "UTC")
    assert.include(warnings.join(), "loses its callerPolicy on production, whose API does not take that, for good")
    assert.deepStrictEqual(atOnce(draftPromotion(to([]))).steps, [])
  })
})

describe("levels of calls", () => {
  it("put what is called below what calls it, but for calls that close a circle", () => {
    fc.assert(
      fc.property(graph, ({ calls }) => {
        const all = new Map<string, ReadonlyArray<string>>(
          ids.map((id) => [id, calls.filter(([from]) => from === id).map(([, to]) => to)])
        )
        const { isBack, levelOf } = levels(all)
        const isAcyclic = calls.every(([from, to]) => from < to)
        const wrong = calls.filter(([from, to]) => (isBack(from, to) ? isAcyclic : levelOf(from) <= levelOf(to)))
        assert.deepStrictEqual(wrong, [])
      })
    )
  })

  it("are found for ten thousand workflows that call each other in a row", () => {
    const row = new Map(Array.from({ length: 10_000 }, (_, index) => [`w${index}`, [`w${index + 1}`]]))
    assert.strictEqual(levels(row).levelOf("w0"), 9999)
  })
})

describe("places inside of JSON", () => {
  it("hold what is put there, and nothing else changes", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.string(), (json, field, text) => {
        const changed = replaceAt(json, [field], text)
        assert.strictEqual(valueAt(changed, [field]), text)
        for (const other of Object.keys(json)) {
          if (other !== field) assert.deepStrictEqual(changed[other], json[other])
        }
      })
    )
  })
})

describe("patterns of names", () => {
  it("fit as regular expressions with .* for * do", () => {
    const word = fc.stringMatching(/^[ab*]{0,6}$/)
    fc.assert(
      fc.property(word, fc.stringMatching(/^[ab]{0,8}$/), (pattern, name) => {
        const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name)
        assert.strictEqual(fits(pattern, name), expected)
      })
    )
  })
})

describe("the rollback of a change", () => {
  it("of a deletion makes the workflow anew, and that of a creation deletes it", () => {
    const change: Change = {
      kind: "delete",
      instance: "production",
      workflow: "abc",
      name: "Gone",
      key: "Gone",
      content: { name: "Gone", nodes: [], connections: {}, settings: {} },
      references: [],
      level: 0
    }
    assert.deepInclude(invert(change)[0], { kind: "create", key: "Gone again, was abc" })
    assert.deepInclude(invert(change).flatMap(invert)[0], { kind: "delete", name: "Gone" })
  })
})

describe("the question before protected workflows are changed", () => {
  const guards = { maxItemsPerApply: 10_000, protected: { directWrites: true, tags: ["money"], names: ["Billing*"] } }
  const activation = (name: string, labels: ReadonlyArray<string>, id: number): Change => ({
    kind: "active",
    instance: "production",
    workflow: `w${id}`,
    name,
    labels,
    before: false,
    after: true,
    level: 0,
    isCalled: false
  })
  const planOf = (changes: ReadonlyArray<Change>) => ({
    id: "bulk-1",
    kind: "bulk",
    steps: changes.map((change) => stepOf(change, "asked for")),
    warnings: [],
    blocked: [],
    estimate: { calls: 0, seconds: 0 },
    createdAt: 0,
    expiresAt: 1
  })
  const name = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("a\nb", '" is left alone', "__proto__", "Billing")
  )

  it("has one line for each of them, whatever their names are, and none for others", () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 60 }), fc.array(fc.string()), (names, others) => {
        const theirs = others.filter((other) => !other.startsWith("Billing"))
        const changes = [
          ...names.map((one, at) => activation(one, ["money"], at)),
          ...theirs.map((one, at) => activation(one, ["team"], 100 + at))
        ]
        const question = questionOf(guards, planOf(changes))
        if (names.length === 0) return assert.isUndefined(question)
        const [head, ...rows] = question?.split("\n") ?? []
        assert.strictEqual(head, "This bulk changes protected workflows on production:")
        assert.match(rows.pop() ?? "", new RegExp(`plan bulk-1 makes ${changes.length} changes?\\. Apply it\\?$`))
        if (names.length > 40) assert.strictEqual(rows.pop(), `- and ${names.length - 40} more, which show_plan lists`)
        const activated = rows.map((row) => JSON.parse(/^- (".*") is activated$/.exec(row)?.[1] ?? ""))
        const short = (one: string) => (one.length > 120 ? `${one.slice(0, 120)}…` : one)
        assert.lengthOf(activated, Math.min(names.length, 40))
        return assert.includeMembers(names.map(short), activated)
      })
    )
  })
})
