import { assert, it, vi } from "@effect/vitest"
import { Effect } from "effect"

import { ask } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

const workflows = (count: number, size: number) =>
  Array.from({ length: count }, (_, id) => ({
    id: `${id}`,
    name: `Workflow ${id}`,
    active: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    nodes: Array.from({ length: size }, (_, at) => ({ name: `Node ${at}`, parameters: { text: "x".repeat(500) } })),
    connections: { [`Node 0`]: { main: [[{ node: "Node 1", type: "main", index: 0 }]] } },
    tags: []
  }))

/** The length of the page that is parsed when workflows of so many nodes are listed. */
const parsedBytes = (size: number) =>
  Effect.gen(function* () {
    const { client } = engineThat(() => json({ data: workflows(50, size), nextCursor: null }))
    const parse = vi.spyOn(JSON, "parse")
    const { data } = yield* ask("list_workflows").pipe(Effect.provide(serving(client)))
    const pages = parse.mock.calls.map(([text]) => text).filter((text) => text.includes('"nodes":['))
    parse.mockRestore()
    assert.nestedPropertyVal(data, "[49].nodes", size)
    return Math.max(...pages.map((text) => text.length))
  })

it.effect("a list of workflows holds no nodes: ten times as many take some bytes each, not their definitions", () =>
  Effect.gen(function* () {
    const narrow = yield* parsedBytes(20)
    const wide = yield* parsedBytes(200)
    assert.isBelow(narrow, 20_000)
    assert.isAtMost(wide - narrow, 50 * 180 * "null,".length)
  })
)
