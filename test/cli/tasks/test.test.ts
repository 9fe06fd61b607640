import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import path from "node:path"

import { it as effectIt } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { assert, describe, it } from "vitest"

import { testFiles } from "../../../src/cli/engine/testFiles.ts"
import { served } from "../../engine/plans/served.ts"
import { readXml } from "../../support/xml.ts"
import { directory, run, start, useCommand } from "../built.ts"

useCommand()

const orders = "Kp3vQm8sXz1RtY7a"
const engine = "--embedded=engine.jsonl"

/** A folder with an engine on which a workflow ran, and a test of that run. */
const recorded = async () => {
  const cwd = await directory()
  const command = (...words: ReadonlyArray<string>) => run([engine, ...words], { cwd })
  await command("call", "execute_workflow", orders, "--data", '{"total":5}')
  const made = await command("test", "record", "--workflow", orders, "--tests", "tests", "--file", "small")
  assert.deepInclude(made, { code: 0, stderr: "" })
  assert.match(made.stdout, /^file: small\.json\nname: Order intake \(execution \d+\)$/m)
  const file = path.join(cwd, "tests/small.json")
  const json: object = JSON.parse(await readFile(file, "utf8"))
  return { command, cwd, file, json }
}

describe("test", () => {
  it("exits with 0 where all tests pass, with 1 where one does not, and writes what differs as JUnit XML", async () => {
    const { command, cwd, file, json } = await recorded()
    const passed = await command("test", "tests")
    assert.deepInclude(passed, { code: 0, stderr: "" })
    assert.match(
      passed.stdout,
      /^✓ small\.json {2}Order intake \(execution \d+\) {2}\(Order intake\) {2}\d\.\d s\n\n1 passed\n$/
    )

    await writeFile(
      path.join(cwd, "tests/wrong.json"),
      JSON.stringify({ ...json, name: 'A "<b>" & c', expect: { Answer: { values: { "[0].status": "<refused>" } } } })
    )
    await writeFile(path.join(cwd, "tests/broken.json"), "{ nonsense")
    const failed = await command("test", "--tests", "tests", "--junit", "out/results.xml")
    assert.deepInclude(failed, { code: 1, stderr: "" })
    assert.include(failed.stdout, '    Answer, item 1, status: expected "<refused>", got "accepted"\n')
    assert.match(failed.stdout, /^✗ broken\.json {2}0\.0 s {2}refused\n {4}line 1, column 3: expected /m)
    assert.match(failed.stdout, /\n1 passed, 1 failed, 1 refused\n$/)
    const { attributes, elements } = readXml(await readFile(path.join(cwd, "out/results.xml"), "utf8"))
    assert.include(attributes, { name: "workflow-tool-server", failures: "2", errors: "0" })
    const [broken, , wrong] = elements[0]?.elements ?? []
    assert.deepInclude(broken?.attributes, { name: "broken.json", file: "broken.json" })
    assert.deepInclude(wrong?.attributes, { name: 'A "<b>" & c', classname: "Order intake", file: "wrong.json" })
    assert.deepNestedInclude(wrong, {
      "elements[0].name": "failure",
      "elements[0].text": 'Answer, item 1, status: expected "<refused>", got "accepted"'
    })

    const one = await command("test", "tests", "--file", "small", "--json")
    assert.deepNestedInclude(JSON.parse(one.stdout), { "results[0].outcome": "passed" })
    assert.strictEqual(one.code, 0)
    await writeFile(path.join(cwd, "change.json"), JSON.stringify([{ op: "rename", node: "Answer", name: "Reply" }]))
    const changed = await command(
      "test",
      "tests",
      "--file",
      "small",
      "--workflow",
      orders,
      "--operations",
      "change.json"
    )
    assert.strictEqual(changed.code, 1)
    assert.include(changed.stdout, "the workflow has no node Answer")
    assert.include(await readFile(file, "utf8"), '"Answer"')
  })

  it("exits with 2 where the words are wrong, with 1 where nothing can be run, and says why", async () => {
    const cwd = await directory()
    await mkdir(path.join(cwd, "tests"))
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
      [["test"], 2, /^test needs a folder of tests/],
      [["test", "tests", "--instance", "moon"], 2, /^Instance moon not found/],
      [["test", "nowhere"], 1, /nowhere: there is no such folder of tests/],
      [["test", "tests", "--read-only"], 1, /is read-only: test was not sent/]
    ]
    const ended = await Promise.all(cases.map(([words]) => run([...words, "--embedded"], { cwd })))
    for (const [index, [words, code, stderr]] of cases.entries()) {
      assert.deepInclude(ended[index], { code, stdout: "" }, words.join(" "))
      assert.match(ended[index]?.stderr ?? "", stderr)
    }
  })
})

