import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { ask, type Json } from "../support/harness.ts"
import { inTime } from "../support/inTime.ts"
import { listen, replies } from "../support/loopback.ts"
import { chain, created, decodeRun, eventually, idsOf, node, webhook } from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

const code = (jsCode: string, mode = "runOnceForAllItems", name = "Work") =>
  node("code", name, { mode, jsCode }, { typeVersion: 2 })

const request = (url: string, options: Json = {}, more: Json = {}) =>
  node("httpRequest", "Work", { url, options }, { typeVersion: 4.2, ...more })

/** Answers each path `/401` with that status, and `/never` not at all. */
const service = Effect.map(
  listen((socket, asked) => {
    const [, status = "", words = "refused"] = /^GET \/(\d+)(?:\/(\S+))?/.exec(asked.head) ?? []
    if (status === "") return
    const body = JSON.stringify({ message: decodeURIComponent(words) })
    replies(Number(status), body, { "content-type": "application/json" })(socket, asked)
  }),
  ({ url }) => url
)

interface Planted {
  readonly class: string
  readonly what: string
  /** A node before the one that fails. */
  readonly before?: Json
  readonly work: Json
  readonly data?: Json
  readonly settings?: Json
}

/** The same failures where nothing is asked over the network: code throws the words that a real engine records of code. */
const inWords = (base: string | undefined, words: string, path: string, options: Json = {}) =>
  base === undefined ? code(`throw new Error("${words}")`) : request(path.replace("{base}", base), options)

const answered = (base: string | undefined, status: number) =>
  inWords(base, `Request failed with status code ${status}`, `{base}/${status}`)

const gone = "goneGONE12345678"

const plantedFor = (base: string | undefined): ReadonlyArray<Planted> => [
  { class: "credential refused", what: "a 401", work: answered(base, 401) },
  { class: "credential refused", what: "a 403", work: answered(base, 403) },
  { class: "rate limit", what: "a 429", work: answered(base, 429) },
  ...(base === undefined
    ? []
    : [{ class: "rate limit", what: "a 403 of a limit", work: request(`${base}/403/API%20rate%20limit%20exceeded`) }]),
  { class: "service down or slow", what: "a 503", work: answered(base, 503) },
  {
    class: "service down or slow",
    what: "a refused connection",
    work: inWords(base, "connect ECONNREFUSED 127.0.0.1:9", "http://127.0.0.1:9/")
  },
  ...(base === undefined
    ? []
    : [{ class: "service down or slow", what: "no answer in time", work: request(`${base}/never`, { timeout: 300 }) }]),
  {
    class: "address wrong",
    what: "a 404",
    work: base === undefined ? code('throw new Error("getaddrinfo ENOTFOUND shop.invalid")') : request(`${base}/404`)
  },
  {
    class: "address wrong",
    what: "a host that nobody knows",
    work: inWords(base, "getaddrinfo ENOTFOUND nowhere.invalid", "http://nowhere.invalid/")
  },
  {
    class: "data without a field",
    what: "a field that is missing",
    work: code("return [{ json: { mail: $json.body.email.toLowerCase() } }]")
  },
  {
    class: "data without a field",
    what: "a field that one of the items lacks",
    before: code("return $json.body.list", undefined, "Make"),
    work: code("return { json: { mail: $json.email.toLowerCase() } }", "runOnceForEachItem"),
    data: { list: [{ email: "A@b.c" }, { number: 2 }] }
  },
  {
    class: "expression or code wrong",
    what: "a value that the engine does not have",
    work: code("return [{ json: { rate: $workflow.rates.euro } }]"),
    data: { email: "a@b.c" }
  },
  ...(base === undefined
    ? []
    : [
        { class: "item limit or memory", what: "a 413", work: request(`${base}/413`) },
        {
          class: "item limit or memory",
          what: "a text that is too long",
          work: code("return [{ json: { text: 'x'.repeat(2 ** 30) } }]")
        },
        { class: "expression or code wrong", what: "a name that is not defined", work: code("return prices") },
        {
          class: "expression or code wrong",
          what: "a variable without a value",
          work: code("const rates = undefined\nreturn [{ json: { rate: rates.euro } }]"),
          data: { email: "a@b.c" }
        },
        {
          class: "expression or code wrong",
          what: "a node that is not there",
          work: node(
            "set",
            "Work",
            {
              assignments: {
                assignments: [{ id: "a", name: "a", type: "string", value: "={{ $('Nope').first().json.x }}" }]
              },
              options: {}
            },
            { typeVersion: 3.4 }
          )
        },
        {
          class: "missing sub-workflow or credential",
          what: "a credential that is gone",
          work: {
            ...request(`${base}/200`),
            parameters: {
              url: `${base}/200`,
              authentication: "genericCredentialType",
              genericAuthType: "httpBasicAuth",
              options: {}
            },
            credentials: { httpBasicAuth: { id: gone, name: "old login" } }
          }
        }
      ]),
  {
    class: "timed out",
    what: "a run that takes longer than it may",
    work: node("wait", "Work", { amount: 20, unit: "seconds" }, { typeVersion: 1.1 }),
    settings: { executionTimeout: 1 }
  },
  {
    class: "unknown",
    what: "a text of the workflow's own",
    work: node("stopAndError", "Work", { errorMessage: "no order 429 before 503" })
  },
  { class: "unknown", what: "an error of code's own", work: code('throw new Error("order 401 lacks 404 parts")') }
]

