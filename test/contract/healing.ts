import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { ask, type Json, refused } from "../support/harness.ts"
import { inTime } from "../support/inTime.ts"
import { answer, chain, created, decodeRun, eventually, node, unique, webhook } from "./fixtures.ts"
import { shown, TestedEngine } from "./TestedEngine.ts"

/** Code for each item that gives one field. */
const eachItem = (value: string) => `return { json: { out: ${value} } }`

const work = (value: string) =>
  node("code", "Work", { mode: "runOnceForEachItem", jsCode: eachItem(value) }, { typeVersion: 2 })

const request = (name: string) =>
  node(
    "httpRequest",
    name,
    { url: "http://127.0.0.1:9/never", options: {} },
    { typeVersion: 4.2, onError: "continueRegularOutput" }
  )

const run = (id: unknown, data: Json) =>
  Effect.map(ask("execute_workflow", { id, data }), (said) => decodeRun(said).executionId)

/** A run of the version that was published last; runs of the one before, with which engines go on for a moment, are deleted. */
const runOfPublished = (id: unknown, data: Json) =>
  Effect.map(
    eventually(
      Effect.tap(ask("execute_workflow", { id, data }), (said) =>
        isOutdated(said) ? ask("delete_execution", { id: said.executionId }) : Effect.void
      ),
      (said) => !isOutdated(said)
    ),
    (said) => decodeRun(said).executionId
  )

const isOutdated = ({ note }: Json) => /instead of the published/.test(String(note))

interface Case {
  /** The value that the node gives, as it fails, and as it should be. */
  readonly broken: string
  readonly mended: string
  /** Items that succeed, and one that does not. */
  readonly good: ReadonlyArray<Json>
  readonly bad: Json
  /** Whether the failure came with an edit, and hits every item. */
  readonly wasEdited?: boolean
}

const mails = [{ email: "ANN@example.com" }, { email: "BOB@example.com" }]

const firstCase: Case = {
  broken: "$json.email.toLowerCase()",
  mended: '($json.email ?? "").toLowerCase()',
  good: mails,
  bad: { number: 1 }
}

const cases: ReadonlyArray<Case> = [
  firstCase,
  {
    broken: "$json.customer.name.toUpperCase()",
    mended: '($json.customer ? $json.customer.name : "").toUpperCase()',
    good: [{ customer: { name: "Ann" } }, { customer: { name: "Bob" } }],
    bad: { customer: null }
  },
  {
    broken: '$json.tags.join(", ")',
    mended: '($json.tags ?? []).join(", ")',
    good: [{ tags: ["a", "b"] }, { tags: ["c"] }],
    bad: { name: "none" }
  },
  { broken: "$json.note.trim()", mended: '($json.note ?? "").trim()', good: [{ note: " a " }, { note: "b" }], bad: {} },
  {
    broken: "$json.a.b.c",
    mended: '$json.a ? $json.a.b.c : "none"',
    good: [{ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }],
    bad: { a: null }
  },
  {
    broken: '$json.name.split(" ")',
    mended: '($json.name ?? "").split(" ")',
    good: [{ name: "Ann Bee" }, { name: "Cy" }],
    bad: { id: 4 }
  },
  {
    broken: '$json.first.trim() + " " + $json.last.trim()',
    mended: '($json.first ?? "").trim() + " " + ($json.last ?? "").trim()',
    good: [
      { first: "Ann", last: "Bee" },
      { first: "Cy", last: "Dee" }
    ],
    bad: { first: "Eve" }
  },
  {
    broken: '$json.list.includes("x")',
    mended: '($json.list ?? []).includes("x")',
    good: [{ list: ["x"] }, { list: [] }],
    bad: { other: 1 }
  },
  {
    broken: "$json.price.amount * 2",
    mended: "$json.price ? $json.price.amount * 2 : 0",
    good: [{ price: { amount: 2 } }, { price: { amount: 3 } }],
    bad: { price: null }
  },
  {
    broken: "$json.text.length",
    mended: "$json.text ? $json.text.length : 0",
    good: [{ text: "abc" }, { text: "d" }],
    bad: {}
  },
  {
    broken: "$json.emial.toLowerCase()",
    mended: "$json.email.toLowerCase()",
    good: mails,
    bad: mails[0] ?? {},
    wasEdited: true
  },
  {
    broken: "$json.customer.title.trim()",
    mended: "$json.customer.name.trim()",
    good: [{ customer: { name: "Ann " } }, { customer: { name: "Bob" } }],
    bad: { customer: { name: "Eve" } },
    wasEdited: true
  }
]

