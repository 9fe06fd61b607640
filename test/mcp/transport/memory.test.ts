import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

import { makeMemory } from "../../../src/internal/http/MemoryBudget.ts"

const megabyte = 1024 * 1024

it.effect("memory in flight is given in the order of arrival, and given back also by those who stop waiting", () =>
  Effect.gen(function* () {
    const memory = makeMemory(10 * megabyte)
    const shares = Array.from({ length: 4 }, () => memory.open())
    const [first = memory.open(), second = first, third = first, fourth = first] = shares
    yield* first.take(6 * megabyte)
    const waiting = yield* Effect.forkChild(second.take(6 * megabyte))
    const behind = yield* Effect.forkChild(third.take(megabyte))
    yield* fourth.take(1000)
    yield* Effect.yieldNow
    assert.isUndefined(waiting.pollUnsafe())
    assert.isUndefined(behind.pollUnsafe())
    assert.isFalse(memory.open().takeNow(megabyte))
    yield* Fiber.interrupt(waiting)
    yield* Fiber.join(behind)
    yield* first.take(60 * megabyte)
    assert.strictEqual(memory.used(), 61 * megabyte)
    first.settle(2 * megabyte)
    assert.strictEqual(memory.used(), 3 * megabyte)
    yield* first.take(8 * megabyte)
    first.settle(1000)
    assert.strictEqual(memory.used(), 3 * megabyte)
    first.join()
    first.close()
    assert.strictEqual(memory.used(), 3 * megabyte)
    for (const { close } of shares) close()
    assert.strictEqual(memory.used(), 0)
  })
)
