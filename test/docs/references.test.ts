import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"

import { Effect, Result } from "effect"
import { TestConsole } from "effect/testing"
import { assert, describe, it } from "vitest"

import manifest from "../../package.json" with { type: "json" }
import { ChangesToolset } from "../../src/changes/toolset.ts"
import { read } from "../../src/cli/commandLine.ts"
import { readOptions } from "../../src/cli/configuration/flags.ts"
import { readInput } from "../../src/cli/tasks/call/callArguments.ts"
import { ApiToolset } from "../../src/engine/api/toolset.ts"
import { OperatorToolset } from "../../src/engine/operator/toolset.ts"
import { withCallPlans, withPlans } from "../../src/engine/plans/toolset.ts"
import { EngineToolset } from "../../src/engine/toolset/toolset.ts"
import { MarketplaceToolset } from "../../src/marketplace/toolset.ts"
import { blocksIn, pages, proseOf, root } from "./pages.ts"

const tools = [
  ...EngineToolset.tools,
  ...withPlans(OperatorToolset).tools,
  ...withCallPlans(ApiToolset).tools,
  ...ChangesToolset.tools
]
const each = [...pages]

/** The words between backquotes in the running text of a page. */
const spans = (text: string) =>
  [...proseOf(text).matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, span = ""]) => span.replaceAll(/\s+/g, " "))

const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => [file, readFileSync(path.join(root, "src", file), "utf8")] as const)
const exampleTexts = readdirSync(path.join(root, "examples"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(path.join(root, "examples", file), "utf8"))
const sourceText = [...sources.map(([, text]) => text), ...exampleTexts].join("\n")

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, "")
    .replaceAll(" ", "-")

const anchorsIn = (text: string) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading))

describe("the links of the pages", () => {
  it.each(each)("of %s lead to files and headings that are there", (page, text) => {
    const links = [...proseOf(text).matchAll(/\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)/g)]
    const dead = links.flatMap(([link, file = "", anchor]) => {
      const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file)
      if (!existsSync(path.join(root, target))) return [link]
      if (anchor === undefined) return []
      return anchorsIn(readFileSync(path.join(root, target), "utf8")).includes(anchor) ? [] : [link]
    })
    assert.deepStrictEqual(dead, [])
  })

  it("lead from the README to the map, and from there to every page", () => {
    assert.include(pages.get("README.md"), "(docs/README.md)")
    const map = pages.get("docs/README.md") ?? ""
    const names = [...pages.keys()].filter((page) => page.startsWith("docs/") && page !== "docs/README.md")
    assert.deepStrictEqual(
      names.filter((page) => !map.includes(`](${path.basename(page)}): `)),
      []
    )
    assert.lengthOf(map.match(/^- .*\?$/gm) ?? [], names.length)
  })

  it("make pages that can be read at one sitting", () => {
    const isLong = ([page, text]: (typeof each)[number]) =>
      !page.startsWith(".") && Buffer.byteLength(text) > (page === "README.md" ? 8000 : 10_000)
    assert.deepStrictEqual(
      each.filter(isLong).map(([page]) => page),
      []
    )
  })
})

/** The words behind the command's name, as a shell splits them. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? ""
  )

const ours = /(?:^|[ |&])(?:node \S*dist\/main\.js|workflow-tool-server) ([^>|]+)/

/** Every call of the command, in snippets and in the running text. */
const commands = each.flatMap(([page, text]) => {
  const lines = blocksIn("sh").flatMap(([, block]) => (block.page === page ? block.text.split("\n") : []))
  return [...lines.filter((line) => !line.startsWith("docker ")), ...spans(text)]
    .flatMap((line) => ours.exec(line)?.[1] ?? [])
    .filter((line) => !/…|TOOL/.test(line))
    .map((line) => [page, line.trim()] as const)
})

