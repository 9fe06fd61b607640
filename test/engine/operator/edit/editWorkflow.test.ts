import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { HttpClient } from "effect/http"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

import { editWorkflow } from "../../../../src/engine/operator/edit/editWorkflow.ts"
import { ask, environment, type Json, operatorToolsets, refused, serverOver } from "../../../support/harness.ts"
import { type ReceivedRequest, engineThat, host, isOfTheApi, json, key } from "../../tools/standIn.ts"

const node = (name: string, kind: string, more: Json = {}) => ({
  id: name,
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
  ...more
})
const to = (name: string) => ({ main: [[{ node: name, type: "main", index: 0 }]] })

const stored: Json = {
  id: "w1",
  name: "Orders",
  active: false,
  nodes: [node("Every day", "scheduleTrigger"), node("Fetch", "httpRequest"), node("Save", "set")],
  connections: { "Every day": to("Fetch"), Fetch: to("Save") },
  settings: {},
  tags: [],
  createdAt: "2026-11-21T00:00:00.000Z",
  updatedAt: "2026-11-21T00:00:00.000Z"
}

/** An engine with one workflow; `answers` says what it answers to everything else. */
const keeping = (
  given: Json = {},
  answers: (request: ReceivedRequest) => ReturnType<typeof json> = () => json({ data: [] })
) => {
  let workflow = { ...stored, ...given }
  const engine = engineThat((request) => {
    if (request.path !== "/api/v1/workflows/w1") return answers(request)
    if (request.method === "PUT") workflow = { ...workflow, ...Object(JSON.parse(request.body)) }
    return json(workflow)
  })
  const server = (more: Parameters<typeof environment>[2] = {}) =>
    serverOver(
      { production: environment(host, key, { requestsPerSecond: Infinity, ...more }) },
      Layer.succeed(HttpClient.HttpClient, engine.client),
      operatorToolsets
    )
  const calls = () =>
    engine.requests.filter(isOfTheApi).map(({ method, path }) => `${method} ${path.slice("/api/v1".length)}`)
  return { ...engine, server, calls }
}

const edit = (...operations: ReadonlyArray<Json>) => ({ id: "w1", operations })

