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

describe("a toolset whose programs are loaded later", () => {
  it.effect("is busy with the five hundredth call", () =>
    Effect.scoped(
      Effect.gen(function* () {
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
        const whole = Effect.succeed({ toolset: { name: "nothing", ...offer } })
        const { busy, toolset } = yield* outlined("nothing", whole, (tell) => tell(Outline.make(offer)))
        const waiting = yield* Effect.forkChild(busy)
        const [called] = toolset.tools
        assert.isDefined(called)
        const calls = (times: number) => Effect.replicateEffect(called?.call({}) ?? Effect.void, times)
        yield* calls(499)
        assert.isUndefined(waiting.pollUnsafe())
        yield* calls(1)
        yield* Fiber.join(waiting)
      })
    )
  )
})
