import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { doNothing } from "../support/engineNodes.ts"
import { ask, type Json } from "../support/harness.ts"
import type { Pair } from "./promoting.ts"
import { scene } from "./twoEngines.ts"

const nodesBy = (first: string) => ["A", "B", "C"].map((name) => doNothing(first + name, name))
const connections = Object.fromEntries(
  [
    ["A", "B"],
    ["B", "C"]
  ].map(([from = "", to]) => [from, { main: [[{ node: to, type: "main", index: 0 }]] }])
)
const group = (name: string, ...nodeIds: ReadonlyArray<string>) => ({ id: `id of ${name}`, name, nodeIds })

/** Tests of groups of nodes in promotions between engines that know them. */
export const promotingGroupsSuite = (title: string, { layerOf }: Pick<Pair, "layerOf">) => {
  describe(`A promotion of groups ${title}`, () => {
    it.live("follows the source, blocks what somebody has changed, and is rolled back to what was there", () =>
      Effect.gen(function* () {
        const { apply, change, make, shown, undone } = yield* scene
        const own = [group("Mine", "tB")]
        const id = yield* make("staging", "Ours", {
          nodes: nodesBy("s"),
          connections,
          nodeGroups: [group("Front", "sA", "sB"), group("Rear", "sC")]
        })
        const target = yield* make("production", "Ours", { nodes: nodesBy("t"), connections, nodeGroups: own })
        // Where both are users of one engine, the source may show the other's workflow, too.
        const given = { from: "staging", to: "production", ids: [id], mapping: { workflows: { [id]: target } } }
        const planned = (more: Json = {}) => ask("plan_promotion", { ...given, ...more })
        const groups = Effect.map(shown("Ours"), ({ nodeGroups }) => nodeGroups)
        const first = yield* planned()
        const text = JSON.stringify(first)
        assert.include(text, "group Mine: removed (B)")
        assert.include(text, "group Front: added (A, B)")
        assert.deepInclude(yield* apply(first), { state: "applied", refused: [] })
        const brought = [group("Front", "tA", "tB"), group("Rear", "tC")]
        assert.deepStrictEqual(yield* groups, brought)
        assert.deepInclude(yield* planned(), { steps: 0 })
        yield* change("staging", id, { nodeGroups: [] })
        const removal = yield* planned()
        assert.deepInclude(yield* apply(removal), { state: "applied", refused: [] })
        assert.deepStrictEqual(yield* groups, [])
        yield* undone(removal)
        assert.deepStrictEqual(yield* groups, brought)
        yield* undone(first)
        assert.deepStrictEqual(yield* groups, own)
        yield* change("staging", id, { nodeGroups: [group("Front", "sA")] })
        yield* apply(yield* planned({ on_drift: "overwrite" }))
        yield* change("production", target, { nodeGroups: own })
        yield* change("staging", id, { nodeGroups: [group("Front", "sA", "sB")] })
        assert.include(
          JSON.stringify((yield* planned())["blocked"]),
          "it was changed on production since the last promotion (nodeGroups)"
        )
        assert.deepStrictEqual(yield* groups, own)
      }).pipe(Effect.provide(layerOf({})))
    )
  })
}