const code = (value: string) => [{ op: "set", node: "Work", path: "parameters.jsCode", value: eachItem(value) }]

const only = (field: string) => ({
  op: "add",
  node: "Only",
  type: "filter",
  typeVersion: 2,
  from: "Make",
  to: "Work",
  parameters: {
    conditions: {
      options: { caseSensitive: true, leftValue: "", typeValidation: "loose" },
      conditions: [
        {
          id: "there",
          leftValue: `={{ $json.${field} }}`,
          rightValue: "",
          operator: { type: "string", operation: "exists", singleValue: true }
        }
      ],
      combinator: "and"
    },
    options: {}
  }
})

/** Patches of which none is a fix: each hides, drops or changes something, or fails as before. */
const wrongFor = ({ broken, mended }: Case): ReadonlyArray<readonly [string, ReadonlyArray<Json>]> => [
  ["swallows the error", [{ op: "set", node: "Work", path: "onError", value: "continueRegularOutput" }]],
  ["switches the node off", [{ op: "disable", node: "Work" }]],
  ["drops the item", [only(/\$json\.(\w+)/.exec(broken)?.[1] ?? "missing")]],
  ["changes other outputs", code(`[${mended}, 1]`)],
  ["fails as before", code(`(${broken})`)],
  ["gives an empty item", [{ op: "set", node: "Work", path: "parameters.jsCode", value: "return { json: {} }" }]]
]

/** A workflow that succeeded twice and then failed: at `Work`, which has a request before and one behind it. */
const failedAt = Effect.fnUntraced(function* ({ bad, broken, good, mended, wasEdited = false }: Case) {
  const name = unique("healing")
  const nodes = (value: string) => [
    node("code", "Make", { jsCode: "return $json.body.list" }, { typeVersion: 2 }),
    work(value),
    answer("Say", "={{ $json.out }}"),
    request("Send")
  ]
  const trigger = webhook({ responseMode: "onReceived" })
  const { id } = yield* created({
    name,
    nodes: [trigger, ...nodes(wasEdited ? mended : broken)],
    connections: chain("Webhook", "Make", "Work", "Say", "Send"),
    active: true
  })
  for (const item of good) yield* run(id, { list: [item] })
  if (wasEdited) yield* ask("edit_workflow", { id, operations: code(broken) })
  const execution = yield* runOfPublished(id, { list: wasEdited ? [bad] : [good[0], bad] })
  yield* eventually(ask("get_execution", { id: execution }), ({ status }) => status === "error")
  return { id, name, execution }
})

const isProof = ({ failed_run, successes }: Json) =>
  failed_run === "passes" && /^[1-9]\d* equal, 0 differ$/.test(String(successes))

