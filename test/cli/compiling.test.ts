import { execFileSync } from "node:child_process"

import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, vi } from "vitest"

import { compileInTime } from "../../src/cli/compiling.ts"
import { outlined } from "../../src/cli/toolsets/outlined.ts"
import * as Outline from "../../src/mcp/Outline.ts"

const { told } = vi.hoisted(() => ({ told: new Array<string>() }))
vi.mock("node:v8", () => ({ setFlagsFromString: (flag: string) => told.push(flag) }))

const nameOf = (flag: string) => flag.replace(/^--(?:no-)?/, "").replace(/=.*$/, "")
const isUsual = (flag: string) => options.includes(`  --${nameOf(flag)} (`) && options.includes(`default: ${flag}\n`)
const options = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })

/** What V8 was told since the last look. */
const heard = () => told.splice(0)

/** Loading a module of Node takes no time of the test's clock. */
const settled = Effect.promise(() => vi.dynamicImportSettled())

describe("what V8 is told of a process", () => {
  beforeEach(() => void heard())

  it.effect("lasts for a minute, and is what V8 does by itself from then on, until the process is busy", () =>
    Effect.gen(function* () {
      const busy = yield* Deferred.make<void>()
      const telling = yield* Effect.forkChild(compileInTime(Deferred.await(busy)))
      yield* TestClock.adjust("59 seconds")
      yield* settled
      const young = heard()
      assert.isAbove(young.length, 0)
      assert.deepStrictEqual(young.filter(isUsual), [])
      yield* TestClock.adjust("1 minute")
      yield* settled
      const usual = heard()
      assert.sameMembers(usual.map(nameOf), young.map(nameOf))
      assert.deepStrictEqual(usual.filter(isUsual), usual)
      yield* Deferred.succeed(busy, undefined)
      yield* Fiber.join(telling)
      assert.deepStrictEqual(heard().filter(isUsual), [])
    })
  )

  it.effect("does not last longer than the process is not busy", () =>
    Effect.gen(function* () {
      yield* compileInTime(Effect.void)
      assert.isAbove(heard().filter(isUsual).length, 0)
    })
  )
})

/** A toolset of one tool, whose programs are loaded later; with what was done of that. */
const nothingLater = Effect.gen(function* () {
  const tool = {
    name: "get_nothing",
    title: "Nothing",
    description: "Nothing",
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    inputSchema: () => ({ type: "object" }),
    outputSchema: undefined,
    meta: undefined,
    call: () => Effect.succeed({ content: [] })
  }
  const offer = { instructions: "", tools: [tool] }
  const done = new Array<string>()
  const whole = Effect.sync(() => {
    done.push("loaded")
    return { toolset: { name: "nothing", ...offer } }
  })
  const warmUp = Effect.andThen(
    Effect.sync(() => done.push("warmed up")),
    Effect.die("A warm-up that failed")
  )
  const loaded = yield* outlined("nothing", whole, (tell) => tell(Outline.make(offer)), warmUp)
  const [called] = loaded.toolset.tools
  assert.isDefined(called)
  return { ...loaded, done, list: called?.inputJson, call: called?.call({}) ?? Effect.void }
})

describe("a toolset whose programs are loaded later", () => {
  it.effect("is busy with the five hundredth call", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { busy, call } = yield* nothingLater
        const waiting = yield* Effect.forkChild(busy)
        yield* Effect.replicateEffect(call, 499)
        assert.isUndefined(waiting.pollUnsafe())
        yield* call
        yield* Fiber.join(waiting)
      })
    )
  )

  it.effect("is loaded soon after a list, and warms the first call up where none comes", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { done, later, list } = yield* nothingLater
        const waiting = yield* Effect.forkChild(later)
        list?.()
        yield* TestClock.adjust("9 millis")
        assert.deepStrictEqual(done, [])
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(done, ["loaded"])
        yield* TestClock.adjust("10 millis")
        yield* Fiber.join(waiting)
        assert.deepStrictEqual(done, ["loaded", "warmed up"])
      })
    )
  )

  it.effect("is loaded where nobody asks for lists", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { done, later } = yield* nothingLater
        const waiting = yield* Effect.forkChild(later)
        yield* TestClock.adjust("1100 millis")
        yield* Fiber.join(waiting)
        assert.deepStrictEqual(done, ["loaded", "warmed up"])
      })
    )
  )

  it.effect("warms nothing up once it was called", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { call, done, later } = yield* nothingLater
        const waiting = yield* Effect.forkChild(later)
        yield* call
        yield* TestClock.adjust("1100 millis")
        yield* Fiber.join(waiting)
        assert.deepStrictEqual(done, ["loaded"])
      })
    )
  )
})