describe("the commands in the pages", () => {
  it("are found", () => {
    assert.isAbove(commands.length, 30)
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

/** All that the helps of the command say. */
const helps = [
  [],
  ["init"],
  ["check"],
  ["call"],
  ["backup"],
  ["nodes", "fetch"],
  ["promote"],
  ["upgrade"],
  ["watch"],
  ["test"],
  ["test", "record"],
  ["ads", "watch"],
  ["table", "export"],
  ["table", "import"]
]

const helpOf = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* read([...words, "--help"])
    return (yield* TestConsole.logLines).join("\n")
  }).pipe(Effect.provide(TestConsole.layer))

/** Flags of programs of others and of npm scripts, and those that stand for any. */
const foreign = ["--grep", "--peers", "--keep", "--omit", "--name", "--active", "--no-active", "--workflow-id"]

describe("the names in the running text", () => {
  it("are flags that the command has", async () => {
    const text = (await Promise.all(helps.map((words) => Effect.runPromise(helpOf(words))))).join("\n")
    const known = new Set(text.match(/--[a-z][a-z-]+/g))
    const named = each.flatMap(([page, text]) =>
      page.startsWith(".") ? [] : spans(text).flatMap((span) => span.match(/(?<=^|[\s[(])--[a-z][a-z-]+/g) ?? [])
    )
    assert.isAbove(known.size, 30)
    assert.deepStrictEqual(
      [...new Set(named)].filter((name) => !known.has(name) && !foreign.includes(name)),
      []
    )
  })

  it.each(each)("of %s are variables, tools and fields that the sources know", (_, text) => {
    const named = spans(text).filter((span) => /^(?:[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:_[a-z]+)+)$/.test(span))
    assert.deepStrictEqual(
      named.filter((name) => !isKnown(name)),
      []
    )
  })

  it.each(each)("of %s are files and scripts that are there", (_, text) => {
    const files = spans(text).filter((span) => /^(?:src|test|examples|packaging|scripts|docs)\/[\w./-]+$/.test(span))
    assert.deepStrictEqual(
      files.filter((file) => !existsSync(path.join(root, file))),
      []
    )
    const scripts = [...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = ""]) => name)
    assert.deepStrictEqual(
      scripts.filter((name) => !(name in manifest.scripts)),
      []
    )
  })
})

describe("JSON in the running text", () => {
  const written = each.flatMap(([page, text]) =>
    spans(text)
      .filter((span) => /^\{ ?"/.test(span) && !/…|\.\.\./.test(span))
      .map((span) => [page, span] as const)
  )

  it.each(written)("%s: %s can be read", (_, span) => {
    assert.isObject(JSON.parse(span))
  })

  it("is found", () => {
    assert.isAbove(written.length, 3)
  })

  const called = each.flatMap(([page, text]) =>
    spans(text).flatMap((span) => {
      const [, name = "", json = ""] = /^([a-z_]+) (\{.*\})$/.exec(span) ?? []
      return name === "" ? [] : [[page, name, json] as const]
    })
  )

  it.each(called)("%s: %s takes %s", (_, name, json) => {
    const tool = [...tools, ...MarketplaceToolset.tools].find((tool) => tool.name === name)
    const known = Object.keys(tool?.inputSchema()["properties"] ?? {})
    assert.includeMembers(known, Object.keys(JSON.parse(json)))
  })
})

/** Names of other programs: of Node, of engines, of OpenTelemetry, and our own metrics, which a test of theirs holds. */
const others =
  /^(?:NO_COLOR|E[A-Z]+|CERT_\w+|OTEL_\w+|npm_\w+|mcp_\w+|gen_ai_\w+|http_\w+|workflow_tool_server_\w+|ENGINE_VERSIONS|network_transport|server_address|server_port|outcome|error_type)$/

const isKnown = (name: string) => others.test(name) || new RegExp(`\\b${name}\\b`).test(sourceText)

/** The text in front of a code in the sources: a rendering of an error, or its data. */
const codes = /(?:\b(?:caller|upstream)\(|\["(?:caller|upstream)", |\bcode: |\{ code, )"([A-Z]+(?:_[A-Z]+)*)"/g

describe("the page of errors", () => {
  const inSources = new Set(
    sources
      .filter(([file]) => !file.includes("embedded"))
      .flatMap(([, text]) => [...text.matchAll(codes)].map(([, code = ""]) => code))
  )
  const page = pages.get("docs/errors.md") ?? ""
  const documented = new Set([...page.matchAll(/`([A-Z][A-Z_]{2,}[A-Z])`/g)].map(([, code = ""]) => code))

  it("has every code that a tool can fail with, and no other", () => {
    assert.isAbove(inSources.size, 40)
    const missing = [...inSources].filter((code) => !documented.has(code))
    assert.deepStrictEqual(missing, [])
    const ofSystem = ["CERT_HAS_EXPIRED", "ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT"]
    const unknown = [...documented].filter((code) => !inSources.has(code) && !ofSystem.includes(code))
    assert.deepStrictEqual(unknown, [])
  })
})