/** Fixes that are tried on failures of an engine; all patches of all cases, or some of them. */
export const healingSuite = (title: string, engine: Layer.Layer<Sessions | TestedEngine>, isReal: boolean) => {
  const suite = isReal ? layer(engine, { excludeTestServices: true, timeout: "60 seconds" }) : layer(engine)
  const inEngine = <A, E, R>(test: Effect.Effect<A, E, R>) =>
    isReal ? Effect.scoped(test) : inTime(Effect.scoped(test))
  suite(`try_fix on ${title}`, (it) => {
    for (const [index, one] of cases.entries()) {
      // A try on a real engine takes seconds: all of them are made where ALL_FIXES asks for it.
      if (isReal && index % 4 !== 0 && process.env["ALL_FIXES"] === undefined) continue
      const all = wrongFor(one)
      const wrong = [0, 1, 2, 3].map((place) => all[(index + place) % all.length])
      it.effect(
        `proves the fix of ${one.broken}, and none that ${wrong.map((patch) => patch?.[0]).join(", ")}`,
        () =>
          inEngine(
            Effect.gen(function* () {
              const { execution, id, name } = yield* failedAt(one)
              const was = yield* shown(`/workflows/${id}`)
              const right = yield* ask("try_fix", { execution, operations: code(one.mended) })
              assert.include(right, { failed_run: "passes", successes: "2 equal, 0 differ" }, JSON.stringify(right))
              assert.match(String(right.plan_id), /^fix/)
              yield* Effect.forEach(
                wrong.flatMap((patch) => (patch === undefined ? [] : [patch])),
                ([what, operations]) =>
                  Effect.map(ask("try_fix", { execution, operations }), (said) => {
                    assert.isFalse(isProof(said), `${what}: ${JSON.stringify(said)}`)
                    assert.isAtMost(JSON.stringify(said).length, 3000)
                  }),
                { concurrency: 4 }
              )
              assert.deepStrictEqual((yield* shown(`/workflows/${id}`)).nodes, was.nodes)
              const { data } = yield* shown(
                `/workflows?limit=250&name=${encodeURIComponent(`Temporary run of ${name}`)}`
              )
              assert.deepStrictEqual(data, [])
            })
          ),
        isReal ? 120_000 : undefined
      )
    }

    it.effect("applies a fix that was proven, and shows the proof in its plan", () =>
      inEngine(
        Effect.gen(function* () {
          const one = firstCase
          const { execution, id } = yield* failedAt(one)
          const { plan_id } = yield* ask("try_fix", { workflow: id, operations: code(one.mended) })
          const plan = yield* ask("show_plan", { plan_id })
          assert.deepNestedInclude(plan, {
            kind: "fix",
            "steps[0].reason": `tried on execution ${execution}, which passes; successes: 2 equal, 0 differ`
          })
          assert.deepInclude(yield* ask("apply_plan", { plan_id, confirm: true }), { state: "applied" })
          // Engines go on with the former version for a moment.
          const ended = Effect.flatMap(run(id, { list: [one.bad] }), (again) =>
            eventually(ask("get_execution", { id: again }), ({ status }) => status === "success" || status === "error")
          )
          yield* eventually(ended, ({ status }) => status === "success")
        })
      )
    )

    it.effect("says of a node that acts outside that its part cannot be proven without acting", () =>
      inEngine(
        Effect.gen(function* () {
          // The embedded engine makes no requests, so that none of them fails.
          if (!isReal) return
          const { onError: _onError, ...fetch } = { onError: undefined, ...request("Fetch") }
          const { id } = yield* created({
            nodes: [webhook({ responseMode: "onReceived" }), fetch, answer("Say", "done")],
            connections: chain("Webhook", "Fetch", "Say"),
            active: true
          })
          const execution = yield* run(id, {})
          yield* eventually(ask("get_execution", { id: execution }), ({ status }) => status === "error")
          const operations = [{ op: "set", node: "Fetch", path: "parameters.url", value: "http://127.0.0.1:9/other" }]
          const said = yield* ask("try_fix", { execution, operations })
          assert.match(String(said.failed_run), /^not proven: Fetch acts outside, so that it did not run/)
          assert.match(String(said.not_proven), /Fetch is changed and acts outside/)
        })
      )
    )

    it.effect(
      "takes code for no fix that hides the error, guesses, or gives what differs in every run",
      () =>
        inEngine(
          Effect.gen(function* () {
            // The embedded engine runs no such code.
            if (!isReal) return
            const { execution } = yield* failedAt(firstCase)
            const js = (value: string) => [{ op: "set", node: "Work", path: "parameters.jsCode", value }]
            const lower = "$json.email.toLowerCase()"
            const patches = [
              js(`try { return { json: { out: ${lower} } } } catch { return { json: {} } }`),
              js(`try { return { json: { out: ${lower} } } } catch (error) { return { json: { out: null } } }`),
              js(`if (!$json.email) return { json: { error: "none" } }\nreturn { json: { out: ${lower} } }`),
              js("return { json: { out: String(Math.random()) } }"),
              js("return { json: { out: new Date().toISOString() } }"),
              js('return { json: { out: "ann@example.com" } }'),
              js(`return { json: { out: ${lower.replace(".email", '.email ?? ""')}, at: Date.now() } }`),
              [{ op: "set", node: "Work", path: "executeOnce", value: true }],
              [{ op: "set", node: "Work", path: "onError", value: "continueErrorOutput" }],
              [
                { op: "set", node: "Work", path: "onError", value: "continueRegularOutput" },
                { op: "set", node: "Work", path: "alwaysOutputData", value: true }
              ]
            ]
            yield* Effect.forEach(
              patches,
              (operations) =>
                Effect.map(ask("try_fix", { execution, operations }), (said) =>
                  assert.isFalse(isProof(said), `${JSON.stringify(operations)}: ${JSON.stringify(said)}`)
                ),
              { concurrency: 4 }
            )
          })
        ),
      isReal ? 120_000 : undefined
    )

    it.effect("tries the fix of a sub-workflow on its own failed run, and then through its caller", () =>
      inEngine(
        Effect.gen(function* () {
          // The embedded engine calls no sub-workflows.
          if (!isReal) return
          const { isV2, send } = yield* TestedEngine
          const start = node("executeWorkflowTrigger", "Called", { inputSource: "passthrough" }, { typeVersion: 1.1 })
          const inner = yield* created({
            nodes: [start, work("$json.email.trim()")],
            connections: chain("Called", "Work")
          })
          if (isV2) yield* send("POST", `/workflows/${inner.id}/activate`)
          const workflowId = { __rl: true, mode: "id", value: inner.id }
          const caller = yield* created({
            nodes: [
              webhook({ responseMode: "onReceived" }),
              node("code", "Make", { jsCode: "return $json.body.list" }, { typeVersion: 2 }),
              node("executeWorkflow", "Call", { workflowId, mode: "once", options: {} }, { typeVersion: 1.2 }),
              answer("Say", "={{ $json.out }}")
            ],
            connections: chain("Webhook", "Make", "Call", "Say"),
            active: true
          })
          const execution = yield* run(caller.id, { list: [{ email: " a " }, { number: 2 }] })
          yield* eventually(ask("get_execution", { id: execution }), ({ status }) => status === "error")
          const said = yield* ask("try_fix", { execution, operations: code('($json.email ?? "").trim()') })
          assert.include(said, { failed_run: "passes" }, JSON.stringify(said))
          assert.nestedPropertyVal(said, "workflow.id", inner.id)
          assert.include(
            JSON.stringify(said.not_proven),
            `Its caller ${caller.id} goes on with what it gives back, from Call on`
          )
        })
      )
    )

    it.effect("refuses what it cannot try, and says why", () =>
      inEngine(
        Effect.gen(function* () {
          const { send } = yield* TestedEngine
          const one = firstCase
          const { execution, id } = yield* failedAt(one)
          const nothing = yield* refused("try_fix", { execution, operations: code(one.broken) })
          assert.match(nothing.message, /change nothing: the workflow is so already/)
          const tag = yield* refused("try_fix", { execution, operations: [{ op: "disable", node: "Nowhere" }] })
          assert.match(tag.message, /operations\[0\]/)
          assert.match(
            (yield* refused("try_fix", { operations: code("1") })).message,
            /^Invalid execution: is needed, or workflow/
          )
          const unknown = yield* refused("try_fix", { execution: 999_999_999, operations: code("1") })
          assert.match(unknown.message, /Execution not found/)
          yield* send("POST", `/workflows/${id}/deactivate`)
          yield* eventually(send("DELETE", `/workflows/${id}`), ({ status }) => status === 200 || status === 404)
          const gone = yield* refused("try_fix", { execution, operations: code(one.mended) })
          assert.match(gone.message, /no longer has: restore_workflow can bring it back|Execution not found/)
        })
      )
    )
  })
}
