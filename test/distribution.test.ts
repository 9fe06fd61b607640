import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs"
import { createServer } from "node:net"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import { Result } from "effect"
import { assert, describe, it } from "vitest"

import manifest from "../package.json" with { type: "json" }
import { stageDesktop } from "../scripts/desktop.ts"
import { desktopManifest, installLinks, serverJson } from "../scripts/distribution.ts"
import { flag, flagNames, readOptions } from "../src/cli/configuration/flags.ts"
import { hostVariables, keyVariables } from "../src/engine/client/config/aliases.ts"
import { EngineToolset } from "../src/engine/toolset/toolset.ts"
import { commandFile, directory, useCommand } from "./cli/built.ts"

useCommand()

const root = fileURLToPath(new URL("..", import.meta.url))
const variables = new Set<string>([...flagNames.map((name) => flag(name).variable), ...hostVariables, ...keyVariables])

/** The findings of a published schema. */
const problemsOf = (schema: string, value: unknown) => {
  const ajv = addFormats.default(new Ajv({ strict: false, allErrors: true }))
  const file = path.join(root, "test/data/packaging", `${schema}.schema.json`)
  const isValid = ajv.validate(JSON.parse(readFileSync(file, "utf8")), value)
  return isValid ? [] : ajv.errors
}

describe("the entry for the registry of MCP servers", () => {
  const entry = serverJson()

  it("keeps to the registry's limits, and names this version of this package", () => {
    assert.match(entry.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    assert.isAtMost(entry.description.length, 100)
    assert.isAtMost(entry.title.length, 100)
    assert.strictEqual(entry.version, manifest.version)
    assert.deepInclude(entry.packages[0], { identifier: manifest.name, version: manifest.version })
    assert.isTrue(entry.name.startsWith(`io.github.${new URL(entry.repository.url).pathname.split("/")[1]}/`))
  })

  it("is valid by the registry's schema", () => {
    assert.deepStrictEqual(problemsOf("server", entry), [])
    assert.isNotEmpty(problemsOf("server", { ...entry, name: manifest.name }))
  })

  it("asks for variables that there are, and marks the key as secret", () => {
    const asked = entry.packages.flatMap(({ environmentVariables }) => environmentVariables)
    for (const { name } of asked) assert.isTrue(variables.has(name), name)
    assert.deepStrictEqual(
      asked.filter(({ isSecret }) => isSecret).map(({ name }) => name),
      ["ENGINE_API_KEY"]
    )
  })
})

describe("the desktop bundle's manifest", () => {
  const { compatibility, server, tools, user_config } = desktopManifest(EngineToolset.tools)

  it("takes from the user what it hands to the server, the key as a secret, on all three systems", () => {
    const handed = Object.entries(server.mcp_config.env)
    for (const [name, value] of handed) {
      assert.isTrue(variables.has(name), name)
      assert.property(user_config, /^\$\{user_config\.(\w+)\}$/.exec(value)?.[1] ?? value)
    }
    assert.lengthOf(handed, Object.keys(user_config).length)
    assert.isTrue(user_config.engine_api_key.sensitive)
    assert.sameMembers(compatibility.platforms, ["darwin", "win32", "linux"])
    assert.lengthOf(tools, EngineToolset.tools.length)
  })

  it("starts the server with words that it takes", () => {
    const [entry, ...words] = server.mcp_config.args
    assert.strictEqual(entry, `\${__dirname}/${server.entry_point}`)
    const options = Result.getOrThrow(readOptions({ tools: words[words.indexOf("--tools") + 1] }, {}))
    assert.deepStrictEqual(options.tools, ["daily"])
  })
})

describe("the desktop bundle", () => {
  it("holds a manifest that desktop programs take, and a server with all that it shows", async () => {
    const stage = await directory()
    stageDesktop(path.dirname(commandFile()), stage)
    const { server, ...manifest } = JSON.parse(readFileSync(path.join(stage, "manifest.json"), "utf8"))
    assert.deepStrictEqual(problemsOf("mcpb-manifest-v0.3", { server, ...manifest }), [])
    assert.lengthOf(manifest.tools, 18)
    assert.isNotEmpty(problemsOf("mcpb-manifest-v0.3", manifest))
    const uri = "ui://workflow-tool-server/view"
    const request = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } }
    const { stdout } = spawnSync(
      process.execPath,
      [path.join(stage, server.entry_point), ...server.mcp_config.args.slice(1)],
      {
        cwd: await directory(),
        input: `${JSON.stringify(request)}\n`,
        env: {
          PATH: process.env["PATH"],
          XDG_CACHE_HOME: await directory(),
          ENGINE_HOST: "http://127.0.0.1:9",
          ENGINE_API_KEY: "none"
        }
      }
    )
    const { contents } = JSON.parse(String(stdout)).result
    assert.include(contents[0].text, "<script")
  })
})

