import { existsSync, readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import path from "node:path"

import { it } from "@effect/vitest"
import { Effect, Exit, Result, Scope } from "effect"
import { afterAll, assert, beforeAll, describe } from "vitest"

import manifest from "../../package.json" with { type: "json" }
import { repositoryUrl } from "../../scripts/distribution.ts"
import { read } from "../../src/cli/commandLine.ts"
import { flag, flagNames, readOptions } from "../../src/cli/configuration/flags.ts"
import { commandFile, useCommand } from "../cli/built.ts"
import { sender } from "../engine/plans/process.ts"
import { served } from "../engine/plans/served.ts"
import { type Block, blocksIn, root } from "./pages.ts"
import { runSnippet, userFolder, whileServing } from "./shell.ts"

/** The page whose commands belong together, and the test that follows it from its beginning to its end. */
const followed = { page: "docs/promotion.md", by: "test/engine/plans/page.test.ts" }

const snippets = blocksIn("sh").filter(([, { page }]) => page !== followed.page)
const startsServer = ({ text }: Block) => /^(?!claude|docker).*(?:npm start|--http\b|examples\/http\/)/m.test(text)
/** Ends with 2 if something is found, as the pages say. */
const findsSomething = ({ text }: Block) => /^workflow-tool-server upgrade /m.test(text)
const fetchesTypes = ({ text }: Block) => text.includes(" nodes fetch")
const asksServer = ({ text }: Block) => text.includes("curl ")

const scope = Effect.runSync(Scope.make())
let cwd = ""
/** The same with engines alone that tell their node types: no registry is asked. */
let offline = ""
let host = ""

useCommand()
beforeAll(async () => {
  const place = (version: "1.82.3" | "2.41.1") => served(version, { seed: true }).pipe(Scope.provide(scope))
  const places = await Effect.runPromise(Effect.all({ staging: place("1.82.3"), production: place("2.41.1") }))
  const columns = [{ name: "number", type: "string" }]
  const { id } = await sender(places)("production", "POST", "/data-tables", { name: "Orders", columns })
  await sender(places)("production", "POST", `/data-tables/${String(id)}/rows`, { data: [{ number: "A-17" }] })
  host = places.staging.host
  cwd = await userFolder(places)
  offline = await userFolder({ staging: places.staging, production: places.staging })
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** The answers for which `init` would ask at a terminal. */
const answers = () => ({ ENGINE_HOST: host, ENGINE_API_KEY: "embedded", WORKFLOW_TOOL_SERVER_CONFIG: "new.json" })

/** The page's words, at the engine that is there. */
const here = (text: string) =>
  text
    .replaceAll("https://n8n.example.com", host)
    .replaceAll("ENGINE_API_KEY=… workflow", "ENGINE_API_KEY=embedded workflow")

describe("the snippets for a shell", () => {
  it("are found", () => {
    assert.isAbove(snippets.length, 12)
    assert.include(readFileSync(path.join(root, followed.by), "utf8"), followed.page)
  })

  it.each(snippets.filter(([, block]) => !startsServer(block) && !asksServer(block)))(
    "%s does what it says",
    async (_, block) => {
      const { text } = block
      const env: Record<string, string> = / init$/m.test(text) ? answers() : {}
      const { code, noted, stderr, stdout } = await runSnippet(here(text), fetchesTypes(block) ? offline : cwd, env)
      assert.include(findsSomething(block) ? [0, 2] : [0], code, `${stdout}\n${stderr}`)
      for (const [program = "", ...words] of noted) await judge(program, words)
    }
  )

  it.each(snippets.filter(([, block]) => startsServer(block)))("%s serves", (_, { text }) =>
    whileServing(text, cwd, async (url) => {
      assert.deepInclude(await (await fetch(`${url}/health`)).json(), { status: "ok" })
    })
  )

  it.each(snippets.filter(([, block]) => asksServer(block)))("%s is answered by the server of its page", (_, block) => {
    const [, own] = snippets.find(([, other]) => other.page === block.page && startsServer(other)) ?? []
    return whileServing(own?.text ?? "npm start", cwd, async (url) => {
      const { code, stderr, stdout } = await runSnippet(block.text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, url), cwd)
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /"result":\{.*(?:\\"name\\":|Da Ciro)/)
    })
  })
})

/** Whether the words for a program of somebody else fit what is here. */
const judge = async (program: string, words: ReadonlyArray<string>) => {
  if (program === "npm") return assert.property({ ci: "", ...manifest.scripts }, words.at(-1) ?? "")
  if (program === "git") return assert.deepStrictEqual(words, ["clone", repositoryUrl])
  if (program === "docker") return judgeDocker(words)
  if (program === "claude") return judgeClaude(words)
  const bill = words
    .at(-1)
    ?.replace(/^sbom:/, "")
    .replace("node_modules/workflow-tool-server/dist/", "")
  assert.include(await readdir(path.dirname(commandFile())), bill)
}

const variables = ["ENGINE_HOST", "ENGINE_API_KEY", ...flagNames.map((name) => flag(name).variable)]

const judgeDocker = (words: ReadonlyArray<string>) => {
  const after = (name: string) => words.flatMap((word, at) => (word === name ? [words[at + 1] ?? ""] : []))
  for (const file of after("-f")) assert.isTrue(existsSync(path.join(root, file)), file)
  for (const given of after("-e")) assert.include(variables, given.split("=")[0])
  const file = readFileSync(path.join(root, "packaging/Dockerfile"), "utf8")
  for (const ports of after("-p")) assert.include(file, `EXPOSE ${ports.split(":").at(-1)}`)
}

/** `claude mcp add [--transport http] NAME URL` or `claude mcp add NAME -- COMMAND`. */
const judgeClaude = (words: ReadonlyArray<string>) => {
  assert.match(
    words.join(" "),
    /^mcp add (?:--transport http workflows http:\/\/\S+\/mcp|workflows -- node \S+main\.js .+)$/
  )
  const ours = words.slice(words.indexOf("--") + 2)
  if (words.includes("--")) reads(ours.slice(1))
}

const reads = (words: ReadonlyArray<string>) => {
  const invocation = Result.getOrThrow(Effect.runSync(Effect.result(read(words))))
  Result.getOrThrow(readOptions(invocation?.texts ?? {}, {}))
}
