import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { Instances } from "../../../src/engine/client/Instances.ts"
import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { layerInstances } from "../../../src/engine/toolset/embedded.ts"
import { objectOf, objectsOf } from "../../../src/internal/schema/JsonObject.ts"
import * as Server from "../../../src/mcp/Server.ts"
import { ask, operatorToolsets } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"

const engineOf = (seed: "production" | "staging") =>
  Effect.map(Layer.build(EmbeddedEngine.layer({ seed, version: "2.41.1" })), Context.get(EmbeddedEngine))

/** The two engines that a demonstration starts with. */
const company = Server.layer({ toolsets: operatorToolsets, version: "0.0.0-test" }).pipe(
  Layer.provide(Instances.layer),
  Layer.provide(
    Layer.unwrap(
      Effect.map(Effect.all({ production: engineOf("production"), staging: engineOf("staging") }), (engines) =>
        layerInstances(engines)
      )
    )
  )
)

/** Some minutes after noon, on a Thursday. */
const noon = Date.parse("2026-11-26T12:07:00Z")

const atNoon = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.andThen(TestClock.setTime(noon), self)

const names = (rows: unknown) => objectsOf(rows).map(({ workflow }) => workflow)

it.effect("the company has 30 workflows on production, of which all but one pass every check", () =>
  Effect.gen(function* () {
    const { data } = yield* ask("list_workflows", { limit: 100 })
    const workflows = objectsOf(data)
    assert.lengthOf(workflows, 30)
    const wrong = yield* Effect.filter(workflows, ({ id }) =>
      Effect.map(ask("check_workflow", { id }), ({ ok }) => ok !== true)
    )
    assert.deepStrictEqual(
      wrong.map(({ name }) => name),
      ["Newsletter"]
    )
  }).pipe(Effect.provide(company), atNoon)
)

it.effect("the company's production shows one of everything that goes wrong, and its staging hardly anything", () =>
  Effect.gen(function* () {
    const { data } = yield* ask("instance_health", { instances: ["*"] })
    const [production, staging] = objectsOf(data)
    assert.includeMembers(names(production?.failures), ["Price calculator", "Stock sync", "Support inbox"])
    const classes = objectsOf(production?.failures).map(({ errors, workflow }) => [
      workflow,
      objectsOf(errors)[0]?.class
    ])
    assert.includeDeepMembers(classes, [
      ["Price calculator", "data without a field"],
      ["Stock sync", "service down or slow"],
      ["Support inbox", "rate limit"]
    ])
    assert.deepStrictEqual(names(production?.missedSchedules), ["Stock count of the night"])
    assert.deepStrictEqual(names(production?.runningTooLong), ["Invoice archive"])
    assert.deepStrictEqual(names(production?.credentialsGone), ["Newsletter"])
    assert.notProperty(production, "noWorkingTrigger")
    assert.notProperty(production, "webhooksThatCollide")
    assert.doesNotHaveAnyKeys(staging, ["missedSchedules", "runningTooLong", "credentialsGone"])
    const { data: waiting } = yield* ask("list_executions", { status: "waiting" })
    assert.lengthOf(objectsOf(waiting), 1)
  }).pipe(Effect.provide(company), atNoon)
)

it.effect("the nightly import of the company fails on one order, and goes through with what staging has", () =>
  Effect.gen(function* () {
    const { data } = yield* ask("list_workflows", { name: "Order import" })
    const id = objectsOf(data)[0]?.id
    const explained = yield* ask("explain_execution", { workflowId: id })
    assert.nestedPropertyVal(explained, "item.index", 36)
    assert.nestedPropertyVal(explained, "failed.node", "Ship to")
    const failed = objectOf(explained.execution).id
    // The same data fails again, until the workflow is changed.
    assert.propertyVal(yield* ask("retry_execution", { id: failed }), "status", "error")
    const mended = yield* ask("get_workflow", { id, instance: "staging" })
    yield* ask("update_workflow", { id, nodes: mended.nodes })
    const retried = yield* ask("retry_execution", { id: failed, loadWorkflow: true })
    assert.propertyVal(retried, "status", "success")
  }).pipe(Effect.provide(company), atNoon)
)

it.effect("the company's workflows do again what the records of their last successes say", () =>
  Effect.gen(function* () {
    const { data: workflows } = yield* ask("list_workflows", { limit: 100 })
    const wrong = yield* Effect.filter(objectsOf(workflows), ({ id }) =>
      Effect.gen(function* () {
        const { data } = yield* ask("list_executions", { workflowId: id, status: "success", limit: 1 })
        const [run] = objectsOf(data)
        if (run === undefined) return false
        const { text } = yield* ask("record_test", { execution: run.id })
        return (yield* ask("run_tests", { test: text })).passed !== 1
      })
    )
    // It was changed since.
    assert.deepStrictEqual(
      wrong.map(({ name }) => name),
      ["Price calculator"]
    )
  }).pipe(inTime, Effect.provide(company), atNoon)
)

it.effect("explain_execution without arguments takes the last failure of all instances", () =>
  Effect.gen(function* () {
    const on = { instance: "staging" }
    yield* ask("execute_workflow", { id: "Zb7nWc2yHd5LqE9u", data: { invoice: "R-2300" }, ...on })
    const explained = yield* ask("explain_execution")
    assert.propertyVal(explained, "instance", "staging")
    assert.nestedPropertyVal(explained, "failed.message", "No invoice has the number R-2300")
    const here = yield* ask("explain_execution", { instance: "production" })
    assert.nestedPropertyVal(here, "execution.workflow.name", "Price calculator")
  }).pipe(Effect.provide(company), atNoon)
)
