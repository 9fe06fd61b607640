import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { sender } from "../../engine/plans/process.ts"
import { served } from "../../engine/plans/served.ts"
import { directory, run as runCommand, standIn, useCommand } from "../built.ts"
import { described } from "../nodes/packages.ts"

useCommand()

const node = (name: string, type: string, parameters: object = {}, typeVersion = 1) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters
})

const link = (from: string, to: string) => ({ [from]: { main: [[{ node: to, type: "main", index: 0 }]] } })

const daily = { triggerTimes: { item: [{ mode: "everyDay", hour: 9 }] } }

/** An instance with these workflows, and a folder from which the command knows it. */
const place = Effect.fnUntraced(function* (workflows: ReadonlyArray<object>) {
  const instance = yield* served("1.82.3")
  return yield* Effect.promise(async () => {
    const send = sender({ main: instance })
    for (const workflow of workflows) {
      await send("main", "POST", "/workflows", { connections: {}, settings: {}, ...workflow })
    }
    const cwd = await directory({
      ".config.json": {
        environments: { main: { engine_host: instance.host, engine_api_key: instance.apiKey } },
        nodeTypes: { folder: "packages" }
      }
    })
    const env = { HOME: cwd, XDG_CACHE_HOME: path.join(cwd, "cache"), XDG_STATE_HOME: path.join(cwd, "state") }
    return {
      cwd,
      command: (...words: ReadonlyArray<string>) => runCommand([...words, "--config", ".config.json"], { cwd, env })
    }
  })
})

/** The packages of a version, with these node types. */
const packages = async (cwd: string, version: string, nodes: ReadonlyArray<object>) => {
  const files = { n8n: [], "n8n-nodes-base": nodes, "@n8n/n8n-nodes-langchain": [] }
  for (const [name, types] of Object.entries(files)) {
    const folder = path.join(cwd, "packages/node_modules", name)
    await mkdir(path.join(folder, "dist/types"), { recursive: true })
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ name, version }))
    await writeFile(path.join(folder, "dist/types/nodes.json"), JSON.stringify(types))
  }
}