describe("edit_workflow", () => {
  it.effect("tries out a guess at a secret with one answer, whether it is right or wrong", () => {
    const secret = node("Fetch", "httpRequest", {
      notes: "password: sesame42",
      parameters: {
        url: "https://shop.example.com/?api_key=sesame42",
        options: { password: "sesame42", pin: 4242 },
        headers: [{ name: "Authorization", value: "Bearer sesame42" }]
      }
    })
    const { calls, server } = keeping({ nodes: [node("Every day", "scheduleTrigger"), secret] })
    const { options, ...rest } = Object(secret["parameters"])
    const ways: ReadonlyArray<(guess: string) => Json> = [
      (guess) => ({ path: "options.password", value: guess }),
      (guess) => ({ parameters: { options: { password: guess } } }),
      (guess) => ({ parameters: JSON.stringify({ ...rest, options: { ...options, password: guess } }) }),
      (guess) => ({ path: "options", value: { ...options, password: guess } }),
      (guess) => ({ path: "options.pin", value: Number(guess.replace("sesame", "42")) }),
      (guess) => ({ path: "url", value: `https://shop.example.com/?api_key=${guess}` }),
      (guess) => ({ path: "headers[0].value", value: `Bearer ${guess}` }),
      (guess) => ({ path: "headers", value: [{ name: "Authorization", value: `Bearer ${guess}` }] }),
      (guess) => ({ path: "notes", value: `password: ${guess}` })
    ]
    return Effect.gen(function* () {
      for (const way of ways) {
        const tried = (guess: string) =>
          Effect.map(
            ask("edit_workflow", { ...edit({ op: "set", node: "Fetch", ...way(guess) }), dry_run: true }),
            (said) => Struct.omit(said, ["apply"])
          )
        const wrong = yield* tried("sesame43")
        assert.match(String(wrong["changes"]), /masked/)
        assert.deepStrictEqual(yield* tried("sesame42"), wrong)
        assert.notInclude(JSON.stringify(wrong), "sesame4")
      }
      // What is no secret is told as it is.
      const plain = edit({ op: "set", node: "Fetch", path: "url", value: "https://new.example.com/" })
      assert.match(String((yield* ask("edit_workflow", { ...plain, dry_run: true }))["changes"]), /new\.example\.com/)
      const same = edit({ op: "set", node: "Every day", parameters: {} })
      assert.deepInclude(yield* ask("edit_workflow", { ...same, dry_run: true }), { changes: [] })
      assert.isFalse(calls().some((call) => call.startsWith("PUT")))
    }).pipe(Effect.provide(server()))
  })

  it.effect("writes no mask in place of a secret", () => {
    const { calls, server } = keeping()
    const operations: ReadonlyArray<Json> = [
      { op: "set", node: "Fetch", path: "options.password", value: "[masked]" },
      { op: "set", node: "Fetch", parameters: { headers: [{ value: "Bearer [masked]" }] } },
      { op: "replace", node: "Fetch", find: "https", value: "https://[masked]" },
      { op: "add", node: "Again", type: "httpRequest", parameters: { url: "https://[masked]@example.com" } }
    ]
    return Effect.gen(function* () {
      for (const operation of operations) {
        for (const dry_run of [false, true]) {
          const { message } = yield* refused("edit_workflow", {
            ...edit({ op: "note", value: "Hi" }, operation),
            dry_run
          })
          assert.include(message, "Invalid operations[1]: [masked] stands for a secret that is not shown")
        }
      }
      assert.deepStrictEqual(calls(), [])
    }).pipe(Effect.provide(server()))
  })

  it("costs at most 750 tokens of the list of tools", () => {
    const { description, inputSchema, name } = editWorkflow
    assert.isAtMost(countTokens(JSON.stringify({ name, description, inputSchema: inputSchema() })), 750)
  })

  it.effect("reads, writes once and reads back, and asks for nothing else", () => {
    const { calls, server } = keeping()
    return Effect.gen(function* () {
      const said = yield* ask(
        "edit_workflow",
        edit({ op: "rename", node: "Fetch", name: "Get" }, { op: "add", node: "N", type: "set", from: "Get" })
      )
      assert.deepStrictEqual(calls(), [
        "GET /workflows/w1",
        "GET /discover",
        "GET /workflows/w1",
        "PUT /workflows/w1",
        "GET /workflows/w1"
      ])
      assert.deepStrictEqual(Object.keys(said), ["id", "name", "active", "version", "changes"])
    }).pipe(Effect.provide(server()))
  })

  it.effect("sends nothing for operations that cannot be read", () => {
    const { calls, server } = keeping()
    return Effect.gen(function* () {
      const error = yield* refused("edit_workflow", edit({ op: "enable", node: "Fetch" }, { op: "enable" }))
      assert.strictEqual(error.message, "Invalid operations[1]: enable: node is required. Nothing was changed")
      assert.deepStrictEqual(
        (yield* refused("edit_workflow", edit())).message,
        "Invalid operations: must hold at least one operation"
      )
      assert.deepStrictEqual(calls(), [])
    }).pipe(Effect.provide(server()))
  })

  it.effect("writes nothing where one operation of several cannot be done, or where the result may not exist", () => {
    const { calls, server } = keeping({ active: true })
    return Effect.gen(function* () {
      const fault = [
        { op: "disable", node: "Fetch" },
        { op: "disable", node: "Fetsch" }
      ]
      assert.strictEqual(
        (yield* refused("edit_workflow", edit(...fault))).message,
        'Invalid operations[1]: there is no node "Fetsch". Did you mean Fetch? Nothing was changed'
      )
      assert.strictEqual(
        (yield* refused("edit_workflow", edit({ op: "set", node: "Fetch", path: "position", value: [1] }))).message,
        "Invalid operations: Workflow validation failed: node Fetch has an invalid position: must be an array of two numbers. Nothing was changed"
      )
      assert.strictEqual(
        (yield* refused("edit_workflow", edit({ op: "disable", node: "Every day" }))).message,
        "Invalid operations: Workflow cannot be activated without a valid trigger node. Add a schedule, webhook or service trigger. It is active now: keep its trigger, or deactivate it first. Nothing was changed"
      )
      assert.deepStrictEqual(calls(), ["GET /workflows/w1", "GET /workflows/w1", "GET /workflows/w1"])
    }).pipe(Effect.provide(server()))
  })

  it.effect("writes nothing where the workflow is not any more what the caller saw", () => {
    const { calls, server } = keeping()
    return Effect.gen(function* () {
      const { version } = yield* ask("get_workflow", { id: "w1" })
      const first = yield* ask("edit_workflow", { ...edit({ op: "disable", node: "Save" }), ifVersion: version })
      const late = yield* refused("edit_workflow", { ...edit({ op: "disable", node: "Fetch" }), ifVersion: version })
      assert.deepInclude(late.data, { code: "CONFLICT", changed: ["nodes (Save changed)"] })
      assert.lengthOf(
        calls().filter((call) => call.startsWith("PUT")),
        1
      )
      yield* ask("edit_workflow", { ...edit({ op: "disable", node: "Fetch" }), ifVersion: first.version })
    }).pipe(Effect.provide(server()))
  })

  it.effect("writes nothing where nothing is to be changed", () => {
    const { calls, server } = keeping()
    return Effect.gen(function* () {
      const said = yield* ask("edit_workflow", edit({ op: "enable", node: "Fetch" }))
      assert.deepInclude(said, { notice: "Nothing is to be changed: the workflow is so already.", changes: [] })
      assert.deepStrictEqual(calls(), ["GET /workflows/w1"])
    }).pipe(Effect.provide(server()))
  })

  it.effect("warns of references that lead nowhere, and of nodes that nothing leads to", () => {
    const { server } = keeping()
    return Effect.gen(function* () {
      const said = yield* ask(
        "edit_workflow",
        edit(
          {
            op: "set",
            node: "Save",
            parameters: { x: "={{ $('Fetsch').item.json.x + $('Nobody at all').item.json.x }}" }
          },
          { op: "disconnect", from: "Every day" }
        )
      )
      assert.deepStrictEqual(said.warnings, [
        'Save refers to "Fetsch", a node that is not there; did you mean Fetch?',
        'Save refers to "Nobody at all", a node that is not there',
        "No trigger leads to Fetch, Save."
      ])
    }).pipe(Effect.provide(server()))
  })

  it.effect("mends a workflow that breaks rules already, and says which it still breaks", () => {
    const { server } = keeping({ active: true, nodes: [node("Fetch", "httpRequest")], connections: {} })
    return Effect.gen(function* () {
      const said = yield* ask("edit_workflow", edit({ op: "note", node: "Fetch", value: "Still here" }))
      assert.deepStrictEqual(said.warnings, [
        "As before: Workflow cannot be activated without a valid trigger node. Add a schedule, webhook or service trigger. It is active now: keep its trigger, or deactivate it first.",
        "No trigger starts the workflow.",
        "The workflow is active, and no enabled trigger of it can start it."
      ])
      yield* ask("edit_workflow", edit({ op: "add", node: "Every day", type: "scheduleTrigger", to: "Fetch" }))
    }).pipe(Effect.provide(server()))
  })

  it.effect("says that the workflow was changed, where its tags could not be set", () => {
    const { server } = keeping({}, ({ method }) =>
      method === "PUT" ? json({ message: "Some tags not found" }, 404) : json({ data: [{ id: "t1", name: "red" }] })
    )
    return Effect.gen(function* () {
      const error = yield* refused("edit_workflow", edit({ op: "disable", node: "Save" }, { op: "tag", value: "red" }))
      assert.strictEqual(
        error.message,
        "Workflow w1 on instance production was changed, but setting its tags failed: API error: Some tags not found (tags t1 of workflow w1 on instance production)"
      )
      const alone = yield* refused("edit_workflow", edit({ op: "tag", value: "red" }))
      assert.deepInclude(alone.data, { code: "API_ERROR", httpStatus: 404 })
    }).pipe(Effect.provide(server()))
  })

  it.effect("says that new tags were created, where they could not be set", () => {
    const { server } = keeping({}, ({ method }) => {
      if (method === "POST") return json({ id: "t2", name: "new" }, 201)
      return method === "PUT" ? json({ message: "not now" }, 400) : json({ data: [] })
    })
    return Effect.gen(function* () {
      const error = yield* refused("edit_workflow", edit({ op: "tag", value: "new", create: true }))
      assert.strictEqual(
        error.message,
        "Workflow w1 on instance production was about to get the new tags new, which were created, but setting its tags failed: API error: not now"
      )
    }).pipe(Effect.provide(server()))
  })

  it.effect("asks nothing of an instance that is read-only", () => {
    const { calls, server } = keeping()
    return Effect.gen(function* () {
      assert.deepInclude((yield* refused("edit_workflow", edit({ op: "arrange" }))).data, { code: "READ_ONLY" })
      assert.deepStrictEqual(calls(), [])
    }).pipe(Effect.provide(server({ readOnly: true })))
  })

  it.effect("looks among the workflows of the instance for the version of a type that nobody knows", () => {
    const other = { ...stored, id: "w2", nodes: [{ ...node("X", "set"), type: "community.thing", typeVersion: 3.5 }] }
    const { calls, server } = keeping({}, () => json({ data: [other] }))
    return Effect.gen(function* () {
      yield* ask("edit_workflow", edit({ op: "add", node: "N", type: "community.thing" }))
      assert.include(calls(), "GET /workflows?limit=250")
      const whole = yield* ask("get_workflow", { id: "w1" })
      assert.nestedPropertyVal(whole, "nodes[3].typeVersion", 3.5)
    }).pipe(Effect.provide(server()))
  })

  it.effect("adds and takes away tags of those that the workflow has by now", () => {
    const tagged = (...names: ReadonlyArray<string>) => names.map((name) => ({ id: `id-of-${name}`, name }))
    let reads = 0
    const sent: Array<unknown> = []
    const { client } = engineThat(({ body, method, path }) => {
      if (path.endsWith("/tags") && method === "PUT") {
        sent.push(JSON.parse(body))
        return json(tagged("theirs", "blue"))
      }
      if (path.startsWith("/api/v1/tags")) return json({ data: tagged("red", "blue", "theirs") })
      // Somebody else tags it after it was read.
      reads += path === "/api/v1/workflows/w1" ? 1 : 0
      return json({ ...stored, tags: reads > 1 ? tagged("old", "theirs") : tagged("old") })
    })
    const server = serverOver(
      { production: environment(host, key, { requestsPerSecond: Infinity }) },
      Layer.succeed(HttpClient.HttpClient, client),
      operatorToolsets
    )
    return Effect.gen(function* () {
      yield* ask("edit_workflow", edit({ op: "tag", value: "blue" }, { op: "untag", value: "old" }))
      assert.deepStrictEqual(sent, [[{ id: "id-of-theirs" }, { id: "id-of-blue" }]])
    }).pipe(Effect.provide(server))
  })

  it.effect("finds credentials where they are used, if the key may not list them", () => {
    const used = { httpBasicAuth: { id: "c1", name: "Shop" } }
    const other = { ...stored, id: "w2", nodes: [node("X", "httpRequest", { credentials: used })] }
    const { server } = keeping({}, ({ path }) =>
      path.startsWith("/api/v1/credentials") ? json({ message: "Forbidden" }, 403) : json({ data: [other] })
    )
    return Effect.gen(function* () {
      yield* ask("edit_workflow", edit({ op: "credential", node: "Fetch", value: "Shop" }))
      assert.deepNestedInclude(yield* ask("get_workflow", { id: "w1" }), { "nodes[1].credentials": used })
    }).pipe(Effect.provide(server()))
  })

  it.effect("warns of a rename that moves an address, and of texts that may mean the node", () => {
    const nodes = [
      node("Hook", "webhook", { parameters: { path: "in", httpMethod: "POST" } }),
      node("Pick", "code", { parameters: { jsCode: "const from = 'Hook'\nreturn $(from).all()" } })
    ]
    const { server } = keeping({ nodes, connections: { Hook: to("Pick") } })
    return Effect.gen(function* () {
      const said = yield* ask("edit_workflow", edit({ op: "rename", node: "Hook", name: "Door" }))
      assert.deepStrictEqual(said.warnings, [
        "Door now answers at /webhook/w1/door/in, no longer at /webhook/w1/hook/in: the node has no webhookId",
        'The text "Hook" stands by itself in Pick, and was left: see whether it means the node'
      ])
    }).pipe(Effect.provide(server()))
  })

  it.effect("changes only parameters of the one node in what it sends", () => {
    const { requests, server } = keeping({ staticData: { global: { x: 1 } }, newerField: { kept: true } })
    return Effect.gen(function* () {
      yield* ask("edit_workflow", edit({ op: "set", node: "Fetch", parameters: { url: "https://b.example" } }))
      const sent: Json = Object(JSON.parse(requests.find(({ method }) => method === "PUT")?.body ?? ""))
      const nodes = [
        node("Every day", "scheduleTrigger"),
        node("Fetch", "httpRequest", { parameters: { url: "https://b.example" } }),
        node("Save", "set")
      ]
      assert.strictEqual(JSON.stringify(sent.nodes), JSON.stringify(nodes))
      assert.strictEqual(JSON.stringify(sent.connections), JSON.stringify(stored.connections))
      assert.deepInclude(sent, { name: "Orders", settings: {}, staticData: { global: { x: 1 } } })
    }).pipe(Effect.provide(server()))
  })

  it.effect(
    "takes versions from what the engine tells of its node types, and refuses those that it does not have",
    () => {
      const type = (name: string, version: number) => ({ name: `n8n-nodes-base.${name}`, version, properties: [] })
      const types = [type("brandNew", 2.5), type("set", 3.3)]
      const { server } = keeping({}, ({ path }) => {
        if (path.startsWith("/rest/settings")) return json({ data: { versionCli: "1.82.3" } })
        return path.startsWith("/types/nodes.json") ? json(types) : json({ data: [] })
      })
      return Effect.gen(function* () {
        yield* ask("edit_workflow", edit({ op: "add", node: "N", type: "n8n-nodes-base.brandNew" }))
        assert.nestedPropertyVal(yield* ask("get_workflow", { id: "w1" }), "nodes[3].typeVersion", 2.5)
        assert.strictEqual(
          (yield* refused("edit_workflow", edit({ op: "add", node: "M", type: "n8n-nodes-base.brandNeu" }))).message,
          "Invalid operations[0]: instance production (1.82.3) has no node type n8n-nodes-base.brandNeu. Did you mean n8n-nodes-base.brandNew? Nothing was changed"
        )
      }).pipe(Effect.provide(server()))
    }
  )
})
