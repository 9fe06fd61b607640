import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { sender } from "../../engine/plans/process.ts"
import { served } from "../../engine/plans/served.ts"
import { directory, run, useCommand } from "../built.ts"
import { collector, spansIn } from "../telemetry/collector.ts"

useCommand()

const trace = "0af7651916cd43dd8448eb211c80319c"
const parent = "b7ad6b7169203331"

/** Two instances with a workflow on one, whose command is traced and keeps an audit log. */
const watched = Effect.gen(function* () {
  const places = { staging: yield* served("2.41.1"), production: yield* served("2.41.1") }
  return yield* Effect.promise(async () => {
    const { deliveries, url: endpoint } = await collector()
    await sender(places)("staging", "POST", "/workflows", { name: "One", nodes: [], connections: {}, settings: {} })
    const environments = Object.fromEntries(
      Object.entries(places).map(([name, { apiKey, host }]) => [name, { engine_host: host, engine_api_key: apiKey }])
    )
    const cwd = await directory({
      ".config.json": {
        environments,
        defaultEnv: "staging",
        audit: "audit.jsonl",
        telemetry: { endpoint, protocol: "http/json", signals: ["traces"] }
      }
    })
    await mkdir(path.join(cwd, "tests"))
    return {
      cwd,
      command: (...words: ReadonlyArray<string>) =>
        run([...words, "--config", ".config.json"], { cwd, env: { TRACEPARENT: `00-${trace}-${parent}-01` } }),
      /** The calls of tools that were delivered until now: commands deliver before they end. */
      calls: () => spansIn(deliveries).filter(({ name }) => name.startsWith("tools/call")),
      upstreams: () => spansIn(deliveries).filter(({ kind }) => kind === 3),
      entries: async () =>
        (await readFile(path.join(cwd, "audit.jsonl"), "utf8"))
          .split("\n")
          .filter((line) => line !== "")
          .map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
    }
  })
})

describe("a task of the command line", () => {
  it.live("is traced and recorded as calls of the tools that do the same: promote", () =>
    Effect.gen(function* () {
      const { calls, command, entries, upstreams } = yield* watched
      yield* Effect.promise(async () => {
        const between = ["promote", "--from", "staging", "--to", "production", "--name", "One"]
        assert.strictEqual((await command(...between, "--plan")).code, 2)
        assert.deepStrictEqual(await entries(), [])
        const applied = await command(...between, "--apply")
        assert.strictEqual(applied.code, 0, applied.stderr)
        const [entry = {}, ...more] = await entries()
        assert.deepStrictEqual(more, [])
        assert.deepInclude(entry, {
          tool: "apply_plan",
          instance: "production",
          outcome: "succeeded",
          transport: "command"
        })
        assert.match(String(entry["ids"]), /^promotion-/)
        const spans = calls()
        assert.deepStrictEqual(
          spans.map(({ name, traceId }) => [name, traceId]),
          ["plan_promotion", "plan_promotion", "apply_plan"].map((tool) => [`tools/call ${tool}`, trace])
        )
        assert.deepInclude(spans[2], { parentSpanId: parent, status: { code: 1 } })
        assert.deepInclude(spans[2]?.attributes, {
          "workflow_tool_server.request.id": entry["request"],
          "workflow_tool_server.instance": "production"
        })
        const created = upstreams().find(({ name }) => name === "POST /api/v1/workflows")
        assert.strictEqual(created?.parentSpanId, spans[2]?.spanId)
      })
    })
  )

  it.live(
    "is traced and recorded as calls of the tools that do the same: test, and backup, which changes nothing",
    () =>
      Effect.gen(function* () {
        const { calls, command, cwd, entries } = yield* watched
        yield* Effect.promise(async () => {
          await writeFile(path.join(cwd, "tests/broken.json"), "{}")
          assert.strictEqual((await command("test", "tests")).code, 1)
          const [entry] = await entries()
          assert.deepInclude(entry, { tool: "run_tests", instance: "staging", ids: [], transport: "command" })
          assert.strictEqual((await command("backup", "--history", "history")).code, 0)
          assert.lengthOf(await entries(), 1)
          assert.sameDeepMembers(
            calls().map(({ attributes, name }) => [name, attributes["workflow_tool_server.instance"]]),
            [
              ["tools/call run_tests", "staging"],
              ["tools/call backup", "staging"],
              ["tools/call backup", "production"]
            ]
          )
        })
      })
  )

  it.live("says in its trace and in its line what it failed with", () =>
    Effect.gen(function* () {
      const { calls, command, entries } = yield* watched
      yield* Effect.promise(async () => {
        const failed = await command("promote", "--from", "staging", "--to", "nowhere", "--name", "One", "--plan")
        assert.strictEqual(failed.code, 1)
        assert.include(failed.stderr, "Instance nowhere not found")
        assert.deepInclude(calls()[0]?.status, { code: 2, message: "INSTANCE_NOT_FOUND" })
        assert.deepStrictEqual(await entries(), [])
        const unplanned = await command("test", "tests", "--workflow", "absent")
        assert.strictEqual(unplanned.code, 1)
        const [entry] = await entries()
        assert.deepInclude(entry, { tool: "run_tests", ids: ["absent"], outcome: "failed", error: "API_ERROR" })
      })
    })
  )
})
