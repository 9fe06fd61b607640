import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fc from "fast-check"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { ask, callTool } from "../../support/harness.ts"
import { folder, git, serverWith } from "./support.ts"

const start = { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }

const secret = fc.stringMatching(/^[A-Za-z0-9+/_-]{12,40}$/).map((text) => `planted ${text}`)
const field = fc.constantFrom("user", "password", "name", "value", "token", "clientSecret", "id", "type")

/** Values of credentials under all kinds of names, some of which the history keeps of lists. */
const credential = fc.record({
  type: fc.constantFrom("httpBasicAuth", "httpHeaderAuth", "httpQueryAuth", "smtp"),
  data: fc.dictionary(field, secret, { minKeys: 1, maxKeys: 4 })
})

/** Everything that the repository holds: contents of all commits, their messages and names of files. */
const everythingIn = (directory: string) =>
  git(directory, "log", "-p", "--all", "--format=fuller", "--stat", "--binary")

describe.each(["1.82.3", "2.41.1"] as const)("the repository of an engine %s", (version) => {
  it.live("never holds a value of a credential or a key, whatever is made, changed, read, refused and backed up", () =>
    Effect.gen(function* () {
      const credentials = fc.sample(credential, { numRuns: 6, seed: 7 })
      const directory = yield* folder
      const key = yield* Effect.gen(function* () {
        const { apiKey } = yield* EmbeddedEngine
        for (const [count, { data, type }] of credentials.entries()) {
          const made = yield* callTool("create_credential", { name: `Mail ${count}`, type, data })
          const text = JSON.stringify(made)
          const [, id = "none"] = /\\"id\\":\\"(\w+)\\"/.exec(text) ?? []
          yield* callTool("update_credential", { id, data })
          const used = { [type]: { id, name: `Mail ${count}` } }
          yield* ask("create_workflow", {
            name: `W ${count}`,
            nodes: [{ ...start, credentials: used }],
            connections: {}
          })
          if (count % 3 === 0) yield* callTool("delete_credential", { id })
        }
        // What people type into their nodes is theirs and stays; a key of this server is not.
        const typed = { ...start, notes: Redacted.value(apiKey), parameters: { header: "typed by a person" } }
        yield* ask("create_workflow", { name: "Typed", nodes: [typed], connections: {} })
        yield* callTool("list_credentials", {})
        yield* ask("backup", {})
        return Redacted.value(apiKey)
      }).pipe(Effect.provide(serverWith(directory, version)))
      const all = everythingIn(directory)
      for (const value of credentials.flatMap(({ data }) => Object.values(data))) assert.notInclude(all, value)
      assert.notInclude(all, key)
      assert.include(all, "typed by a person")
      assert.include(all, "[key left out of the history]")
      assert.include(all, "Mail 1")
    })
  )
})
