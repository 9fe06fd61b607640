import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient } from "effect/http"

import { EmbeddedEngine } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { everyTool, idIn } from "../../support/everyTool.ts"
import { ask } from "../../support/harness.ts"
import { serving } from "./standIn.ts"

/**
 * Most requests that a tool may send to the engine for a call that finds all as it should be; one where it is not named.
 * The engine here is an old one, which refuses a body with fields that it does not know.
 */
const most: Readonly<Record<string, number>> = {
  // The tags there are; with everything, and without what it refused; its tags; what came of it.
  create_workflow: 5,
  // What is there, and again under the lock; the change; what came of it.
  update_workflow: 4,
  // What is there; the call; whose addresses it takes, where engines let it.
  activate_workflow: 3,
  // What this engine lacks; what it offers, which it does not tell; and a read that shows that it was the engine which said so.
  retry_execution: 3,
  // The workflow and its newest run; the call; its run, looked for and read.
  execute_workflow: 5
}

it.effect("no tool sends more requests for a call than it needs", () =>
  Effect.gen(function* () {
    const { apiKey, httpClient } = yield* EmbeddedEngine
    let sent: Array<string> = []
    const counting = HttpClient.mapRequest(httpClient, (request) => {
      // What an engine tells everybody of itself is asked for once, beside a first write.
      if (request.url.includes("/api/v1")) sent.push(`${request.method} ${request.url}`)
      return request
    })
    yield* Effect.gen(function* () {
      const ids: Record<string, unknown> = {}
      // The first call of an instance may learn which header the key goes in, and the first change what the key may do.
      yield* ask("create_tag", { name: "first" })
      for (const [name, args] of everyTool("a test")) {
        sent = []
        ids[name] = idIn(yield* ask(name, args(ids)))
        assert.isAtMost(sent.length, most[name] ?? 1, `${name}: ${sent.join(", ")}`)
      }
    }).pipe(Effect.provide(serving(counting, { apiKey })))
  }).pipe(Effect.provide(EmbeddedEngine.layer({ seed: true })))
)
