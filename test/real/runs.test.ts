import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"

import { answer, chain, created, language, manual, node } from "../contract/fixtures.ts"
import { overReal, TestedEngine } from "../contract/TestedEngine.ts"
import { ask, type Json } from "../support/harness.ts"
import { agentWorkflow, fakeModel, modelNode, usage } from "./fakeModel.ts"

const rowOf = (run: Json, name: string): unknown =>
  (Array.isArray(run.nodes) ? run.nodes : []).find((row: unknown) => Object(row).node === name)

for (const engine of inject("engines")) {
  layer(overReal(engine), { excludeTestServices: true, timeout: "60 seconds" })(
    `run_workflow on the real ${engine.version}`,
    (it) => {
      it.effect("runs what hands over files, and what goes on after an error", () =>
        Effect.gen(function* () {
          const read = "return [{ json: { type: $input.first().binary.data.mimeType } }]"
          const { id } = yield* created({
            nodes: [
              manual(),
              node("convertToFile", "File", { operation: "toText", sourceProperty: "text" }, { typeVersion: 1.1 }),
              node("code", "Read", { jsCode: read }, { typeVersion: 2 }),
              node("stopAndError", "Stop", { errorMessage: "no" }, { onError: "continueRegularOutput" }),
              answer("After", "done")
            ],
            connections: chain("Start", "File", "Read", "Stop", "After")
          })
          const run = yield* ask("run_workflow", { id, items: [{ text: "hello" }] })
          assert.deepInclude(run, { status: "success" })
          assert.deepInclude(rowOf(run, "Read"), { items: [{ type: "text/plain" }] })
          assert.deepInclude(rowOf(run, "After"), { items: [{ said: "done" }] })
        })
      )

      it.effect("runs an agent with its model and its tool, and asks neither where the agent is mocked", () =>
        Effect.gen(function* () {
          const { isV2 } = yield* TestedEngine
          // The engine 1.82.3 of these tests is installed without its AI nodes.
          if (!isV2) return
          const model = yield* fakeModel
          const { id } = yield* created({
            nodes: [
              manual(),
              language("agent", "Agent", { promptType: "define", text: "={{ $json.q }}" }, { typeVersion: 1.9 }),
              yield* modelNode(model),
              language("toolCalculator", "Sums", {}, {}),
              answer("Say", "={{ $json.output }}")
            ],
            connections: [
              ...chain("Start", "Agent", "Say"),
              { source: "Model", target: "Agent", sourceOutput: "ai_languageModel" },
              { source: "Sums", target: "Agent", sourceOutput: "ai_tool" }
            ]
          })
          const items = [{ q: "2+3?" }]
          const asked = yield* ask("run_workflow", { id, items })
          assert.deepInclude(asked, { ran: false })
          assert.strictEqual(model.calls(), 0)
          const run = yield* ask("run_workflow", { id, items, confirm: true })
          assert.deepInclude(run, { status: "success" }, JSON.stringify(run.failed))
          assert.deepInclude(rowOf(run, "Sums"), { items: [{ response: "5" }] })
          assert.deepInclude(rowOf(run, "Say"), { items: [{ said: "It is five." }] })
          assert.strictEqual(model.calls(), 2)
          const mocked = yield* ask("run_workflow", { id, items, mocks: { Agent: [{ output: "mocked" }] } })
          assert.deepInclude(rowOf(mocked, "Say"), { items: [{ said: "mocked" }] })
          assert.strictEqual(model.calls(), 2)
        })
      )

      for (const responseMode of ["lastNode", "streaming"]) {
        it.effect(`counts each call of an agent's model once, where the answer is ${responseMode}`, () =>
          Effect.gen(function* () {
            const { isV2 } = yield* TestedEngine
            // The engine 1.82.3 of these tests is installed without its AI nodes.
            if (!isV2) return
            const model = yield* fakeModel
            const parameters = { promptType: "define", text: "2+3?" }
            const { id } = yield* agentWorkflow(model, { parameters, typeVersion: 2.2 }, { responseMode })
            yield* ask("execute_workflow", { id, data: {} })
            assert.strictEqual(model.calls(), 2)
            const { name } = yield* ask("get_workflow", { id })
            const { data } = yield* ask("ai_usage", { by: "node" })
            const rows = Array.isArray(data) ? data.filter(({ workflow }) => workflow === name) : []
            assert.lengthOf(rows, 1)
            // Of the service's numbers, this engine keeps those; it drops how many tokens were cached.
            const [inputTokens, outputTokens] = [2 * usage.prompt_tokens, 2 * usage.completion_tokens]
            assert.deepInclude(rows[0], { node: "Model", calls: 2, inputTokens, outputTokens })
          })
        )
      }
    }
  )
}