describe("the folder of tests", () => {
  const made = async () => {
    const cwd = await directory({ "outside.json": "kept" })
    const folder = path.join(cwd, "tests")
    const { list, read, write } = testFiles(folder, { readOnly: false })
    const result = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.result(effect))
    const keep = (file: string, overwrite = false) =>
      result(write?.(file, '{"a":1}', { overwrite }) ?? Effect.die("nothing may be written"))
    return { cwd, folder, keep, list: () => result(list), read: (file: string) => result(read(file)) }
  }
  const failed = (result: Result.Result<unknown, { readonly message: string }>) =>
    Result.isFailure(result) ? result.failure.message : "it did not fail"

  it("takes names, and no paths", async () => {
    const { cwd, folder, keep, read } = await made()
    for (const name of [
      "../outside.json",
      "/tmp/x.json",
      "a/b",
      "a\\b",
      "..",
      ".hidden",
      "con",
      "a..b",
      "a\u0000b",
      "",
      "a\nb"
    ]) {
      assert.match(failed(await keep(name)), /is no name for a test/, name)
      assert.match(failed(await read(name)), /cannot be read/, name)
    }
    for (const name of ["orders.json", "Bestellung größer 5", "a-b_c.d"])
      assert.isTrue(Result.isSuccess(await keep(name)), name)
    assert.deepStrictEqual((await readdir(folder)).toSorted(), [
      "Bestellung größer 5.json",
      "a-b_c.d.json",
      "orders.json"
    ])
    assert.deepStrictEqual(await readdir(cwd), ["outside.json", "tests"])
  })

  it("follows no links, and replaces nothing unless that is asked for", async () => {
    const { cwd, folder, keep, list, read } = await made()
    await keep("small")
    await symlink(path.join(cwd, "outside.json"), path.join(folder, "link.json"))
    await symlink(path.join(cwd, "made.json"), path.join(folder, "dangling.json"))
    await mkdir(path.join(folder, "folder.json"))
    assert.deepStrictEqual(await list(), Result.succeed(["small.json"]))
    for (const name of ["small", "link", "dangling", "folder"]) {
      assert.match(failed(await keep(name)), /is there already: give another file, or overwrite: true/, name)
    }
    for (const name of ["link.json", "dangling.json", "folder.json", "none.json"]) {
      assert.match(failed(await read(name)), /cannot be read/, name)
    }
    assert.deepStrictEqual(await read("small.json"), Result.succeed({ a: 1 }))
    assert.isTrue(Result.isSuccess(await keep("link", true)))
    assert.deepStrictEqual(await read("link.json"), Result.succeed({ a: 1 }))
    assert.strictEqual(await readFile(path.join(cwd, "outside.json"), "utf8"), "kept")
    assert.match(failed(await keep("folder", true)), /tests: /)
    assert.deepStrictEqual((await readdir(folder)).toSorted(), [
      "dangling.json",
      "folder.json",
      "link.json",
      "small.json"
    ])
    assert.deepStrictEqual(await readdir(cwd), ["outside.json", "tests"])
  })

  it("is only read where nothing may be changed", async () => {
    const { folder } = await made()
    assert.isUndefined(testFiles(folder, { readOnly: true }).write)
  })
})

const Listed = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) })
const readListed = Schema.decodeUnknownSync(Listed)

describe("test that is stopped", () => {
  effectIt.live("leaves no copy: none after a signal, and none once it runs again after kill -9", () =>
    Effect.gen(function* () {
      const { apiKey, host } = yield* served("2.41.1")
      const headers = { "X-N8N-API-KEY": apiKey, "content-type": "application/json" }
      const send = async (method: string, at: string, body?: unknown): Promise<unknown> =>
        (
          await fetch(
            `${host}/api/v1${at}`,
            body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
          )
        ).json()
      const names = async () => readListed(await send("GET", "/workflows")).data.map(({ name }) => name)
      const node = (kind: string, name: string, parameters = {}) => ({
        name,
        type: `n8n-nodes-base.${kind}`,
        typeVersion: 1,
        position: [0, 0],
        parameters
      })
      yield* Effect.promise(async () => {
        await send("POST", "/workflows", {
          name: "Slow",
          nodes: [node("manualTrigger", "Start"), node("wait", "Wait", { amount: 30, unit: "seconds" })],
          connections: { Start: { main: [[{ node: "Wait", type: "main", index: 0 }]] } },
          settings: {}
        })
        const test = {
          testFormat: 1,
          name: "T",
          workflow: { name: "Slow" },
          trigger: { node: "Start", items: [{}] },
          expect: {}
        }
        const cwd = await directory({
          ".config.json": { environments: { local: { engine_host: host, engine_api_key: apiKey } } }
        })
        await mkdir(path.join(cwd, "tests"))
        await writeFile(path.join(cwd, "tests/slow.json"), JSON.stringify(test))
        const until = async (count: number) => {
          while ((await names()).length !== count) await new Promise((done) => setTimeout(done, 20))
        }

        const stopped = start(["test", "tests"], { cwd })
        await until(2)
        stopped.child.kill("SIGTERM")
        assert.strictEqual((await stopped.ended).code, 130)
        assert.deepStrictEqual(await names(), ["Slow"])

        const killed = start(["test", "tests"], { cwd })
        await until(2)
        killed.child.kill("SIGKILL")
        await killed.ended
        assert.lengthOf(await names(), 2)
        await writeFile(path.join(cwd, "tests/slow.json"), JSON.stringify({ ...test, mocks: { Wait: [{}] } }))
        assert.deepInclude(await run(["test", "tests"], { cwd }), { code: 0, stderr: "" })
        await until(1)
        assert.deepStrictEqual(await names(), ["Slow"])
        assert.deepStrictEqual(await readdir(path.join(cwd, ".workflow-runs")), [])
      })
    }).pipe(Effect.scoped)
  )
})
