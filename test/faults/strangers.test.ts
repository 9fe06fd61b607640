import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import { callTool, environment, operatorToolsets, serverOver } from "../support/harness.ts"
import { strangeCalls } from "../support/strangers/calls.ts"
import { strangeEngine } from "../support/strangers/engine.ts"
import { longestTurn } from "../support/strangers/longestTurn.ts"
import { strangeTexts } from "../support/strangers/texts.ts"

const instance = environment("http://127.0.0.1:5678", "key", { requestsPerSecond: Infinity })

/** The whole server over an engine whose every answer holds this text everywhere. */
const serverWith = (text: string) =>
  serverOver(
    { production: instance, staging: instance },
    Layer.succeed(HttpClient.HttpClient, strangeEngine(text)),
    operatorToolsets
  )

/** Characters of a text: it stands some forty times in a workflow, of which a page has three. */
const size = 8000

/** Milliseconds of work in one turn that are a hang: far more than anything takes, and less than what grows with a square. */
const hang = 1500

describe("a text of strangers", () => {
  it.live.each(Object.entries(strangeTexts))(
    "keeps nobody waiting in any place, for any tool: %s",
    ([, make]) => {
      const text = make(size)
      return Effect.gen(function* () {
        yield* callTool("view_workflow", { id: "1" })
        const slow: Array<string> = []
        for (const [tool, args] of strangeCalls(text)) {
          const [{ error }, turn] = yield* longestTurn(callTool(tool, args))
          const name = `${tool.slice(0, 40)} ${Object.keys(args).join()}`.slice(0, 100)
          if (turn > hang) slow.push(`${name}: ${Math.round(turn)} ms`)
          if (error?.code === -32603) slow.push(`${name}: ${error.message}`)
        }
        assert.deepStrictEqual(slow, [])
      }).pipe(Effect.provide(serverWith(text)))
    },
    60_000
  )
})
