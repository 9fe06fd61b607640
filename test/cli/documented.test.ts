import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"

import { ChangesToolset } from "../../src/changes/toolset.ts"
import { read } from "../../src/cli/commandLine.ts"
import { readOptions } from "../../src/cli/configuration/flags.ts"
import { readInput } from "../../src/cli/tasks/call/words.ts"
import { OperatorToolset } from "../../src/engine/operator/toolset.ts"
import { EngineToolset } from "../../src/engine/toolset.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const pages = ["README.md", ...readdirSync(path.join(root, "docs")).map((name) => path.join("docs", name))].filter(
  (name) => name.endsWith(".md")
)

/** The words behind the command's name, as a shell splits them. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? ""
  )

/** Every call of the command in the shell snippets of the pages. */
const commands = pages.flatMap((page) =>
  [...readFileSync(path.join(root, page), "utf8").matchAll(/```sh\n([^]*?)```/g)].flatMap(([, snippet = ""]) =>
    snippet
      .split("\n")
      .filter((line) => !line.startsWith("docker "))
      .flatMap((line) => /(?:^|[ |&])(?:node \S*dist\/main\.js|workflow-tool-server) ([^>|]+)/.exec(line)?.[1] ?? [])
      .map((line) => [page, line.trim()] as const)
  )
)
const tools = [...EngineToolset.tools, ...OperatorToolset.tools, ...ChangesToolset.tools]

describe("the commands in the pages", () => {
  it("are found", () => {
    assert.isAbove(commands.length, 10)
  })

  it.each(commands)("%s: %s is a command that there is", (_, line) => {
    const words = wordsOf(line)
    if (words[0] === "--completions") return
    const invocation = Result.getOrThrow(Effect.runSync(Effect.result(read(words))))
    if (invocation === undefined) return
    Result.getOrThrow(readOptions(invocation.texts, {}))
    if (invocation.task !== "call" || invocation.request.tool === undefined) return
    const { tool: name, toolWords } = invocation.request
    const schema = tools.find((tool) => tool.name === name)?.inputSchema()
    assert.isDefined(schema, `there is no tool ${name}`)
    const known = Object.keys(schema?.["properties"] ?? {})
    assert.includeMembers(known, Object.keys(Result.getOrThrow(readInput(schema ?? {}, toolWords))))
  })
})

/** What stands in front of a code in the sources: a rendering of an error, or its data. */
const codes = /(?:\b(?:caller|upstream)\(|\["(?:caller|upstream)", |\bcode: |\{ code, )"([A-Z]+(?:_[A-Z]+)*)"/g

describe("the page of errors", () => {
  const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.includes("embedded"))
    .map((file) => readFileSync(path.join(root, "src", file), "utf8"))
  const inSources = new Set(sources.flatMap((text) => [...text.matchAll(codes)].map(([, code = ""]) => code)))
  const page = readFileSync(path.join(root, "docs/errors.md"), "utf8")
  const documented = new Set([...page.matchAll(/`([A-Z][A-Z_]{2,}[A-Z])`/g)].map(([, code = ""]) => code))

  it("has every code that a tool can fail with, and no other", () => {
    assert.isAbove(inSources.size, 40)
    const missing = [...inSources].filter((code) => !documented.has(code))
    assert.deepStrictEqual(missing, [])
    const ofSystem = ["CERT_HAS_EXPIRED", "ECONNREFUSED", "ECONNRESET", "ENOTFOUND"]
    const unknown = [...documented].filter((code) => !inSources.has(code) && !ofSystem.includes(code))
    assert.deepStrictEqual(unknown, [])
  })
})
