import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

import { objectOf, objectsOf } from "../../../../src/internal/schema/JsonObject.ts"
import { ask, OperatorServer, refused } from "../../../support/harness.ts"

const secrets = {
  header: "Zq8 plain words",
  password: "open sesame",
  query: "q7f3k9x2m5",
  random: "Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk8Lz0Xc",
  user: "hunter2hunter2",
  note: "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e"
}

const parameters = {
  url: `https://ann:${secrets.user}@shop.example.com/?access_token=${secrets.query}`,
  password: secrets.password,
  options: { timeout: 1000, seed: secrets.random },
  headerParameters: {
    parameters: [
      { name: "Accept", value: "text/plain" },
      { name: "Authorization", value: secrets.header }
    ]
  }
}

const node = (name: string, type: string, more: object) => ({
  name,
  type: `engine-nodes-base.${type}`,
  typeVersion: 4,
  position: [0, 0],
  parameters: {},
  ...more
})

/** A workflow with secrets, and what `view_workflow` shows of it. */
const viewed = Effect.gen(function* () {
  const { id } = yield* ask("create_workflow", {
    name: "Secrets",
    nodes: [
      node("Start", "manualTrigger", { typeVersion: 1 }),
      node("Fetch", "httpRequest", { parameters, notes: `with ${secrets.note}` }),
      node("Other", "httpRequest", { parameters: { url: "https://other.example.com", password: "another one" } })
    ],
    connections: [{ source: "Start", target: "Fetch" }]
  })
  const view = yield* ask("view_workflow", { id, nodes: ["Fetch"] })
  const [maskedNode] = objectsOf(view["nodes"])
  return { id, version: view["version"], maskedNode: objectOf(maskedNode) }
})

const storedOf = (id: unknown) =>
  Effect.map(ask("get_workflow", { id }), ({ nodes }) =>
    Object.fromEntries(objectsOf(nodes).map((one) => [one["name"], one]))
  )

const set = (node: string, more: object) => ({ op: "set", node, ...more })

layer(OperatorServer)("a secret that view_workflow masks", (it) => {
  it.effect("is shown nowhere, and everything beside it is", () =>
    Effect.gen(function* () {
      const { maskedNode } = yield* viewed
      for (const secret of Object.values(secrets)) assert.notInclude(JSON.stringify(maskedNode), secret)
      assert.deepStrictEqual(maskedNode["parameters"], {
        url: "https://[masked]@shop.example.com/?access_token=[masked]",
        password: "[masked]",
        options: { timeout: 1000, seed: "[masked]" },
        headerParameters: {
          parameters: [
            { name: "Accept", value: "text/plain" },
            { name: "Authorization", value: "[masked]" }
          ]
        }
      })
    })
  )

  it.effect("stays what it was when its mask is written back where it was read, beside what is changed", () =>
    Effect.gen(function* () {
      const { id, maskedNode, version } = yield* viewed
      const read = objectOf(maskedNode["parameters"])
      const value = { ...read, options: { ...objectOf(read["options"]), timeout: 2000 } }
      const edit = { id, ifVersion: version, operations: [set("Fetch", { parameters: value })] }
      const changes = ["Fetch: options.timeout 1000 → 2000"]
      assert.deepInclude(yield* ask("edit_workflow", { ...edit, dry_run: true }), { changes })
      const edited = yield* ask("edit_workflow", edit)
      assert.deepInclude(edited, { changes })
      const expected = { ...parameters, options: { ...parameters.options, timeout: 2000 } }
      assert.deepStrictEqual((yield* storedOf(id))["Fetch"]?.["parameters"], expected)

      const single = set("Fetch", { path: "headerParameters.parameters[1].value", value: "[masked]" })
      const again = yield* ask("edit_workflow", { id, ifVersion: edited["version"], operations: [single] })
      assert.deepInclude(again, { changes: [] })
      assert.deepStrictEqual((yield* storedOf(id))["Fetch"]?.["parameters"], expected)
    })
  )

  it.effect("stays what it was when update_workflow writes the masked node in its place", () =>
    Effect.gen(function* () {
      const { id, maskedNode } = yield* viewed
      const whole = yield* ask("get_workflow", { id })
      const nodes = objectsOf(whole["nodes"]).map((one) =>
        one["name"] === "Fetch" ? { ...maskedNode, notes: "short" } : one
      )
      const update = { id, nodes, ifVersion: whole["version"] }
      yield* ask("update_workflow", update)
      const stored = yield* storedOf(id)
      assert.deepStrictEqual(stored["Fetch"]?.["parameters"], parameters)
      assert.strictEqual(stored["Fetch"]?.["notes"], "short")
    })
  )

  it.effect.each([
    ["without a version", set("Fetch", { path: "password", value: "[masked]" }), false],
    ["at another node", set("Other", { path: "options.seed", value: "[masked]" }), true],
    ["at another path", set("Fetch", { path: "jsonBody", value: "[masked]" }), true],
    ["in another text", set("Fetch", { path: "url", value: "https://[masked]@evil.example.com/" }), true],
    [
      "for a header of another name",
      set("Fetch", { path: "headerParameters.parameters[1]", value: { name: "X-Other", value: "[masked]" } }),
      true
    ],
    ["in a new node", { op: "add", type: "httpRequest", name: "New", parameters: { password: "[masked]" } }, true]
  ] as const)("is not written by its mask %s, and nothing is changed", ([, operation, isOfVersion]) =>
    Effect.gen(function* () {
      const { id, version } = yield* viewed
      const before = yield* storedOf(id)
      const given = { id, operations: [operation], ...(isOfVersion ? { ifVersion: version } : {}) }
      const { message } = yield* refused("edit_workflow", given)
      assert.include(message, "[masked] stands for a secret that is not shown")
      assert.include(message, "give that version as ifVersion")
      assert.deepStrictEqual(yield* storedOf(id), before)
    })
  )

  it.effect("is not written by a mask of a version that somebody has changed since", () =>
    Effect.gen(function* () {
      const { id, version } = yield* viewed
      yield* ask("edit_workflow", { id, operations: [set("Fetch", { path: "password", value: "new words" })] })
      const operations = [set("Fetch", { path: "password", value: "[masked]" })]
      const { message } = yield* refused("edit_workflow", { id, ifVersion: version, operations })
      assert.include(message, "changed since")
      assert.strictEqual(objectOf((yield* storedOf(id))["Fetch"]?.["parameters"])["password"], "new words")
    })
  )
})
