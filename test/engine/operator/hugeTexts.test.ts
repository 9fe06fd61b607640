import { threadCpuUsage } from "node:process"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { EngineClient } from "../../../src/engine/client/EngineClient.ts"
import { filesOf } from "../../../src/engine/history/layout.ts"
import { checkAddresses } from "../../../src/engine/nodes/check/structure.ts"
import { wordsOf } from "../../../src/engine/operator/explain/failure.ts"
import { matcherOf } from "../../../src/engine/operator/search/criteria.ts"
import { takenOver } from "../../../src/engine/tools/workflows/addressing.ts"
import { componentsOf, reachabilityOf } from "../../../src/engine/workflow/components.ts"
import { differences } from "../../../src/engine/workflow/difference.ts"
import { type Workflow, WorkflowId } from "../../../src/engine/workflow/models.ts"
import { arrange } from "../../../src/engine/workflow/placing.ts"
import { sketchOf } from "../../../src/engine/workflow/sketch.ts"
import { warningsOf } from "../../../src/engine/workflow/validate.ts"
import { fitting } from "../../../src/internal/fits.ts"
import { redactor } from "../../../src/internal/http/redact.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"
import { maskText } from "../../../src/internal/secrets/maskSecrets.ts"
import { unmasked } from "../../../src/internal/secrets/unmasked.ts"
import { ask, OperatorServer } from "../../support/harness.ts"
import { longestTurn } from "../../support/strangers/longestTurn.ts"
import { strangeTexts } from "../../support/strangers/texts.ts"

/** Milliseconds of work in one turn: what takes the square of the time takes seconds for these texts. */
const hang = 1000

const node = (name: string, kind: string, parameters: object = {}) => ({
  name,
  type: `engine-nodes-base.${kind}`,
  typeVersion: 1,
  position: [0, 0],
  parameters
})

const trigger = node("Start", "manualTrigger")

const check = (parameters: object, kind = "set") =>
  longestTurn(
    ask("check_workflow", {
      nodes: [trigger, node("Set", kind, parameters)],
      connections: [{ source: "Start", target: "Set" }]
    })
  ).pipe(Effect.provide(OperatorServer))

describe("check_workflow", () => {
  it.live.each([
    "nested template strings",
    "nested brackets",
    "prefixes in an expression",
    "regular expressions in code",
    "additions in an expression"
  ])("says that it did not read an expression of %s, and goes on", (title) =>
    Effect.gen(function* () {
      const [answer, turn] = yield* check({ value: strangeTexts[title]?.(40_000) })
      assert.include(JSON.stringify(answer), "the expression was not checked: it is nested too deeply")
      assert.isBelow(turn, hang)
    })
  )

  it.live("says that it did not read a program of more than 50,000 characters", () =>
    Effect.gen(function* () {
      const [answer] = yield* check({ jsCode: `return [] ${"/* */".repeat(12_000)}` }, "code")
      assert.include(JSON.stringify(answer), "the code was not checked: it has more than 50000 characters")
    })
  )

  it.live("keeps nobody waiting for 2,000 nodes in loops that refer to each other", () =>
    Effect.gen(function* () {
      const name = (at: number) => `N${at % 2000}`
      const nodes = Array.from({ length: 2000 }, (_, at) =>
        node(name(at), "noOp", { a: `={{ $('${name(at + 7)}').item }}` })
      )
      const connections = nodes.flatMap((_, at) =>
        [1, 3, 11].map((step) => ({ source: name(at), target: name(at + step) }))
      )
      const [answer, turn] = yield* longestTurn(
        ask("check_workflow", {
          nodes: [trigger, ...nodes],
          connections: [{ source: "Start", target: "N0" }, ...connections]
        })
      )
      assert.include(JSON.stringify(answer), "never ends")
      assert.isBelow(turn, hang)
    }).pipe(Effect.provide(OperatorServer))
  )
})

const names = Array.from({ length: 20_000 }, (_, at) => `N${at}`)

describe("the graph of a workflow", () => {
  const looks = (next: (name: string) => ReadonlyArray<string>) => {
    let count = 0
    const components = componentsOf(names, (name) => {
      count += 1
      return next(name)
    })
    return { count, components }
  }

  it("is looked at once for each node, in one long loop and in a long chain", () => {
    const following = (name: string) => `N${Number(name.slice(1)) + 1}`
    const loop = looks((name) => [name === "N19999" ? "N0" : following(name)])
    assert.deepStrictEqual([loop.count, loop.components.length], [20_000, 1])
    const chain = looks((name) => (name === "N19999" ? [] : [following(name)]))
    assert.deepStrictEqual([chain.count, chain.components.length], [20_000, 20_000])
  })

  it("tells what leads to what, also around a loop", () => {
    const wires = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b", "d"]],
      ["e", ["d"]]
    ])
    const leads = reachabilityOf(wires.keys(), (name) => wires.get(name) ?? [])
    assert.deepStrictEqual(
      ["aa", "ab", "ad", "bb", "cb", "db", "ed", "ea"].map(([from = "", to = ""]) => leads(from, to)),
      [false, true, true, true, true, false, true, false]
    )
  })

  it("is arranged however many nodes follow each other, once around", () => {
    const nodes = names.slice(0, 3000).map((name) => node(name, "noOp"))
    const connections = Object.fromEntries(
      nodes.map(({ name }, at) => [name, { main: [[{ node: `N${(at + 1) % 3000}`, type: "main", index: 0 }]] }])
    )
    const xs = arrange(nodes, connections).map(({ position }) => (Array.isArray(position) ? Number(position[0]) : 0))
    assert.deepStrictEqual(
      xs,
      nodes.map((_, at) => at * 220)
    )
  })
})