describe("upgrade", () => {
  it.live(
    "exits with 0 where there is nothing to do, and with 2 where something is found, which Markdown tells whole",
    () =>
      Effect.gen(function* () {
        const clean = yield* place([{ name: "Clean", nodes: [node("Begin", "manualTrigger")] }])
        const older = yield* place([
          {
            name: "Old | *code*",
            nodes: [node("Work", "function", { functionCode: "return [{ json: { a: $env.A } }]" })]
          }
        ])
        yield* Effect.promise(async () => {
          const nothing = await clean.command("upgrade", "--to", "3.0")
          assert.include(nothing.stdout, "| main | 1.82.3 | 1 | 0 | 0 | 0 | 1 |")
          assert.strictEqual(nothing.code, 0, nothing.stderr)
          const report = await older.command("upgrade", "--markdown", "out/report.md")
          assert.strictEqual(report.code, 2, report.stderr)
          assert.strictEqual(await readFile(path.join(older.cwd, "out/report.md"), "utf8"), report.stdout)
          assert.match(report.stdout, /^## Upgrade to 3\.0\n/)
          assert.include(report.stdout, "**Old \\| \\*code\\***")
          assert.include(report.stdout, "U2-env, Work, parameters.functionCode, line 1: $env.A is refused.")
          assert.include(report.stdout, "U3-function, Work, type: The node type function does not exist any more.")
          const json = await older.command("upgrade", "--to", "2.42.6", "--json")
          assert.deepInclude(JSON.parse(json.stdout), { to: "2.42.6" })
          assert.nestedPropertyVal(JSON.parse(json.stdout), "instances[0].stop", 1)
        })
      })
  )

  it.live("exits with 1 for a wrong command line and for an instance that cannot be read", () =>
    Effect.gen(function* () {
      const { command } = yield* place([])
      yield* Effect.promise(async () => {
        for (const words of [
          ["--to", "next"],
          ["--plan", "--apply"],
          ["--instance", "moon"]
        ]) {
          assert.strictEqual((await command("upgrade", ...words)).code, 1, words.join(" "))
        }
      })
    })
  )

  it.live("plans what can be rewritten, applies what was accepted, and then has nothing to do", () =>
    Effect.gen(function* () {
      const { command } = yield* place([
        {
          name: "Each morning",
          nodes: [node("Clock", "cron", daily), node("Send", "noOp")],
          connections: link("Clock", "Send")
        }
      ])
      yield* Effect.promise(async () => {
        const planned = await command("upgrade", "--plan")
        assert.strictEqual(planned.code, 2, planned.stderr)
        assert.match(planned.stdout, /### (?:Proof|Left as it is)\n\n- \*\*Each morning/)
        const applied = await command("upgrade", "--apply", "--accept", "Each morning")
        assert.strictEqual(applied.code, 0, applied.stdout + applied.stderr)
        assert.match(applied.stdout, /### Difference\n\n- \*\*Each morning\*\* on main\n {2}- /)
        assert.include(applied.stdout, "**applied**: 1 of 1 steps are done.")
        const again = await command("upgrade", "--plan")
        assert.strictEqual(again.code, 0, again.stdout)
      })
    })
  )

  it.live("shows code of differences as it is, and says how what no run can prove is accepted", () =>
    Effect.gen(function* () {
      const { command } = yield* place([
        {
          name: "Sum",
          nodes: [
            node("Start", "manualTrigger"),
            node("Add", "function", { functionCode: "return [{ json: { a: `*${1}*`, b: '@you | <b>' } }]" })
          ],
          connections: link("Start", "Add")
        }
      ])
      yield* Effect.promise(async () => {
        const planned = await command("upgrade", "--to", "3", "--plan")
        assert.match(planned.stdout, /equal by rule: no recorded run shows Add at work\. Accept it by name/)
        const applied = await command("upgrade", "--apply", "--accept", "Sum")
        assert.include(
          applied.stdout,
          "\n  - `` Add: jsCode set to \"return [{ json: { a: `*${1}*`, b: '@you | <b>' } }]\" ``\n"
        )
        assert.include(applied.stdout, "\n  - `Add: type function → code`\n")
      })
    })
  )

  it.live("compares with node types of a version that was fetched, of which npm may have no package", () =>
    Effect.gen(function* () {
      const { command, cwd } = yield* place([
        { name: "Post", nodes: [node("Send", "noOp", { message: "a", mode: "slow" }), node("Gone", "set", {}, 3.4)] }
      ])
      yield* Effect.promise(async () => {
        await packages(cwd, "3.0.0", [
          described("noOp", { deprecated: true, replacedByNodeType: "n8n-nodes-base.set" }),
          described("set", { version: [4] })
        ])
        const fetched = await command("nodes", "fetch", "--engine", "3.0.0")
        assert.include(fetched.stdout, "version 3.0.0, 2 node types kept")
        assert.strictEqual((await command("nodes", "fetch", "--engine", "next")).code, 2)
        const { code, stdout } = await command("upgrade", "--to", "3.0.0")
        assert.strictEqual(code, 2)
        assert.include(stdout, "noOp runs, but can be neither created, copied nor changed any more; set replaces it")
        assert.include(stdout, "The target has no version 3.4 of set")
        assert.include(stdout, "Node types: those of 3.0.0, from its packages")
      })
    })
  )

  it.live("verifies that nothing went worse since, by recorded tests where there are some", () =>
    Effect.gen(function* () {
      const { command, cwd } = yield* place([
        {
          name: "Clean",
          nodes: [
            node("Begin", "webhook", { path: "begin", httpMethod: "POST", options: {} }, 2),
            node(
              "Keep",
              "set",
              { assignments: { assignments: [{ id: "a", name: "b", value: 1, type: "number" }] }, options: {} },
              3.4
            )
          ],
          connections: link("Begin", "Keep")
        }
      ])
      yield* Effect.promise(async () => {
        const without = await command("upgrade", "--verify")
        assert.strictEqual(without.code, 0, without.stdout)
        assert.include(without.stdout, "recorded tests: no folder of tests")
        const verify = ["upgrade", "--verify", "--tests", "tests"]
        const recordedTest = (expected: number) =>
          JSON.stringify({
            testFormat: 1,
            name: `Gives ${expected}`,
            workflow: { name: "Clean" },
            trigger: { node: "Begin", items: [{ body: {} }] },
            expect: { Keep: { exact: [{ b: expected }] } }
          })
        await mkdir(path.join(cwd, "tests"))
        await writeFile(path.join(cwd, "tests/right.json"), recordedTest(1))
        const well = await command(...verify)
        assert.strictEqual(well.code, 0, well.stdout + well.stderr)
        assert.include(well.stdout, "recorded tests: 1 passed")
        await writeFile(path.join(cwd, "tests/wrong.json"), recordedTest(2))
        const worse = await command(...verify)
        assert.strictEqual(worse.code, 2, worse.stdout + worse.stderr)
        assert.include(worse.stdout, "recorded tests: 1 passed, 1 failed")
        assert.match(worse.stdout, /Gives 2[^]*Keep, item 1, b: expected 2, got 1/)
        const json = await command(...verify, "--json")
        assert.nestedPropertyVal(JSON.parse(json.stdout), "[0].failingTests", 1)
      })
    })
  )

  it("verifies that schedules fired and that nothing fails which did not fail before", async () => {
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString()
    const workflow = (id: string, name: string, trigger: object) => ({
      id,
      name,
      active: true,
      createdAt: at(2000),
      updatedAt: at(2000),
      nodes: [trigger],
      connections: {},
      settings: {},
      tags: [],
      triggerCount: 1
    })
    const hourly = { rule: { interval: [{ field: "cronExpression", expression: "0 * * * *" }] } }
    const workflows = [
      workflow("w1", "Fires", node("Clock", "scheduleTrigger", hourly, 1.2)),
      workflow("w2", "Stands still", node("Clock", "scheduleTrigger", hourly, 1.2)),
      workflow("w3", "Fails now", node("Hook", "webhook", { path: "a" }, 2)),
      workflow("w4", "Failed always", node("Hook", "webhook", { path: "b" }, 2))
    ]
    const run = (id: number, workflowId: string, hoursAgo: number, status: string, mode = "webhook") => ({
      id,
      workflowId,
      mode,
      status,
      finished: status === "success",
      startedAt: at(hoursAgo),
      stoppedAt: at(hoursAgo)
    })
    const executions = [
      ...Array.from({ length: 24 }, (_, hour) => run(1000 - hour, "w1", hour, "success", "trigger")),
      run(900, "w3", 1, "error"),
      ...Array.from({ length: 20 }, (_, before) => run(800 - before, "w3", 30 + before, "success")),
      ...Array.from({ length: 20 }, (_, before) => run(700 - before, "w4", 1 + before * 4, "error"))
    ].toSorted((a, b) => b.startedAt.localeCompare(a.startedAt))
    let isMended = false
    const engine_host = await standIn((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://engine")
      const [id, status] = [searchParams.get("workflowId"), searchParams.get("status")]
      const isListed = ({ workflowId }: { readonly workflowId: string }) =>
        (id === null || workflowId === id) && !(isMended && ["w2", "w3"].includes(workflowId))
      const lists: Record<string, ReadonlyArray<object>> = {
        "/api/v1/executions": executions.filter((one) => isListed(one) && (status === null || one.status === status)),
        "/api/v1/workflows": workflows.filter((one) => isListed({ workflowId: one.id }))
      }
      const data = lists[pathname]
      response.writeHead(data === undefined ? 404 : 200, { "content-type": "application/json" })
      response.end(JSON.stringify(data === undefined ? { message: "not found" } : { data, nextCursor: null }))
    })
    const environments = { main: { engine_host, engine_api_key: "a-key", requestsPerSecond: 99 } }
    const cwd = await directory({ ".config.json": { environments } })
    const verify = () => runCommand(["upgrade", "--verify", "--config", ".config.json"], { cwd })
    const worse = await verify()
    assert.strictEqual(worse.code, 2, worse.stdout + worse.stderr)
    assert.include(worse.stdout, "failures that are new: 2", worse.stdout)
    assert.match(worse.stdout, /Stands still: has not run since .+ UTC, though it was due: /)
    assert.match(worse.stdout, /Fails now: failed once, last at/)
    assert.notMatch(worse.stdout, /Fires|Failed always/)
    isMended = true
    const well = await verify()
    assert.strictEqual(well.code, 0, well.stdout + well.stderr)
  })
})
