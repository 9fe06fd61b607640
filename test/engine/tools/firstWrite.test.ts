import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"

import { nodeTypes } from "../../../src/engine/embedded/nodes/nodeTypes.ts"
import { hangs, takes } from "../../internal/http/standIn.ts"
import { ask } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { type ReceivedRequest, engineThat, json, serving } from "./standIn.ts"

const node = (name: string, kind: string, parameters = {}) => ({
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: 1,
  position: [0, 0],
  parameters
})

const draft = {
  name: "Orders",
  nodes: [node("Start", "manualTrigger"), node("Post", "slak")],
  connections: { Start: { main: [[{ node: "Post", type: "main", index: 0 }]] } }
}

/** An engine of generation 1, which tells what node types it has; `types` stands for that answer. */
const engineWith = (types: (request: ReceivedRequest) => ReturnType<typeof json>) =>
  engineThat((request) => {
    if (request.path === "/rest/settings") return json({ data: { versionCli: "1.82.3" } })
    if (request.path === "/types/nodes.json") return types(request)
    return json({ ...draft, id: "w1", active: false })
  })

const warnings = Effect.map(ask("create_workflow", draft), ({ warnings }) => warnings)

describe("the first write of a process", () => {
  it.effect("is checked with what the engine tells of its node types, which is asked once", () => {
    const { requests, client } = engineWith(() => json(nodeTypes(1)))
    return Effect.gen(function* () {
      const said = [
        "node Post, type: this engine has no node type n8n-nodes-base.slak. Did you mean n8n-nodes-base.slack?"
      ]
      assert.deepStrictEqual(yield* warnings, said)
      assert.deepStrictEqual(yield* warnings, said)
      assert.lengthOf(
        requests.filter(({ path }) => path === "/types/nodes.json"),
        1
      )
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("takes a credential that the engine has found by its name for one with an id, and no other", () => {
    const post = (credentials: object) => ({ ...node("Post", "slack", { text: "Hi" }), typeVersion: 2.3, credentials })
    const given = (credentials: object) => ({ ...draft, nodes: [node("Start", "manualTrigger"), post(credentials)] })
    const { client } = engineThat(({ body, method, path }) => {
      if (path === "/rest/settings") return json({ data: { versionCli: "1.82.3" } })
      if (path === "/types/nodes.json") return json(nodeTypes(1))
      if (method !== "POST") return json({ message: `${method} method not allowed` }, 405)
      const { nodes } = Object(JSON.parse(body))
      const [start, { credentials, ...rest }] = nodes
      const kept = {
        Known: { id: "AbCdEfGh12345678", name: "Known" },
        Mistaken: { id: "AbCdEfGh12345678", name: "Known" }
      }
      const slackApi = Object(kept)[credentials.slackApi.name] ?? credentials.slackApi
      return json({ ...draft, id: "w1", active: false, nodes: [start, { ...rest, credentials: { slackApi } }] })
    })
    const said = (slackApi: object) =>
      Effect.map(ask("create_workflow", given({ slackApi })), ({ warnings = [] }) => String(warnings))
    return Effect.gen(function* () {
      assert.notInclude(yield* said({ name: "Known" }), "credentials.slackApi")
      for (const name of ["Strange", "Mistaken"]) {
        assert.include(yield* said({ name }), "node Post, credentials.slackApi: names no credential: its id is missing")
      }
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("does not wait for an engine that takes long to tell, and says once that it was not checked", () => {
    const { client } = engineWith(() => takes(20_000, json(nodeTypes(1))))
    return Effect.gen(function* () {
      const [said, took] = yield* inTime(
        Effect.zip(
          warnings,
          Effect.suspend(() => Clock.currentTimeMillis)
        )
      )
      assert.match(String(said), /^Types and parameters of nodes were not checked\. .* being fetched/)
      assert.isAtMost(took, 3000)
      assert.isUndefined(yield* inTime(warnings))
      yield* inTime(Effect.sleep("20 seconds"))
      assert.match(String(yield* warnings), /no node type n8n-nodes-base\.slak/)
    }).pipe(Effect.provide(serving(client)))
  })

  it.effect("says nothing of types where the engine never tells what it is", () => {
    const { client } = engineThat(({ path }) =>
      path.startsWith("/api/v1") ? json({ ...draft, id: "w1", active: false }) : hangs
    )
    return Effect.gen(function* () {
      const [, took] = yield* inTime(
        Effect.zip(
          warnings,
          Effect.suspend(() => Clock.currentTimeMillis)
        )
      )
      assert.isAtMost(took, 3000)
    }).pipe(Effect.provide(serving(client)))
  })
})
