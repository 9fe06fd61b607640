import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { ModelPrices } from "../../../src/engine/operator/ai/ModelPrices.ts"
import { ask, operatorToolsets } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { engineThat, json, serving } from "../tools/standIn.ts"

const now = Date.UTC(2026, 9, 20)
const day = 86_400_000

/** A run of a model's node as engines keep it. */
const call = (usage: object, options: object = { model: "gpt-4o-mini" }) => ({
  startTime: 1,
  executionTime: 1,
  inputOverride: { ai_languageModel: [[{ json: { messages: ["secret"], options } }]] },
  data: { ai_languageModel: [[{ json: { response: { generations: [[{ text: "x" }]] }, ...usage } }]] }
})

const agent = { startTime: 2, executionTime: 1, data: { main: [[{ json: { output: "x" } }]] } }

const counted = (promptTokens: number, completionTokens: number) => ({
  tokenUsage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
})

const cached = {
  ...counted(1_000_000, 0),
  response: {
    generations: [[{ message: { kwargs: { usage_metadata: { input_token_details: { cache_read: 400_000 } } } } }]]
  }
}

/** By execution: the workflow, the days back from now, and the runs of its nodes. */
const records = [
  {
    id: 4,
    workflowId: "chat",
    back: 1,
    runData: { Agent: [agent], Model: [call(counted(100, 10)), call(counted(200, 20))] }
  },
  { id: 3, workflowId: "sum", back: 2, runData: { Model: [call(cached, { model_name: "gpt-4o-2024-08-06" })] } },
  {
    id: 2,
    workflowId: "sum",
    back: 3,
    runData: { Model: [call({ tokenUsageEstimate: { promptTokens: 50, completionTokens: 5 } }, {})] }
  },
  { id: 1, workflowId: "chat", back: 9, runData: { Model: [call(counted(600, 60))] } }
]

const workflow = (id: string) => ({
  id,
  name: id,
  active: true,
  nodes: [
    {
      name: "Model",
      type: "@engine/engine-nodes-langchain.lmChatOpenAi",
      typeVersion: 1,
      position: [0, 0],
      parameters: { model: { value: "local" } }
    }
  ],
  connections: {},
  settings: {}
})

const engine = () =>
  engineThat(({ path }) => {
    const { pathname, searchParams } = new URL(path, "http://x")
    const [, id] = /executions\/(\d+)$/.exec(pathname) ?? []
    const row = ({ back, id, workflowId }: (typeof records)[number]) => ({
      id,
      workflowId,
      mode: "webhook",
      status: "success",
      finished: true,
      startedAt: new Date(now - back * day).toISOString(),
      stoppedAt: new Date(now - back * day + 1000).toISOString()
    })
    if (id !== undefined) {
      const record = records.find((one) => one.id === Number(id))
      return record === undefined
        ? json({ message: "Not Found" }, 404)
        : json({
            ...row(record),
            workflowData: workflow(record.workflowId),
            data: { resultData: { runData: record.runData } }
          })
    }
    if (pathname.endsWith("/workflows")) {
      const plain = { ...workflow("plain"), nodes: [] }
      return json({ data: [workflow("chat"), workflow("sum"), plain], nextCursor: null })
    }
    const of = records.filter(({ workflowId }) => workflowId === searchParams.get("workflowId"))
    return json({ data: of.map(row), nextCursor: null })
  })

const prices = { "gpt-4o": { input: 2.5, cachedInput: 1.25, output: 10 }, "gpt-4o-mini": { input: 0.15, output: 0.6 } }

it.effect(
  "ai_usage counts each call of a model once, with money by the configured prices and the change since before",
  () => {
    const { client, requests } = engine()
    return Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const answer = yield* inTime(ask("ai_usage"))
      assert.deepInclude(answer.total, { calls: 4, inputTokens: 1_000_350, outputTokens: 35, cachedTokens: 400_000 })
      assert.deepStrictEqual(answer.data, [
        {
          instance: "production",
          workflow: "sum",
          calls: 2,
          inputTokens: 1_000_050,
          outputTokens: 5,
          cachedTokens: 400_000,
          cost: 2
        },
        {
          instance: "production",
          workflow: "chat",
          calls: 2,
          inputTokens: 300,
          outputTokens: 30,
          cost: 0.000063,
          change: "-50 %"
        }
      ])
      assert.deepStrictEqual(answer.notes, [
        "the tokens of 1 call are estimates of the engine",
        "no price is configured for local"
      ])
      assert.isFalse(
        requests.some(({ path }) => path.includes("workflowId=plain")),
        "only workflows with models are asked for"
      )
      const byModel = yield* inTime(ask("ai_usage", { by: "model" }))
      assert.deepStrictEqual(
        Array.isArray(byModel.data) ? byModel.data.map(({ calls, model }) => [model, calls]) : [],
        [
          ["gpt-4o-2024-08-06", 1],
          ["gpt-4o-mini", 2],
          ["local", 1]
        ]
      )
      assert.isAtMost(JSON.stringify(answer).length, 2000)
      assert.notInclude(JSON.stringify(answer), "secret")
    }).pipe(Effect.provide(serving(client, {}, operatorToolsets)), Effect.provideService(ModelPrices, prices))
  }
)

it.effect(
  "ai_usage stays below 2 kB with the longest names, and tells no change where it could not read all runs",
  () => {
    const names = Array.from({ length: 8 }, (_, place) => `${place} ${"ä very long name ".repeat(10)}`)
    const workflows = names.map((name, place) => ({
      ...workflow(`w${place}`),
      name,
      nodes: workflow("x").nodes.map((node) => ({ ...node, name }))
    }))
    const { client } = engineThat(({ path }) => {
      const { pathname, searchParams } = new URL(path, "http://x")
      if (pathname.endsWith("/workflows")) return json({ data: workflows, nextCursor: null })
      const row = (id: number) => ({
        id,
        workflowId: `w${id % 8}`,
        mode: "webhook",
        status: "success",
        finished: true,
        startedAt: new Date(now - (id <= 80 ? 9 : 1) * day).toISOString(),
        stoppedAt: new Date(now - day).toISOString()
      })
      const id = Number(/executions\/(\d+)$/.exec(pathname)?.[1])
      if (id > 0) {
        const [match] = workflows.filter((one) => one.id === `w${id % 8}`)
        const runData = { [match?.name ?? ""]: [call(counted(1000 * id, 10), { model: `m ${names[id % 8]}` })] }
        return json({ ...row(id), workflowData: match, data: { resultData: { runData } } })
      }
      const all = Array.from({ length: 200 }, (_, place) => row(200 - place))
      return json({ data: all.filter((one) => one.workflowId === searchParams.get("workflowId")), nextCursor: null })
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(now)
      for (const by of ["workflow", "node", "model", "day"]) {
        const answer = yield* inTime(ask("ai_usage", { by }))
        assert.isAtMost(new TextEncoder().encode(JSON.stringify(answer)).length, 2000, by)
        assert.isAtLeast(Array.isArray(answer.data) ? answer.data.length : 0, by === "day" ? 1 : 3)
        assert.notProperty(answer.total, "change", "20 of the 120 runs of this week were not read")
        assert.match(String(answer.notes), /^20 of 200 runs were not read/)
      }
    }).pipe(Effect.provide(serving(client, {}, operatorToolsets)))
  }
)
