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
  ["update_credential", { guidance: "Make it anew." }, ["Make it anew."]],
  ["run_workflow", { ran: false, guidance: "Nothing ran." }, ["Nothing ran."]],
  ["run_workflow", { ran: true, status: "success" }, []],
  ["run_workflow", { ran: true, status: "error" }, ["The run did not succeed: error"]],
  ["run_workflow", { ran: true, status: "unknown" }, ["The run did not succeed: unknown"]],
  ["execute_workflow", { executionId: null, status: "unknown" }, []],
  ["get_execution", { id: 1, status: "error" }, []],
  ["record_test", { guidance: "No folder.", text: "{}" }, []],
  ["run_tests", { passed: 1, total: 3 }, ["2 of 3 tests did not pass"]],
  ["run_tests", { passed: 3, total: 3 }, []],
  ["show_plan", { plan_id: "p", state: "planned" }, []]
])("what an answer of %s lacks: %j", (tool, answer, lacking) => {
  assert.deepStrictEqual(shortfall(tool, answer), lacking)
})

it("a dry run lacks nothing, whatever its guidance says", () => {
  const answer = { ran: false, guidance: "Dry run: nothing was sent." }
  assert.deepStrictEqual(shortfall("run_workflow", answer, { dry_run: true }), [])
  assert.lengthOf(shortfall("run_workflow", answer, { dry_run: false }), 1)
})