/** Classes of failures that were planted on an engine: by requests to a service where it makes some. */
export const failureClassSuite = (name: string, engine: Layer.Layer<Sessions | TestedEngine>, isReal: boolean) => {
  const suite = isReal ? layer(engine, { excludeTestServices: true, timeout: "60 seconds" }) : layer(engine)
  suite(`explain_execution on ${name}`, (it) => {
    it.effect("names the class of every failure that was planted, and no wrong one", () =>
      (isReal ? Effect.scoped : inEngine)(
        Effect.gen(function* () {
          const base = isReal ? yield* service : undefined
          const all = plantedFor(base)
          const classes = yield* Effect.forEach(
            all,
            ({ before, class: expected, data = { order: 1 }, settings = {}, what, work }) =>
              Effect.gen(function* () {
                const trigger = webhook({ responseMode: "onReceived" })
                const { id } = yield* created({
                  nodes: [trigger, ...(before === undefined ? [] : [before]), work],
                  connections: chain("Webhook", ...(before === undefined ? [] : ["Make"]), "Work"),
                  settings,
                  active: true
                })
                const execution = decodeRun(yield* ask("execute_workflow", { id, data })).executionId
                const said = yield* eventually(
                  ask("explain_execution", { id: execution }),
                  (one) => one.class !== undefined
                )
                assert.isBelow(JSON.stringify(said).length, 2500)
                return [what, Object(said.class).name, expected] as const
              }),
            { concurrency: 3 }
          )
          assert.deepStrictEqual(
            classes.map(([what, got]) => [what, got]),
            classes.map(([what, , expected]) => [what, expected])
          )
        })
      )
    )

    it.effect("tells a run that somebody stopped from one that ran out of time", () =>
      (isReal ? Effect.scoped : inEngine)(
        Effect.gen(function* () {
          // Engines of 1.x stop nothing by their API.
          if (!(yield* TestedEngine).isV2) return
          for (const settings of [{}, { executionTimeout: 60 }]) {
            const { id } = yield* created({
              nodes: [
                webhook({ responseMode: "onReceived" }),
                node("wait", "Work", { amount: 50, unit: "seconds" }, { typeVersion: 1.1 })
              ],
              connections: chain("Webhook", "Work"),
              settings,
              active: true
            })
            yield* ask("execute_workflow", { id })
            yield* eventually(
              Effect.map(ask("list_executions", { workflowId: id, status: "running" }), idsOf),
              ({ length }) => length > 0
            )
            yield* ask("stop_execution", { workflowId: id })
            const said = yield* ask("explain_execution", { workflowId: id })
            assert.nestedPropertyVal(said, "class.name", "stopped by a person")
            assert.nestedPropertyVal(said, "class.workflowHelps", false)
            assert.nestedPropertyVal(
              said,
              "class.retry",
              `plan_retry ${JSON.stringify({ workflow: id, class: "stopped by a person" })}`
            )
          }
        })
      )
    )
  })
}

const inEngine = <A, E, R>(test: Effect.Effect<A, E, R>) => inTime(Effect.scoped(test))
