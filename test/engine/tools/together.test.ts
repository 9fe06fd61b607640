import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Schema } from "effect"
import { TestClock } from "effect/testing"

import * as WorkflowLocks from "../../../src/engine/client/WorkflowLocks.ts"
import * as Message from "../../../src/mcp/protocol/Message.ts"
import { assumed } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { hangs, type Step, takes } from "../../internal/http/standIn.ts"
import { callTool, type Json } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type ReceivedRequest, engineThat, json, serving } from "./standIn.ts"

const start = { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }
const readBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** An engine that keeps one workflow; a write is done only when its answer goes out, `writing` after it came. */
const keeping = (writing: (update: ReceivedRequest) => number) => {
  let workflow: Json = { id: "w1", name: "Orders", active: false, nodes: [start], connections: {}, settings: {} }
  const engine = engineThat((received): Step => {
    if (received.method === "GET") return takes(10, (request) => json(workflow)(request))
    return takes(writing(received), (request) => {
      workflow = { ...workflow, ...readBody(received.body) }
      return json(workflow)(request)
    })
  })
  return {
    ...engine,
    names: () => engine.requests.filter(({ method }) => method === "PUT").map(nameIn),
    now: () => workflow
  }
}

const nameIn = ({ body }: ReceivedRequest) => readBody(body).name

const rename = (name: string) => callTool("update_workflow", { id: "w1", name })

/** One client's conversation: requests that are sent without waiting, and a way to cancel them. */
const session = Effect.gen(function* () {
  const { receive } = (yield* Sessions).open(assumed, () => Effect.void)
  const call = (id: number, name: string, args: Json) =>
    Effect.forkChild(
      receive(Message.read({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } })),
      { startImmediately: true }
    )
  const cancel = (requestId: number) =>
    receive(Message.read({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }))
  return { call, cancel }
})

describe("concurrent changes of one workflow", () => {
  it.effect("run one after the other in the order of arrival", () => {
    const { client, names, now } = keeping(() => 50)
    const wanted = Array.from({ length: 10 }, (_, index) => `name ${index}`)
    return Effect.gen(function* () {
      const { call } = yield* session
      const fibers = yield* Effect.forEach(wanted, (name, index) =>
        call(
          index,
          "update_workflow",
          index % 2 === 0 ? { id: "w1", name } : { id: "w1", name, settings: { [name]: 1 } }
        )
      )
      yield* inTime(Fiber.joinAll(fibers), 10)
      assert.deepStrictEqual(names(), wanted)
      assert.deepStrictEqual(Object.keys(Object(now().settings)), ["name 1", "name 3", "name 5", "name 7", "name 9"])
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("leave the queue when they are cancelled and are never sent", () => {
    const { client, names } = keeping(() => 1000)
    return Effect.gen(function* () {
      const { call, cancel } = yield* session
      const [first, second, third] = [
        yield* call(1, "update_workflow", { id: "w1", name: "first" }),
        yield* call(2, "update_workflow", { id: "w1", name: "second" }),
        yield* call(3, "update_workflow", { id: "w1", name: "third" })
      ]
      yield* TestClock.adjust(100)
      yield* cancel(2)
      assert.isTrue(Option.isNone(yield* Fiber.join(second)))
      yield* inTime(Fiber.joinAll([first, third]))
      assert.deepStrictEqual(names(), ["first", "third"])
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("wait until the write of a cancelled change has ended", () => {
    const { requests, client, names, now } = keeping((update) => (nameIn(update) === "first" ? 10_000 : 50))
    return Effect.gen(function* () {
      const { call, cancel } = yield* session
      const first = yield* call(1, "update_workflow", { id: "w1", name: "first" })
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(names(), ["first"])
      const second = yield* call(2, "update_workflow", { id: "w1", settings: { timezone: "UTC" } })
      yield* cancel(1)
      assert.isTrue(Option.isNone(yield* Fiber.join(first)))
      yield* TestClock.adjust(9000)
      assert.strictEqual(requests.at(-1)?.method, "PUT")
      yield* inTime(Fiber.join(second))
      assert.deepInclude(now(), { name: "first", settings: { timezone: "UTC" } })
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("go on after a change that the engine never answers, whose outcome is unknown", () => {
    const { client } = engineThat(({ body, method }) =>
      method === "PUT" && body.includes("hangs")
        ? hangs
        : json({ id: "w1", name: "x", active: false, nodes: [start], connections: {}, settings: {} })
    )
    return Effect.gen(function* () {
      const [first, second] = yield* inTime(Effect.all([rename("hangs"), rename("goes")], { concurrency: "unbounded" }))
      assert.deepInclude(first.error?.data, { code: "TIMEOUT", unsettled: "update workflow" })
      assert.isUndefined(second.error)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("give up waiting after the time of a call and say that nothing was sent", () => {
    const { requests, client } = engineThat(() => hangs)
    return Effect.gen(function* () {
      const all = yield* inTime(
        Effect.all([rename("first"), rename("second"), rename("third")], { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(all[2].error, {
        code: -32000,
        message:
          "Earlier changes of workflow w1 on instance production have not ended: this one had no turn in time, " +
          "and nothing of it was sent. Look at the workflow with get_workflow before trying again.",
        data: { code: "TIMEOUT", instance: "production", id: "w1" }
      })
      assert.isAtMost(requests.length, 6)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("do not wait for changes of other workflows", () => {
    const { client } = engineThat(({ path }) =>
      path.includes("w1")
        ? hangs
        : json({ id: "w2", name: "x", active: false, nodes: [start], connections: {}, settings: {} })
    )
    return Effect.gen(function* () {
      const hung = yield* Effect.forkChild(rename("hangs"))
      yield* TestClock.adjust(100)
      assert.isUndefined((yield* inTime(callTool("update_workflow", { id: "w2", name: "goes" }))).error)
      assert.isUndefined(hung.pollUnsafe())
    }).pipe(Effect.provide(serving(client)))
  })
})

describe("WorkflowLocks", () => {
  it.effect("holds no lock after calls have ended, given up or failed", () =>
    Effect.gen(function* () {
      const locks = WorkflowLocks.make()
      const under = <A, E>(name: string, self: Effect.Effect<A, E>) =>
        locks.withLock(name, self, () => Effect.fail("busy"))
      const holder = yield* Effect.forkChild(under("a", Effect.never))
      const waiter = yield* Effect.forkChild(under("a", Effect.void))
      yield* TestClock.adjust(10)
      assert.strictEqual(locks.held(), 1)
      yield* Fiber.interrupt(waiter)
      yield* Fiber.interrupt(holder)
      assert.strictEqual(yield* under("a", Effect.succeed("next")), "next")
      assert.strictEqual(yield* Effect.flip(under("b", Effect.fail("no"))), "no")
      yield* Effect.exit(under("c", Effect.die("bug")))
      yield* TestClock.adjust(10)
      assert.strictEqual(locks.held(), 0)
    })
  )
})
