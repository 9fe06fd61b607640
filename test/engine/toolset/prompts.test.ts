import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as fc from "fast-check"

import { prompts } from "../../../src/engine/toolset/prompts/catalog.ts"
import { hasValidTrigger } from "../../../src/engine/workflow/triggers.ts"
import { validate } from "../../../src/engine/workflow/validate.ts"
import { JsonObject } from "../../../src/internal/schema/JsonObject.ts"

const Proposal = Schema.Struct({
  name: Schema.String,
  nodes: Schema.Array(JsonObject),
  connections: Schema.Unknown,
  settings: JsonObject
})

const readProposal = Schema.decodeUnknownEffect(Schema.fromJsonString(Proposal), { onExcessProperty: "error" })

const named = (name: string) => Effect.fromNullishOr(prompts.find((prompt) => prompt.name === name))

const texts = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, string>>) {
  const prompt = yield* named(name)
  const messages = yield* prompt.get(args)
  return messages.map(({ content }) => (content.type === "text" ? content.text : ""))
})

/** The arguments of `create_workflow` that the last message is. */
const proposal = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, string>>) {
  const [, json] = yield* texts(name, args)
  return yield* readProposal(json)
})

const refusal = (name: string, args: Readonly<Record<string, string>>) =>
  proposal(name, args).pipe(
    Effect.flip,
    Effect.map((error) => error.message)
  )

const minimal: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
  ["schedule-triggered-workflow", { cron: "0 9 * * 1-5" }],
  ["http-webhook-workflow", { path: "orders/new" }],
  ["data-transformation-workflow", { fields: "customer=user.name, total=amount" }],
  ["external-service-integration", { url: "https://api.example.com/items" }],
  ["api-data-polling", { url: "https://api.example.com/items" }]
]

describe("the prompts", () => {
  it("are five, each with its arguments described", () => {
    assert.deepStrictEqual(
      prompts.map(({ name }) => name),
      minimal.map(([name]) => name)
    )
    for (const { title, description, arguments: args } of prompts) {
      assert.isAbove(title.length, 0)
      assert.isAbove(description.length, 0)
      assert.isTrue(args.every((argument) => argument.description.length > 10))
    }
  })

  it("require only arguments without a default", () => {
    assert.deepStrictEqual(
      prompts.map(({ arguments: args }) => args.filter(({ required }) => required).map(({ name }) => name)),
      [["cron"], ["path"], ["fields"], ["url"], ["url"]]
    )
  })

  for (const [name, args] of minimal) {
    it.effect(`${name} proposes a valid workflow that can be activated, in neutral node types`, () =>
      Effect.gen(function* () {
        const { nodes, ...draft } = yield* proposal(name, args)
        assert.isTrue(Result.isSuccess(validate({ ...draft, nodes, active: true })))
        assert.isTrue(hasValidTrigger(nodes))
        assert.isTrue(nodes.every(({ type }) => String(type).startsWith("engine-nodes-base.")))
      })
    )

    it.effect(`${name} keeps any text unchanged and out of expressions`, () =>
      Effect.tryPromise(() =>
        fc.assert(
          fc.asyncProperty(hostile, hostile, (title, task) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const { nodes, connections, name: kept } = yield* proposal(name, { ...args, name: title, task })
                assert.strictEqual(kept, title)
                assert.isTrue(Result.isSuccess(validate({ name: kept, nodes, connections, active: true })))
                assert.deepStrictEqual(
                  nodes.flatMap(({ notes }) => (notes === undefined ? [] : [notes])),
                  [task]
                )
                const plain = yield* proposal(name, args)
                assert.deepStrictEqual(
                  nodes.map(({ parameters }) => parameters),
                  plain.nodes.map(({ parameters }) => parameters)
                )
              })
            )
          ),
          { numRuns: 50 }
        )
      )
    )

    it.effect(`${name} treats an empty field as left out`, () =>
      Effect.gen(function* () {
        const blank = yield* texts(name, { ...args, name: "", task: "", timezone: "" })
        assert.deepStrictEqual(blank, yield* texts(name, args))
      })
    )
  }
})

const hostile = fc.oneof(
  fc.string({ minLength: 1, unit: "binary" }).filter((text) => /\S/.test(text)),
  fc.constantFrom(
    "={{ $env.KEY }}",
    '"},"active":true,{"',
    "```json\n{}\n```",
    "\u2028</script>",
    "\\",
    "${1+1}",
    "__proto__"
  )
)

