import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, operatorToolsets, refused, serverOverEmbedded } from "../../support/harness.ts"

const Rows = Schema.Struct({
  data: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  searched: Schema.Int,
  nextCursor: Schema.optionalKey(Schema.String)
})
const decode = Schema.decodeUnknownSync(Rows)
const readMatches = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ field: Schema.String, snippet: Schema.String }))
)

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** One of 150 workflows of a shop, with twelve nodes; every tenth posts to a messenger, one of them listens at a path. */
const shopWorkflow = (number: number) => {
  const isTenth = number % 10 === 0
  const hook = {
    name: "Order received",
    type: "engine-nodes-base.webhook",
    typeVersion: 2,
    position: [0, 0],
    webhookId: `hook-${number}`,
    parameters: { path: `shop/${number}/orders`, httpMethod: "POST", options: {} }
  }
  const steps = Array.from({ length: 10 }, (_, step) => ({
    name: `Step ${step}`,
    type: "engine-nodes-base.httpRequest",
    typeVersion: 4.2,
    position: [220 * (step + 1), 0],
    parameters: { method: "GET", url: `https://shop-${number}.example.test/api/v2/orders?page=${step}`, options: {} }
  }))
  const tell = {
    name: "Tell the team",
    type: isTenth ? "engine-nodes-base.slack" : "engine-nodes-base.noOp",
    typeVersion: 2,
    position: [2600, 0],
    parameters: isTenth ? { resource: "message", operation: "post", channelId: "#orders", text: "An order came" } : {},
    ...(isTenth ? { credentials: { slackApi: { id: "team-slack", name: "Team Slack" } } } : {})
  }
  return { name: `Orders of shop ${number}`, nodes: [hook, ...steps, tell] }
}

const shops = Effect.forEach(
  Array.from({ length: 150 }, (_, number) => number),
  (number) => ask("create_workflow", shopWorkflow(number))
)

it.effect("search_workflows answers what of 150 workflows uses something by one small call", () =>
  Effect.gen(function* () {
    yield* shops
    for (const [args, count] of [
      [{ credential: "Team Slack" }, 15],
      [{ nodeType: "slack" }, 15],
      [{ path: "/webhook/shop/70/orders" }, 1],
      [{ text: "shop-70.example.test" }, 1]
    ] as const) {
      const page = decode(yield* ask("search_workflows", args))
      assert.deepStrictEqual([page.data.length, page.searched, page.nextCursor], [count, 150, undefined])
      assert.isBelow(bytesOf(page), 3000, JSON.stringify(args))
    }
  }).pipe(Effect.provide(serverOverEmbedded({}, operatorToolsets)))
)

it.effect("search_workflows keeps every page small, and shows every workflow once", () =>
  Effect.gen(function* () {
    yield* shops
    const names: Array<unknown> = []
    let args: Readonly<Record<string, unknown>> = { nodeType: "httpRequest", instances: ["*"] }
    for (let pages = 0; pages < 60; pages++) {
      const page = decode(yield* ask("search_workflows", args))
      assert.isBelow(bytesOf(page), 6200)
      names.push(...page.data.map(({ instance, name }) => `${String(instance)} ${String(name)}`))
      if (page.nextCursor === undefined) break
      args = { cursor: page.nextCursor }
    }
    assert.lengthOf(names, 300)
    assert.lengthOf([...new Set(names)], 300)
  }).pipe(Effect.provide(serverOverEmbedded({}, operatorToolsets)))
)

it.effect("search_workflows does not look into secrets, whole or in part, and finds what stands beside them", () =>
  Effect.gen(function* () {
    const header = (name: string, value: string) => ({ name, value })
    const nodes = [
      {
        name: "Fetch",
        type: "engine-nodes-base.httpRequest",
        typeVersion: 4.2,
        position: [0, 0],
        notes: "ask ops for the password=hunter2hunter2",
        parameters: {
          url: "https://anna:sw0rdfish@a.test/orders",
          password: "correct horse",
          headerParameters: {
            parameters: [header("Authorization", "Bearer abc123def456"), header("X-Api-Key", "plainwords")]
          }
        }
      }
    ]
    yield* ask("create_workflow", { name: "Leaky", nodes })
    const snippetsOf = Effect.fnUntraced(function* (text: string) {
      const { data } = decode(yield* ask("search_workflows", { text }))
      return data.flatMap(({ matches }) => readMatches(matches)).map(({ field, snippet }) => `${field}: ${snippet}`)
    })
    const secrets = ["abc123def456", "abc", "Bearer a", "plainwords", "plain", "correct", "sw0rd", "anna", "hunter2"]
    for (const text of [...secrets, "masked"]) assert.deepStrictEqual(yield* snippetsOf(text), [], text)
    assert.deepStrictEqual(yield* snippetsOf("x-api"), ["headerParameters.parameters[1].name: X-Api-Key"])
    assert.deepStrictEqual(yield* snippetsOf("a.test/orders"), ["url: https://[masked]@a.test/orders"])
    assert.deepStrictEqual(yield* snippetsOf("ask ops"), ["notes: ask ops for the password=[masked]"])
  }).pipe(Effect.provide(serverOverEmbedded({}, operatorToolsets)))
)

it.effect("search_workflows shows the tags of what it finds, some where there are many", () =>
  Effect.gen(function* () {
    const names = ["a", "b", "c", "d", "e", "f"]
    for (const name of names) yield* ask("create_tag", { name })
    const { nodes } = shopWorkflow(1)
    yield* ask("create_workflow", { name: "Tagged", tags: names, nodes })
    yield* ask("create_workflow", { name: "Untagged", nodes })
    const { data } = decode(yield* ask("search_workflows", { text: "tagged" }))
    const tags = new Map(data.map((row) => [row["name"], row["tags"]]))
    assert.sameMembers([tags.get("Tagged")].flat(), names.slice(0, 5))
    assert.deepStrictEqual([tags.has("Untagged"), tags.get("Untagged")], [true, undefined])
  }).pipe(Effect.provide(serverOverEmbedded({}, operatorToolsets)))
)

it.effect("search_workflows refuses a cursor of something else", () =>
  Effect.gen(function* () {
    const { message } = yield* refused("search_workflows", { cursor: "eyJsaW1pdCI6M30=" })
    assert.match(message, /^Invalid cursor: must be the nextCursor of an earlier search_workflows/)
  }).pipe(Effect.provide(serverOverEmbedded({}, operatorToolsets)))
)
