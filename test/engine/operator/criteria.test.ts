import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { matcherOf, type Search } from "../../../src/engine/operator/search/criteria.ts"

const node = (name: string, kind: string, parameters: object = {}, more: object = {}) => ({
  name,
  type: `n8n-nodes-base.${kind}`,
  parameters,
  ...more
})
const workflow = {
  id: "w1",
  name: "Orders",
  active: true,
  updatedAt: "2026-11-20T09:00:00.000Z",
  tags: [{ id: "t", name: "Sales" }],
  nodes: [
    node(
      "Fetch",
      "httpRequest",
      { url: "https://shop.test/Orders" },
      { credentials: { httpBasicAuth: { id: "c1", name: "Shop" } } }
    ),
    node("Tell", "slack", { text: "New  order\nof {{ $json.name }}", limit: 4711 }),
    node("Old", "slack", {}, { credentials: { slackApi: "Team" } })
  ],
  connections: {}
}
const matchedFields = (criteria: Search) =>
  matcherOf(criteria)(workflow)?.map(({ field, node }) => [node, field] as const)

describe("matcherOf", () => {
  it.each<readonly [string, Search, ReadonlyArray<readonly [string | undefined, string]> | undefined]>([
    ["nothing asked", {}, []],
    ["a text over two lines, letter case aside", { text: "new ORDER of" }, [["Tell", "text"]]],
    ["a number", { text: "4711" }, [["Tell", "limit"]]],
    [
      "a text in name and parameters",
      { text: "orders" },
      [
        [undefined, "name"],
        ["Fetch", "url"]
      ]
    ],
    ["a text that is not there", { text: "invoice" }, undefined],
    [
      "a type and a text in one node",
      { nodeType: "slack", text: "new order" },
      [
        ["Tell", "type"],
        ["Tell", "text"]
      ]
    ],
    ["a type in one node and a text in another", { nodeType: "httpRequest", text: "new order" }, undefined],
    [
      "a type and a text of the name",
      { nodeType: "slack", text: "orders" },
      [
        [undefined, "name"],
        ["Tell", "type"],
        ["Old", "type"]
      ]
    ],
    ["a credential by its id", { credential: "c1" }, [["Fetch", "credentials.httpBasicAuth"]]],
    ["a credential by its name", { credential: "shop" }, [["Fetch", "credentials.httpBasicAuth"]]],
    ["a credential that is written as a name", { credential: "Team" }, [["Old", "credentials.slackApi"]]],
    ["a part of a type", { nodeType: "sla" }, undefined],
    ["a tag, letter case aside", { tags: ["sales"] }, []],
    ["a tag that is not there", { tags: ["sales", "ops"] }, undefined],
    ["another state", { active: false }, undefined],
    ["a change since", { changedSince: "2026-11-20T10:00:00+01:00" }, []],
    ["no change since", { changedSince: "2026-11-20T09:00:01Z" }, undefined]
  ])("answers %s", (_, criteria, expected) => {
    assert.deepStrictEqual(matchedFields(criteria), expected)
  })

  it("cuts a snippet around what was found", () => {
    const long = {
      ...workflow,
      nodes: [node("Code", "code", { jsCode: `${"a ".repeat(300)}needle${" b".repeat(300)}` })]
    }
    const [match] = matcherOf({ text: "needle" })(long) ?? []
    assert.match(match?.snippet ?? "", /^….*needle.*…$/)
    assert.isAtMost(match?.snippet.length ?? 0, 92)
  })

  it("reads whatever an engine keeps", () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.record({
          name: fc.jsonValue(),
          type: fc.jsonValue(),
          parameters: fc.jsonValue(),
          credentials: fc.jsonValue()
        })
      )
    )
    fc.assert(
      fc.property(fc.record({ nodes: odd, tags: odd, name: odd, settings: odd, updatedAt: odd }), (given) => {
        for (const criteria of [
          { text: "a" },
          { nodeType: "a" },
          { credential: "a" },
          { path: "a" },
          { calls: new Set(["a"]) },
          { errorWorkflow: new Set(["a"]) },
          { tags: ["a"] },
          { changedSince: "2026-01-01" },
          { called: new Set(["a"]) }
        ]) {
          const matches = matcherOf(criteria)(given)
          assert.isTrue(matches === undefined || Array.isArray(matches))
        }
      })
    )
  })
})