describe("links that install the server", () => {
  const { cursor, vscode } = installLinks()

  it("carry a configuration that each editor can read, and no key", () => {
    const inCursor = JSON.parse(
      Buffer.from(new URL(cursor).searchParams.get("config") ?? "", "base64").toString("utf8")
    )
    const given = new URL(vscode).searchParams
    const inVscode = JSON.parse(given.get("config") ?? "")
    for (const { args, command, env } of [inCursor, inVscode]) {
      assert.deepStrictEqual([command, ...args], ["npx", "-y", manifest.name, "--tools", "daily"])
      assert.hasAllKeys(env, ["ENGINE_HOST", "ENGINE_API_KEY"])
    }
    const inputs: ReadonlyArray<{ id: string; password?: boolean }> = JSON.parse(given.get("inputs") ?? "")
    assert.deepStrictEqual(
      inputs.map(({ id }) => `\${input:${id}}`),
      Object.values(inVscode.env)
    )
    assert.isTrue(inputs.find(({ id }) => id === "engine_api_key")?.password)
  })
})

/** The steps of the Dockerfile, in their order, one list for each stage. */
const stages = readFileSync(path.join(root, "packaging/Dockerfile"), "utf8")
  .split("\n")
  .filter((line) => /^[A-Z]+ /.test(line))
  .reduce<Array<Array<readonly [word: string, rest: string]>>>((all, line) => {
    const [, word = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (word === "FROM") all.push([])
    else all.at(-1)?.push([word, rest])
    return all
  }, [])

const last = (word: string) => stages.at(-1)?.findLast(([name]) => name === word)?.[1] ?? ""

describe("the Dockerfile", () => {
  it("takes its base by the digest of what was looked at, and runs nothing that another processor would have to", () => {
    const from = readFileSync(path.join(root, "packaging/Dockerfile"), "utf8").match(/^FROM .*$/gm) ?? []
    assert.lengthOf(from, 2)
    for (const line of from) assert.match(line, / node:24\.[\d.]+-alpine@sha256:[0-9a-f]{64}(?: AS build)?$/)
    assert.deepStrictEqual(
      stages.at(-1)?.filter(([word]) => word === "RUN"),
      []
    )
  })

  it(
    "builds from files that its context holds, and starts a server that tells its health",
    { timeout: 60_000 },
    async () => {
      const context = readFileSync(path.join(root, "packaging/Dockerfile.dockerignore"), "utf8")
      const build = await directory()
      for (const [word, rest] of stages[0] ?? []) {
        if (word === "COPY") {
          const words = rest.split(" ").filter((one) => !one.startsWith("--"))
          const target = words.pop() ?? ""
          for (const source of words) {
            assert.include(context, `!${source}\n`)
            const isFolder = target.endsWith("/")
            cpSync(path.join(root, source), path.join(build, target, isFolder ? path.basename(source) : ""), {
              recursive: true
            })
          }
        } else if (word === "RUN" && rest.startsWith("npm ci")) {
          // What the image installs is here already.
          if (!existsSync(path.join(build, "node_modules"))) {
            symlinkSync(path.join(root, "node_modules"), path.join(build, "node_modules"), "junction")
          }
        } else if (word === "RUN") {
          const { status, stderr } = spawnSync(rest.replaceAll("/build/", `${build}/`), { cwd: build, shell: true })
          assert.deepStrictEqual([status, String(stderr)], [0, ""])
        }
      }
      const app = await directory()
      for (const [, rest] of (stages.at(-1) ?? []).filter(([word]) => word === "COPY")) {
        const [from = "", to = ""] = rest.split(" ").filter((one) => !one.startsWith("--"))
        cpSync(from.replace("/build", build), to.replace("/app", app), { recursive: true })
      }
      assert.notInclude(["root", "0", ""], last("USER"))
      // The user can write where the server works: the journal of plans lies there.
      assert.strictEqual(last("WORKDIR"), last("VOLUME"))
      assert.match(last("COPY"), new RegExp(`--chown=${last("USER")}:${last("USER")} \\S+ ${last("VOLUME")}$`))
      assert.include(readFileSync(path.join(root, "packaging/compose.yaml"), "utf8"), `- tools:${last("VOLUME")}\n`)

      const free = createServer().listen(0, "127.0.0.1")
      await once(free, "listening")
      const address = free.address()
      const port = typeof address === "object" && address !== null ? `${address.port}` : ""
      free.close()
      await once(free, "close")
      const env = {
        PATH: process.env["PATH"],
        XDG_CACHE_HOME: await directory(),
        ...Object.fromEntries(
          last("ENV")
            .split(" ")
            .map((pair) => pair.split("="))
        ),
        WORKFLOW_TOOL_SERVER_PORT: port,
        MCP_AUTH_TOKEN: "a token of the test".replaceAll(" ", "-"),
        ENGINE_HOST: "http://127.0.0.1:9",
        ENGINE_API_KEY: "none"
      }
      const [command = "", ...args]: ReadonlyArray<string> = JSON.parse(last("ENTRYPOINT"))
      const server = spawn(
        command,
        args.map((word) => word.replace("/app", app)),
        { cwd: await directory(), env }
      )
      try {
        await once(server.stderr, "data")
        const [check = "", ...words]: ReadonlyArray<string> = JSON.parse(
          /CMD (\[.*\])$/.exec(last("HEALTHCHECK"))?.[1] ?? "[]"
        )
        assert.strictEqual(spawnSync(check, words, { env }).status, 0)
        assert.strictEqual(spawnSync(check, words, { env: { ...env, WORKFLOW_TOOL_SERVER_PORT: "9" } }).status, 1)
      } finally {
        server.kill()
        await once(server, "exit")
      }
    }
  )
})
