import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { expect } from "vitest"

import { pictureOf } from "../../../../scripts/pictureOf.ts"
import type { Box, SceneNode } from "../../../../src/engine/workflow/drawing/model.ts"
import { freeBelow } from "../../../../src/engine/workflow/drawing/places.ts"
import { sceneOf } from "../../../../src/engine/workflow/drawing/scene.ts"
import { type Element, svgOf } from "../../../../src/engine/workflow/drawing/svg.ts"
import { fit, plain, wrap } from "../../../../src/engine/workflow/drawing/text.ts"
import type { NodeRun } from "../../../../src/engine/workflow/runs.ts"
import { graph } from "../graphs.ts"

const node = (name: string, type: string, position: unknown, more: object = {}) => ({
  name,
  type: `engine-nodes-base.${type}`,
  position,
  parameters: {},
  ...more
})
const to = (node: string, type = "main", index = 0) => ({ node, type, index })
const labelsIn = ({ attributes, children }: Element): ReadonlyArray<unknown> => [
  attributes["aria-label"],
  ...children.flatMap((child) => (typeof child === "string" ? [] : labelsIn(child)))
]
const run = (more: Partial<NodeRun> = {}): NodeRun => ({
  times: 1,
  milliseconds: 5,
  items: [1],
  error: undefined,
  ...more
})

const orders = {
  name: "Orders",
  nodes: [
    node("Hook", "webhook", [0, 0], { parameters: { path: "orders", httpMethod: "POST" } }),
    node("Large?", "if", [220, 0]),
    node("Ask", "slack", [440, -120]),
    node("Store", "postgres", [440, 120], { disabled: true })
  ],
  connections: { Hook: { main: [[to("Large?")]] }, "Large?": { main: [[to("Ask")], [to("Store")]] } },
  pinData: { Hook: [{ json: {} }] }
}

const named = (nodes: ReadonlyArray<SceneNode>, name: string) =>
  nodes.find((one) => one.name === name) ?? assert.fail(`${name} is not drawn`)

const areApart = (a: Box, b: Box) =>
  a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y