/** Milliseconds that this thread works on something, whatever else the machine does. */
const worked = (work: () => unknown): number => {
  const before = threadCpuUsage()
  work()
  const { system, user } = threadCpuUsage()
  return (system + user - before.system - before.user) / 1000
}

describe("what strangers and callers make long", () => {
  const text = "ab".repeat(500_000)
  const hooks = names.slice(0, 4000).map((name) => ({ ...node(name, "webhook", { path: name }), webhookId: name }))
  const workflow = (nodes: ReadonlyArray<JsonObject>, connections: JsonObject = {}): Workflow => ({
    id: WorkflowId.make("1"),
    name: "Long",
    active: false,
    nodes,
    connections
  })
  const leadingTo = (targets: ReadonlyArray<string>) => ({
    main: [targets.map((target) => ({ node: target, type: "main", index: 0 }))]
  })
  const deep = Array.from({ length: 190 }).reduce<JsonObject>((inner) => ({ inner }), { text, mask: "[masked]" })
  const orders = workflow([node("Fetch", "httpRequest", { path: "orders" })])
  const many = Array.from({ length: 500 }, () => orders)

  it.each<[string, () => unknown]>([
    ["an address that begins at every letter of a text", () => maskText(".a".repeat(1_500_000))],
    ["a text to search for", () => many.map(matcherOf({ text, credential: text, tags: [text] }))],
    ["a pattern for names", () => many.map(({ name }) => name).filter(fitting("*ab".repeat(300_000)))],
    ["a mask deep inside of a value", () => unmasked(deep, deep)],
    [
      "a secret with thousands of fields",
      () => redactor(names.map((name) => `secret ${name}`)).text("x".repeat(20_000))
    ],
    ["one output that leads to thousands", () => sketchOf(workflow(hooks, { N0: leadingTo(names) }))],
    [
      "a chain of thousands",
      () =>
        warningsOf(
          workflow(hooks, Object.fromEntries(names.slice(0, 3999).map((name, at) => [name, leadingTo([`N${at + 1}`])])))
        )
    ],
    [
      "thousands of references to nodes that are not there",
      () =>
        warningsOf(
          workflow([
            ...hooks.slice(0, 1000),
            ...names
              .slice(0, 500)
              .map((name) => node(`S${name}`, "set", { a: `={{ $('A node that is not there ${name}') }}` }))
          ])
        )
    ],
    [
      "thousands of webhooks",
      () => Effect.runSync(Effect.provideService(takenOver(workflow(hooks), hooks), EngineClient, Object({})))
    ],
    [
      "thousands of webhooks at one address",
      () =>
        checkAddresses(
          hooks.map((one) => ({ ...one, webhookId: "same" })),
          undefined
        )
    ],
    [
      "thousands of tags",
      () =>
        differences({ tags: names.map((name) => ({ name })) }, { tags: names.map((name) => ({ name: `${name}x` })) })
    ],
    [
      "thousands of texts under one name",
      () => filesOf("a/b", { nodes: names.map(() => node("Same", "code", { jsCode: "\n" })) })
    ]
  ])("is worked on in time: %s", (_, work) => {
    // A collection of garbage or a busy machine may come in between once; what takes the square of the time is slow each time.
    const isInTime = () => worked(work) < hang
    assert.isTrue(isInTime() || isInTime() || isInTime())
  })
})

describe("secrets and paths in huge texts", () => {
  it("are masked where they are, and nothing else is", () => {
    const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
    for (const title of [
      "slashes",
      "base64",
      "eyJ",
      "words that begin with eyJ",
      "backslashes",
      "folders without a file"
    ]) {
      const text = strangeTexts[title]?.(150_000) ?? ""
      assert.isTrue(maskText(`${text} ${token} .`).endsWith(" [masked] ."), title)
      assert.isTrue(maskText(`${token} ${text}`).startsWith("[masked] "), title)
    }
  })

  it("lose the folders of the engine's server", () => {
    const wordsIn = (message: string) => wordsOf({ message }, 500).message
    assert.strictEqual(
      wordsIn(
        "Bad at /usr/lib/node_modules/n8n/dist/a.js:10:5, file:///opt/app/src/b.mjs and https://host/x/y/c.js\n\n    at x"
      ),
      "Bad at a.js, b.mjs and https:/c.js"
    )
    assert.strictEqual(wordsIn("see /docs/a.js and /a/b/c"), "see /docs/a.js and /a/b/c")
  })
})
