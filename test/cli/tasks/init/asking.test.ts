import { readFile } from "node:fs/promises"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { type Cause, Effect, Layer, Option, Queue, Result, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"

import { readOptions } from "../../../../src/cli/configuration/flags.ts"
import { init, type InitRequest } from "../../../../src/cli/tasks/init/init.ts"
import { directory, standIn, useCommand } from "../../built.ts"
import { engine, key } from "./engine.ts"

useCommand()

/** A terminal at which somebody presses these keys; it keeps what it was told to show. */
const typing = (keys: ReadonlyArray<string>) => {
  const display: Array<string> = []
  const pressed = keys.map((name): Terminal.UserInput => ({
    input: name.length === 1 ? Option.some(name) : Option.none(),
    key: { name, ctrl: false, meta: false, shift: false }
  }))
  const layer = Layer.effect(
    Terminal.Terminal,
    Effect.gen(function* () {
      const input = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      yield* Queue.offerAll(input, pressed)
      yield* Queue.end(input)
      return Terminal.make({
        columns: Effect.succeed(80),
        rows: Effect.succeed(24),
        size: Effect.die("nobody asks"),
        readInput: Effect.succeed(input),
        readLine: Effect.die("nobody asks"),
        display: (text) => Effect.sync(() => void display.push(text))
      })
    })
  )
  return { display, layer: Layer.merge(NodeServices.layer, layer) }
}

const keysOf = (text: string): ReadonlyArray<string> => text.split("")

const request: InitRequest = {
  engineHost: undefined,
  engineKey: undefined,
  instance: "default",
  clients: [],
  serverName: "workflows",
  project: false,
  npx: false
}

const initAt = Effect.fnUntraced(function* (
  keys: ReadonlyArray<string>,
  { clients = [], files = {} }: { readonly clients?: InitRequest["clients"] | "asked"; readonly files?: object } = {}
) {
  const cwd = yield* Effect.promise(() => directory({ ...files }))
  const config = `${cwd}/my.json`
  const { layer, display } = typing(keys)
  const options = Result.getOrThrow(readOptions({ config }, {}))
  const code = yield* init(options, { ...request, clients: clients === "asked" ? undefined : clients }).pipe(
    Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
      canColor: false,
      canAnimate: false,
      canPrompt: true
    }),
    Effect.provide(layer)
  )
  const written = yield* Effect.promise(() => readFile(config, "utf8").catch(() => undefined))
  const ignored = yield* Effect.promise(() => readFile(`${cwd}/.gitignore`, "utf8").catch(() => undefined))
  return { code, display: display.join(""), ignored, written: written === undefined ? undefined : JSON.parse(written) }
})

describe("init at a terminal", () => {
  it.live("asks again after a wrong key, shows no key, and keeps what works", () =>
    Effect.gen(function* () {
      const host = yield* Effect.promise(() => standIn(engine))
      const typed = [
        ...keysOf(`${host}/home`),
        "enter",
        ...keysOf("wrong"),
        "enter",
        "y",
        "enter",
        ...keysOf(key),
        "enter"
      ]
      const { code, display, written } = yield* initAt(typed)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(written, {
        environments: { default: { engine_host: host, engine_api_key: key } },
        defaultEnv: "default"
      })
      assert.include(display, "Address of your engine")
      assert.notInclude(display, "NEVER-SHOWN")
    })
  )

  it.live("asks once more where no program is selected, and keeps the file with the key out of a repository", () =>
    Effect.gen(function* () {
      const host = yield* Effect.promise(() => standIn(engine))
      const instance = [...keysOf(host), "enter", ...keysOf(key), "enter"]
      // Enter alone, not confirmed; then again, confirmed; then the line in .gitignore.
      const typed = [...instance, "enter", "n", "enter", "y", "y"]
      const files = { ".git": "gitdir: elsewhere", ".gitignore": "node_modules" }
      const { code, display, ignored } = yield* initAt(typed, { clients: "asked", files })
      assert.strictEqual(code, 0)
      assert.include(display, "The space bar selects one")
      assert.include(display, "None is selected")
      assert.strictEqual(ignored, "node_modules\nmy.json\nmy.json.*.bak\n")
    })
  )

  it.live("writes nothing where the person gives up or leaves", () =>
    Effect.gen(function* () {
      const host = yield* Effect.promise(() => standIn(engine))
      const givenUp = yield* initAt([...keysOf(host), "enter", ...keysOf("wrong"), "enter", "n"])
      assert.deepStrictEqual([givenUp.code, givenUp.written], [1, undefined])
      const left = yield* initAt(keysOf("http"))
      assert.deepStrictEqual([left.code, left.written], [130, undefined])
    })
  )
})