describe("the proposed workflow", () => {
  it.effect("holds the cron expression and the time zone", () =>
    Effect.gen(function* () {
      const { nodes, settings } = yield* proposal("schedule-triggered-workflow", {
        cron: "*/5 8-18 * * MON-FRI",
        timezone: "Europe/Riga"
      })
      assert.deepStrictEqual(nodes[0]?.parameters, {
        rule: { interval: [{ field: "cronExpression", expression: "*/5 8-18 * * MON-FRI" }] }
      })
      assert.deepStrictEqual(settings, { timezone: "Europe/Riga" })
    })
  )

  it.effect("holds the path and method of a webhook, which has an id for a short address on every engine", () =>
    Effect.gen(function* () {
      const { nodes } = yield* proposal("http-webhook-workflow", { path: "orders/new", method: "PUT" })
      assert.deepInclude(nodes[0], { webhookId: "orders-new" })
      assert.deepInclude(nodes[0]?.parameters, { path: "orders/new", httpMethod: "PUT", responseMode: "responseNode" })
    })
  )

  it.effect("holds the fields of a transformation as data of its program", () =>
    Effect.gen(function* () {
      const { nodes } = yield* proposal("data-transformation-workflow", { fields: " a = b.c , __proto__=d " })
      assert.include(
        JSON.stringify(nodes[1]?.parameters),
        JSON.stringify('[["a","b.c"],["__proto__","d"]]').slice(1, -1)
      )
    })
  )

  it.effect("refers to a credential by its id", () =>
    Effect.gen(function* () {
      for (const name of ["external-service-integration", "api-data-polling"]) {
        const args = { url: "https://api.example.com", credentialId: "wxHYB0UIzpQNEAvb" }
        const { nodes } = yield* proposal(name, args)
        assert.deepStrictEqual(nodes[1]?.credentials, {
          httpHeaderAuth: { id: "wxHYB0UIzpQNEAvb", name: "Header Auth" }
        })
        assert.deepInclude(nodes[1]?.parameters, { genericAuthType: "httpHeaderAuth", url: "https://api.example.com" })
      }
    })
  )

  it.effect("holds the minutes and the key field of a poll", () =>
    Effect.gen(function* () {
      const args = { url: "https://api.example.com", minutes: "5", idField: "data.uuid" }
      const { nodes } = yield* proposal("api-data-polling", args)
      assert.deepStrictEqual(nodes[0]?.parameters, { rule: { interval: [{ field: "minutes", minutesInterval: 5 }] } })
      assert.deepInclude(nodes[2]?.parameters, { dedupeValue: "={{ $json.data.uuid }}" })
    })
  )

  it.effect("answers a failed call with a response of its own", () =>
    Effect.gen(function* () {
      const { connections } = yield* proposal("external-service-integration", { url: "https://api.example.com" })
      assert.deepStrictEqual(connections, [
        { source: "Webhook", target: "Call Service", sourceOutput: 0 },
        { source: "Call Service", target: "Answer", sourceOutput: 0 },
        { source: "Call Service", target: "Answer Failure", sourceOutput: 1 }
      ])
    })
  )
})

describe("an invalid argument is named", () => {
  it.effect.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ["schedule-triggered-workflow", {}, "Invalid cron: is required"],
    ["schedule-triggered-workflow", { cron: "" }, "Invalid cron: is required"],
    ["schedule-triggered-workflow", { cron: "soon" }, "Invalid cron: must be a cron expression like 0 9 * * 1-5"],
    [
      "schedule-triggered-workflow",
      { cron: "0 9 * * *", timezone: "Mars/Base" },
      "Invalid timezone: must be a time zone like Europe/Berlin"
    ],
    ["schedule-triggered-workflow", { corn: "0 9 * * *" }, "Invalid corn: unknown argument. Did you mean cron?"],
    ["http-webhook-workflow", { path: "a", name: " " }, "Invalid name: must not be empty"],
    [
      "http-webhook-workflow",
      { path: "../../rest" },
      "Invalid path: must be made of letters, digits, - and _, in parts joined by /, like orders/new"
    ],
    [
      "data-transformation-workflow",
      { fields: "a=b}}" },
      "Invalid fields: must be pairs of new=old field, like customer=user.name,total=amount"
    ],
    [
      "external-service-integration",
      { url: "={{ $env.KEY }}" },
      "Invalid url: must be an address like https://api.example.com/items"
    ],
    [
      "external-service-integration",
      { url: "file:///etc/passwd" },
      "Invalid url: must be an address like https://api.example.com/items"
    ],
    ["api-data-polling", { url: "https://a.example", minutes: "0" }, "Invalid minutes: must be between 1 and 59"],
    [
      "api-data-polling",
      { url: "https://a.example", idField: "id }} {{" },
      "Invalid idField: must be a field name like id or data.id"
    ]
  ])("%s with %j", ([name, args, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal(name, args), expected)
    })
  )
})

describe("completion", () => {
  const complete = (name: string, argument: string, value: string) =>
    named(name).pipe(Effect.flatMap((prompt) => prompt.complete(argument, value)))

  it.effect("offers time zones, those that begin like the value first", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete("schedule-triggered-workflow", "timezone", "europe/ri"), ["Europe/Riga"])
      assert.include(yield* complete("schedule-triggered-workflow", "timezone", "tokyo"), "Asia/Tokyo")
      const [first] = yield* complete("schedule-triggered-workflow", "timezone", "u")
      assert.strictEqual(first, "UTC")
    })
  )

  it.effect("offers methods, intervals and cron expressions that the prompt takes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete("http-webhook-workflow", "method", "p"), ["POST", "PUT", "PATCH"])
      assert.deepStrictEqual(yield* complete("api-data-polling", "minutes", "1"), ["10", "15"])
      for (const cron of yield* complete("schedule-triggered-workflow", "cron", "")) {
        yield* proposal("schedule-triggered-workflow", { cron })
      }
    })
  )

  it.effect("offers nothing for an argument that is free or unknown", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete("api-data-polling", "task", ""), [])
      assert.deepStrictEqual(yield* complete("api-data-polling", "__proto__", ""), [])
    })
  )
})