describe("a drawing", () => {
  it("shows kinds, what nodes do, triggers, branches, pinned data and what is switched off", () => {
    const { labels, nodes, wires } = sceneOf(orders)
    assert.deepInclude(named(nodes, "Hook"), {
      role: "trigger",
      kind: "webhook",
      words: "POST /orders",
      isPinned: true
    })
    assert.deepInclude(named(nodes, "Store"), { role: "step", isDisabled: true, fate: undefined })
    assert.deepStrictEqual(
      wires.map(({ source, target }) => [source, target]),
      [
        ["Hook", "Large?"],
        ["Large?", "Ask"],
        ["Large?", "Store"]
      ]
    )
    assert.deepStrictEqual(
      labels.map(({ text }) => text),
      ["true", "false"]
    )
  })

  it("leads arrows back below what stands between, and no deeper", () => {
    const box = (x: number, y: number, height = 56) => ({ x, y, width: 200, height })
    const [from, to] = [box(900, 0), box(0, 0)]
    assert.strictEqual(freeBelow(from, to, [from, to]), 96)
    assert.strictEqual(freeBelow(from, to, [from, to, box(300, 100), box(600, 100, 78), box(300, 260)]), 218)
    assert.strictEqual(freeBelow(from, to, [from, to, box(1200, 60), box(300, -200), box(300, 320)]), 96)
    const place = fc.integer({ min: -500, max: 1500 })
    const boxes = fc.array(fc.tuple(place, place, fc.integer({ min: 40, max: 300 })), { maxLength: 30 })
    fc.assert(
      fc.property(boxes, (places) => {
        const others = places.map((given) => box(...given))
        const low = freeBelow(from, to, [from, to, ...others])
        const between = others.filter(({ x }) => x < 1100 && x > -200)
        assert.isTrue(between.every(({ height, y }) => low <= y - 12 || low >= y + height))
        assert.isTrue(low === 96 || between.some(({ height, y }) => low === y + height + 40))
      })
    )
  })

  it("shows the parts of an agent below it, each kind once by name", () => {
    const agent = {
      nodes: [
        node("Agent", "agent", [0, 0]),
        ...["One", "Two"].map((name, at) => node(name, "toolCode", [at * 200, 200])),
        node("Model", "lmChatOpenAi", [-200, 200])
      ],
      connections: {
        One: { ai_tool: [[to("Agent", "ai_tool")]] },
        Two: { ai_tool: [[to("Agent", "ai_tool")]] },
        Model: { ai_languageModel: [[to("Agent", "ai_languageModel")]] }
      }
    }
    const { labels, nodes, wires } = sceneOf(agent)
    assert.strictEqual(named(nodes, "Two").role, "part")
    assert.strictEqual(wires.filter(({ isPart }) => isPart).length, 3)
    assert.sameMembers(
      labels.map(({ text }) => text),
      ["tool", "model"]
    )
  })

  it("lays a run over it: what ran, how much and how long, what failed, what was not reached", () => {
    const runs = new Map([
      ["Hook", run({ items: [3] })],
      ["Large?", run({ items: [0, 3], times: 2, milliseconds: 7 })],
      ["Store", run({ items: [], error: "connection refused" })]
    ])
    const scene = sceneOf(orders, runs)
    const { nodes, wires } = scene
    assert.deepInclude(named(nodes, "Hook"), { fate: "ran", runText: "3 items · 5 ms" })
    assert.deepInclude(named(nodes, "Large?"), { fate: "ran", runText: "2 runs · 3 items · 7 ms" })
    assert.deepInclude(named(nodes, "Store"), { fate: "failed", runText: "connection refused" })
    assert.deepInclude(named(nodes, "Ask"), { fate: "idle", runText: "" })
    assert.deepStrictEqual(
      wires.map(({ fate }) => fate),
      ["ran", "idle", "ran"]
    )
    assert.include(labelsIn(svgOf(scene)), "Store, postgres, off, connection refused, failed, disabled")
  })

  it("shows what connections name and is not there as missing", () => {
    const { nodes, wires } = sceneOf({
      nodes: [node("A", "noOp", [0, 0])],
      connections: { A: { main: [[to("Gone")]] }, Lost: { main: [[to("A")]] } }
    })
    assert.strictEqual(named(nodes, "Gone").role, "missing")
    assert.strictEqual(named(nodes, "Lost").role, "missing")
    assert.strictEqual(wires.length, 2)
  })

  it("arranges nodes whose places say nothing", () => {
    for (const position of [undefined, [0, 0], ["a", "b"], [Number.NaN, 0]]) {
      const nodes = orders.nodes.map((one) => ({ ...one, position }))
      const drawn = sceneOf({ ...orders, nodes }).nodes
      assert.isBelow(named(drawn, "Hook").x, named(drawn, "Large?").x)
      assert.isBelow(named(drawn, "Large?").x, named(drawn, "Ask").x)
      assert.isTrue(areApart(named(drawn, "Ask"), named(drawn, "Store")))
    }
  })

  it("keeps nodes apart that the editor shows apart, and in their order", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: -8, max: 8 })), {
          minLength: 2,
          maxLength: 12,
          selector: String
        }),
        (cells) => {
          const nodes = cells.map(([x, y], at) => node(`N${at}`, "noOp", [x * 220, y * 180]))
          const drawn = sceneOf({ nodes, connections: {} }).nodes
          for (const [at, a] of drawn.entries()) {
            for (const [other, b] of drawn.entries()) {
              if (other <= at) continue
              assert.isTrue(areApart(a, b))
              const [before, after] = [cells[at]?.[0] ?? 0, cells[other]?.[0] ?? 0]
              assert.strictEqual(Math.sign(a.x - b.x), Math.sign(before - after))
            }
          }
        }
      )
    )
  })

  it("is made of whatever an engine keeps as a workflow, with everything inside its edges", () => {
    fc.assert(
      fc.property(graph, (workflow) => {
        const scene = sceneOf({ ...workflow })
        for (const { height, width, x, y } of [...scene.nodes, ...scene.notes]) {
          assert.isAtLeast(x, scene.x)
          assert.isAtLeast(y, scene.y)
          assert.isAtMost(x + width, scene.x + scene.width)
          assert.isAtMost(y + height, scene.y + scene.height)
        }
        assert.notMatch(pictureOf(svgOf(scene)), /NaN|Infinity|undefined/)
      })
    )
  })

  it("holds whatever texts as texts: its markup has no element that was not drawn", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (name, error) => {
        const hostile = [name, `<script>${name}</script>`, `"><img onerror=x>${name}`, `</svg>${name}`]
        const nodes = hostile.map((text, at) => node(text, "if", [at * 220, 0], { parameters: { content: text } }))
        const runs = new Map(hostile.map((text) => [text, run({ error: error + text })]))
        const picture = pictureOf(svgOf(sceneOf({ name, nodes, connections: {} }, runs)))
        assert.sameMembers(
          [...new Set([...picture.matchAll(/<\/?([^\s/>]*)/g)].map(([, tag]) => tag))].filter(
            (tag) => !["svg", "style", "rect", "g", "path", "text", "circle"].includes(tag ?? "")
          ),
          []
        )
        // oxlint-disable-next-line no-control-regex -- no XML may hold these
        assert.notMatch(picture, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202e]|\p{Cs}/u)
      }),
      { numRuns: 10 }
    )
  })

  it("of thousands of nodes is made in seconds at most", () => {
    const nodes = Array.from({ length: 5000 }, (_, at) =>
      node(`N${at}`, "noOp", [(at % 70) * 220, Math.floor(at / 70) * 180])
    )
    const connections = Object.fromEntries(nodes.slice(1).map(({ name }, at) => [`N${at}`, { main: [[to(name)]] }]))
    const since = performance.now()
    assert.strictEqual(sceneOf({ nodes, connections }).wires.length, 4999)
    assert.isBelow(performance.now() - since, 10_000)
  })

  it("stays as it was drawn", async () => {
    const runs = new Map([
      ["Hook", run()],
      ["Large?", run({ items: [1, 0] })],
      ["Ask", run({ error: "channel_not_found" })]
    ])
    const notes = [
      node("Note", "stickyNote", [-40, -220], { parameters: { content: "## Orders\nof all **shops**", color: 5 } })
    ]
    const picture = pictureOf(svgOf(sceneOf({ ...orders, nodes: [...orders.nodes, ...notes] }, runs)))
    await expect(picture.replaceAll("><", ">\n<")).toMatchFileSnapshot("../../../snapshots/drawing.svg")
  })
})

describe("texts of a drawing", () => {
  it("are cut where they do not fit, between characters as readers see them", () => {
    assert.strictEqual(fit("Fetch", 200, 13), "Fetch")
    const cut = fit("👩‍👩‍👧‍👦".repeat(40), 100, 13)
    assert.match(cut, /^(?:👩‍👩‍👧‍👦)+…$/u)
    assert.strictEqual(fit("W".repeat(400), 100, 13).at(-1), "…")
  })

  it("turn no direction and break no line", () => {
    assert.strictEqual(plain("a\u202eb\n\tc\u0000\u2066d \ud800"), "a\\u{202e}b c\\u{0}\\u{2066}d \\u{d800}")
    assert.strictEqual(plain("שלום"), "שלום")
  })

  it("are wrapped between words, into no more lines than there is room for", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 20 }), fc.integer({ min: 1, max: 4 }), (text, most) => {
        assert.isAtMost(wrap(text, 80, 11, most).length, most)
      })
    )
    assert.deepStrictEqual(wrap("one two three", 46, 11, 3), ["one two", "three"])
  })
})
