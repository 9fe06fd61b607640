import { spawnSync } from "node:child_process"
import { readFile } from "node:fs/promises"

import { assert, describe, it } from "vitest"

import { flagNames } from "../../../../src/cli/configuration/flags.ts"
import { callFlags } from "../../../../src/cli/tasks/call/callArguments.ts"
import { shortfall } from "../../../../src/cli/tasks/call/shortfall.ts"
import { everyTool, idIn, toolNames } from "../../../support/everyTool.ts"
import { commandFile, directory, once, run, standIn, start, startHttp, useCommand } from "../../built.ts"

useCommand()

const embedded = (...words: ReadonlyArray<string>) => run(["call", "--embedded", ...words])

/** A flag for each argument: texts as they are, lists of texts one by one, all else as JSON. */
const flagsOf = (args: Readonly<Record<string, unknown>>) =>
  Object.entries(args).flatMap(([name, value]) => {
    if (value === true) return [`--${name}`]
    const values: ReadonlyArray<unknown> = Array.isArray(value) && typeof value[0] === "string" ? value : [value]
    return values.flatMap((one) => [`--${name}`, typeof one === "string" ? one : JSON.stringify(one)])
  })

describe("call", () => {
  it("calls every tool, with the answers as JSON, over an engine in a file", { timeout: 120_000 }, async () => {
    const cwd = await directory()
    const ids: Record<string, unknown> = {}
    const called: Array<string> = []
    const guided: Array<string> = []
    for (const [tool, args] of everyTool("by-command")) {
      const { code, stderr, stdout } = await run(
        ["--embedded=engine.jsonl", "call", tool, "--json", ...flagsOf(args(ids))],
        { cwd }
      )
      const answer = JSON.parse(stdout)
      const lacking = shortfall(tool, answer, args(ids))
      const stderrOf = lacking.map((words) => `${words}\n`).join("")
      assert.deepStrictEqual({ tool, code, stderr }, { tool, code: lacking.length === 0 ? 0 : 1, stderr: stderrOf })
      if (lacking.length > 0) guided.push(tool)
      ids[tool] = idIn(answer)
      called.push(tool)
    }
    assert.includeMembers(called, toolNames)
    assert.includeMembers(guided, ["update_credential", "retry_execution", "list_credentials"])
    assert.notIncludeMembers(guided, ["create_workflow", "get_workflow", "run_workflow"])
  })

  it("prints with --json exactly what the server answers", async () => {
    const file = ["--embedded=engine.jsonl"]
    const cwd = await directory()
    const { code, stdout } = await run([...file, "call", "list_workflows", "--limit", "2", "--json"], { cwd })
    const { child, ended, url } = await startHttp(file, { cwd })
    const params = { name: "list_workflows", arguments: { limit: 2 } }
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
    })
    const { result } = JSON.parse(await response.text())
    child.kill("SIGTERM")
    await ended
    assert.strictEqual(code, 0)
    assert.strictEqual(stdout, `${result.content[0].text}\n`)
  })

  it("prints a table for people, without colours where there is no terminal or none are wanted", async () => {
    const [plain, coloured, unwanted] = await Promise.all([
      embedded("list_workflows", "--name", "order intake"),
      run(["call", "--embedded", "list_workflows", "--name", "order intake"], { env: { FORCE_COLOR: "1" } }),
      run(["call", "--embedded", "list_workflows", "--name", "order intake"], {
        env: { FORCE_COLOR: "1", NO_COLOR: "1" }
      })
    ])
    assert.match(plain.stdout, /^id {2,}name {2,}active .*\n\w+ {2}Order intake {2}true .* production, sales\n$/)
    assert.notInclude(plain.stdout + unwanted.stdout, "\u001B")
    assert.include(coloured.stdout, "\u001B[1m")
  })

  it("offers the operator's tools without being asked for them, and the marketplace's where it is", async () => {
    const { stdout } = await embedded("--list", "--toolsets", "marketplace")
    for (const name of [...toolNames, "search_workflows", "apply_plan"])
      assert.match(stdout, new RegExp(`^${name} +\\w`, "m"))
    const search = await embedded("search_workflows", "Order intake")
    assert.strictEqual(search.code, 0)
    assert.include(search.stdout, "Order intake")
  })

  it("lists the tools and explains each without any configuration, and none of their arguments is a flag of ours", async () => {
    const cwd = await directory()
    const { code, stdout } = await run(["call", "--list", "--json", "--embedded", "--toolsets", "marketplace"], { cwd })
    assert.strictEqual(code, 0)
    const tools: ReadonlyArray<{ name: string; inputSchema: { properties: object } }> = JSON.parse(stdout)
    const ours: ReadonlyArray<string> = [...flagNames, ...callFlags.values, ...callFlags.switches, "help"]
    for (const { inputSchema, name } of tools) {
      for (const argument of Object.keys(inputSchema.properties)) assert.notInclude(ours, argument, name)
    }
    const help = await run(["call", "list_executions", "--help"], { cwd })
    assert.strictEqual(help.code, 0)
    for (const words of [
      "call list_executions",
      "--workflowId TEXT",
      "One of canceled",
      "--includeData, --no-includeData",
      "--json-args"
    ]) {
      assert.include(help.stdout, words)
    }
  })

  it("takes all arguments as JSON from the words, a file or standard input; flags go before them", async () => {
    const cwd = await directory({ "args.json": '{ "name": "order intake", /* few */ "limit": 1, }' })
    const field = ["--print", "data.0.name"]
    const [fromWords, fromFile, flagFirst] = await Promise.all([
      embedded("list_workflows", "--json-args", '{"name":"order intake"}', ...field),
      run(["call", "--embedded", "list_workflows", "--json-args", "@args.json", ...field], { cwd }),
      run(["call", "--embedded", "list_workflows", "--json-args", "@args.json", "--name", "payment", ...field], { cwd })
    ])
    const { child, ended } = start(["call", "--embedded", "list_workflows", "--json-args", "-", ...field])
    child.stdin.end('{"name":"order intake"}')
    for (const { stdout } of [fromWords, fromFile, await ended]) assert.strictEqual(stdout, "Order intake\n")
    assert.strictEqual(flagFirst.stdout, "Payment check\n")
  })

  it("takes the JSON of one argument from a file", async () => {
    const nodes = [
      { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }
    ]
    const cwd = await directory({ "nodes.json": nodes })
    const made = await run(
      ["call", "--embedded", "create_workflow", "--name", "New", "--nodes", "@nodes.json", "--print", "nodes.0.name"],
      { cwd }
    )
    assert.deepStrictEqual(made, { code: 0, stdout: "Start\n", stderr: "" })
  })

  it.each([
    [["get_workflow"], 2, "Invalid id: is required\n"],
    [["list_workflows", "--limt", "5"], 2, "Invalid limt: unknown argument. Did you mean limit?\n"],
    [["list_workflow"], 2, "Unknown tool: list_workflow. Did you mean list_workflows?\n"],
    [[], 2, "call needs the name of a tool. workflow-tool-server call --list shows them\n"],
    [["list_workflows", "--json-args", "[1]"], 2, "--json-args: expected one JSON object\n"],
    [["list_workflows", "--json-args", '{"a"}'], 2, "--json-args: line 1, column 5: expected a colon\n"],
    [["list_workflows", "--json-args", "@none.json"], 2, "--json-args: none.json cannot be read (ENOENT)\n"],
    [["list_workflows", "--print", "rows"], 1, "--print rows: the answer has no such field. It has: data\n"],
    [["get_tag", "--id", "none"], 1, "API error: Not Found (tag none on instance embedded)\n"]
  ])("refuses %j with exit code %d and says why on stderr alone", async (words, code, stderr) => {
    assert.deepStrictEqual(await embedded(...words), { code, stdout: "", stderr })
  })

  it.each([
    [["update_credential", "--id", "abc"], 1, /^Credentials are immutable through this interface\. /],
    [["run_workflow", "Tg4xJr6oBv0MwS3k"], 1, /^Nothing ran: /],
    [["run_workflow", "Tg4xJr6oBv0MwS3k", "--dry-run"], 0, /^$/],
    [["execute_workflow", "U7Zzz788cuEiZXkq"], 1, /Call activate_workflow first\.$/m],
    [["run_workflow", "Zb7nWc2yHd5LqE9u"], 1, /^The run did not succeed: error$/m],
    [["run_workflow", "Kp3vQm8sXz1RtY7a"], 0, /^$/]
  ])("of %j ends with %d, so that guidance and failed runs are no success", async (words, code, stderr) => {
    const done = await embedded(...words, "--json")
    assert.strictEqual(done.code, code, done.stderr)
    assert.match(done.stderr, stderr)
    assert.doesNotThrow(() => JSON.parse(done.stdout))
  })

  it.skipIf(spawnSync("script", ["--version"]).status !== 0).each([
    [[], "guidance: Workflow Tg4xJr6oBv0MwS3k"],
    [["--json"], '{"guidance":"Workflow Tg4xJr6oBv0MwS3k']
  ])("tells guidance once in a terminal, with %j", (words, start) => {
    const command = [
      process.execPath,
      commandFile(),
      "call",
      "--embedded",
      "execute_workflow",
      "Tg4xJr6oBv0MwS3k",
      ...words
    ]
    const { status, stdout } = spawnSync("script", ["-qec", command.join(" "), "/dev/null"], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], NO_COLOR: "1", TERM: "xterm" }
    })
    assert.strictEqual(status, 1, stdout)
    assert.strictEqual(stdout.split("Tg4xJr6oBv0MwS3k").length, 2, stdout)
    assert.include(stdout, start)
  })

  it("gives scripts that read JSON the error as JSON as well", async () => {
    const { code, stderr, stdout } = await embedded("get_tag", "none", "--json")
    assert.deepStrictEqual(
      { code, stderr },
      { code: 1, stderr: "API error: Not Found (tag none on instance embedded)\n" }
    )
    assert.deepInclude(JSON.parse(stdout).error, {
      code: "API_ERROR",
      message: "API error: Not Found (tag none on instance embedded)"
    })
  })

  it("refuses changes where the server would, and records in the audit log those that were tried", async () => {
    const cwd = await directory()
    const audited = (...words: ReadonlyArray<string>) =>
      run(["call", "--embedded", "--audit", "audit.jsonl", ...words], { cwd })
    assert.strictEqual((await audited("create_tag", "new")).code, 0)
    const refused = await audited("create_tag", "new", "--read-only")
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stderr, /^Instance embedded is read-only: create_tag was not sent/)
    await audited("get_tags")
    const entries = (await readFile(`${cwd}/audit.jsonl`, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      entries.map(({ instance, outcome, tool, transport }) => ({ instance, outcome, tool, transport })),
      [
        { instance: "embedded", outcome: "succeeded", tool: "create_tag", transport: "command" },
        { instance: "embedded", outcome: "failed", tool: "create_tag", transport: "command" }
      ]
    )
  })

  it("stops at once when it is told to, and records that nobody knows what came of the call", async () => {
    const { promise: called, resolve } = once<void>()
    const engine_host = await standIn(() => resolve())
    const environments = { a: { engine_host, engine_api_key: "secret" } }
    const cwd = await directory({ ".config.json": { environments, defaultEnv: "a", audit: "audit.jsonl" } })
    const { child, ended } = start(["call", "--config", ".config.json", "create_tag", "new"], { cwd })
    await called
    child.kill("SIGINT")
    assert.deepStrictEqual(await ended, { code: 130, stdout: "", stderr: "" })
    const entry = JSON.parse(await readFile(`${cwd}/audit.jsonl`, "utf8"))
    assert.deepInclude(entry, { tool: "create_tag", instance: "a", outcome: "interrupted" })
  })

  it("prints what some instances answer, and ends with 1 where another could not be read", async () => {
    const engine_host = await standIn((_, response) => {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ data: [], nextCursor: null }))
    })
    const down = { engine_host: "http://127.0.0.1:1", engine_api_key: "secret" }
    const environments = { up: { engine_host, engine_api_key: "secret" }, down }
    const cwd = await directory({ ".config.json": { environments, defaultEnv: "up" } })
    const words =
      "Instance down cannot be reached at http://127.0.0.1:1: nothing listens there (ECONNREFUSED). " +
      "Check that the engine runs, and its engine_host.\n"
    const [health, search, up, printed] = await Promise.all([
      run(["call", "instance_health", "--instances", "up", "--instances", "down", "--json"], { cwd }),
      run(["call", "search_workflows", "--instances", "up", "--instances", "down", "--json"], { cwd }),
      run(["call", "instance_health", "--instances", "up"], { cwd }),
      run(["call", "instance_health", "--instances", "down", "--print", "data"], { cwd })
    ])
    for (const some of [health, search]) {
      assert.deepInclude(some, { code: 1, stderr: words })
      assert.include(some.stdout, '"data":[')
    }
    assert.deepInclude(up, { code: 0, stderr: "" })
    assert.deepStrictEqual(printed, { code: 1, stdout: "[]\n", stderr: words })
  })

  it("says what is wrong with the configuration, as the server does", async () => {
    const { code, stderr } = await run(["call", "list_workflows"], { cwd: await directory() })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^Configuration file not found\n/)
  })

  it("completes the names of tools and of their arguments", async () => {
    const { stdout } = await run(["--completions", "fish"])
    for (const word of ["list_workflows", "workflowId", "search_workflows", "apply_plan"]) assert.include(stdout, word)
    assert.isBelow(stdout.length, 200_000)
  })

  /** The completions of a line in each shell, asked for in its way; zsh and bash only complete on a terminal, and end once they have. */
  const scripts = {
    bash: `{ cat script; echo 'workflow-tool-server() { echo "got $*"; }'; } > started
      printf '%s\\t\\nexit\\n' "$1" | script -qec 'bash --noprofile --rcfile started -i' /dev/null | grep -ao 'got .*'`,
    fish: `source ./script; complete -C "$argv[1]"`,
    zsh: `zmodload zsh/zpty; mkdir -p fun; cp script fun/_workflow-tool-server; zpty shell zsh -fi
      zpty -w shell 'fpath=(./fun $fpath); autoload -Uz compinit; compinit -u -D
        workflow-tool-server() { echo "got $*."; }; echo ready-$((6 * 7))'
      zpty -r -m shell seen '*ready-42*'; zpty -w -n shell "$1"$'\\t\\n'; zpty -r -m shell seen '*got *.*'; print -r -- "$seen"`
  } as const
  const shells = ["bash", "fish", "zsh"] as const
  const isThere = (shell: string) =>
    [shell, ...(shell === "bash" ? ["script"] : [])].every((one) => spawnSync(one, ["--version"]).status === 0)

  for (const shell of shells) {
    it.skipIf(!isThere(shell))(`completes tools, their values and files in ${shell}`, { timeout: 30_000 }, async () => {
      const { stdout: script } = await run(["--completions", shell])
      const cwd = await directory({ script, "known.json": "{}" })
      const answerTo = (line: string) => {
        const args = [...(shell === "zsh" ? ["-f"] : []), "-c", scripts[shell]]
        const words = [...(shell === "fish" ? [] : [shell]), `workflow-tool-server ${line}`]
        return spawnSync(shell, [...args, ...words], { cwd, encoding: "utf8", timeout: 10_000 })
      }
      for (const [line, completions] of [
        ["call --embedded explain_e", "explain_execution"],
        ["--read-only call list_executions --status cr", "crashed"],
        ["call list_workflows --log-level de", "debug"],
        ["call list_executions --status=cr", "crashed"],
        ["--config=kno", "known.json"],
        ["--config kno", "known.json"]
      ] as const) {
        const done = answerTo(line)
        assert.include(done.stdout, completions, `${line}: ${done.stderr}`)
      }
      for (const line of ["--host che", "call --print che", "call list_workflows --name che", "promote --from che"]) {
        assert.notInclude(answerTo(line).stdout, "check", line)
      }
    })
  }
})
