import { assert, it } from "vitest"

import { shortfall } from "../../../../src/cli/tasks/call/shortfall.ts"

it.each([
  ["search_workflows", { data: [{ instance: "a", name: "x" }] }, []],
  ["search_workflows", { data: [], failed: [{ instance: "b", error: "No." }] }, ["Instance b: No."]],
  ["instance_health", { errors: [{ instance: "b", error: "Instance b is away" }] }, ["Instance b is away"]],
  ["apply_plan", { plan_id: "p", state: "applied", refused: [], next: "Well." }, []],
  ["apply_plan", { plan_id: "p", state: "partly applied", next: "Again." }, ["Plan p is partly applied. Again."]],
  ["apply_plan", { plan_id: "p", state: "in progress", next: "Go on." }, ["Plan p is in progress. Go on."]],
  ["apply_plan", { plan_id: "p", state: "refused", next: "Why." }, ["Plan p is not applied. Why."]],
  ["show_plan", { plan_id: "p", state: "planned" }, []]
])("what an answer of %s lacks: %j", (tool, answer, lacking) => {
  assert.deepStrictEqual(shortfall(tool, answer), lacking)
})
