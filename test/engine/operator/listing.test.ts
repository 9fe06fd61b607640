import { encode } from "gpt-tokenizer/encoding/o200k_base"
import { assert, describe, it } from "vitest"

import { OperatorToolset } from "../../../src/engine/operator/toolset.ts"
import { withPlans } from "../../../src/engine/plans/toolset.ts"

const { tools } = withPlans(OperatorToolset)

/** The tools that find, show, explain and change single workflows; the rest moves, keeps and runs them. */
const first = [
  "search_workflows",
  "view_workflow",
  "edit_workflow",
  "explain_execution",
  "instance_health",
  "compare_workflows",
  "stop_execution",
  "archive_workflow",
  "test_credential"
]

const tokensOf = (names: ReadonlyArray<string>) =>
  tools
    .filter(({ name }) => names.includes(name))
    .reduce(
      (sum, { description, inputSchema, name }) =>
        sum + encode(JSON.stringify({ name, description, inputSchema: inputSchema() })).length,
      0
    )

describe("the list of the operator's tools", () => {
  it("costs a model at most 2,500 tokens for everyday work on single workflows", () => {
    assert.includeMembers(
      tools.map(({ name }) => name),
      first
    )
    assert.isAtMost(tokensOf(first), 2500)
  })

  it("costs at most 6,000 tokens as a whole", () => {
    assert.isAtMost(tokensOf(tools.map(({ name }) => name)), 6000)
  })

  it("describes every argument", () => {
    const bare = tools.flatMap(({ inputSchema, name }) =>
      Object.entries(Object(inputSchema().properties))
        .filter(([, property]) => !Object.hasOwn(Object(property), "description"))
        .map(([argument]) => `${name} ${argument}`)
    )
    assert.deepStrictEqual(bare, [])
  })
})
