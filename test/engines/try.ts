/**
 * `npm run test:versions -- 2.20.12`: the contract suite and the probe on further versions of the engine. The results are kept
 * in `tried.jsonl`, from which `npm run docs` makes the page. `--failed` runs only those tests of the contract again that are kept
 * as failed, once the server or the tests are mended. `--remove` removes each engine afterwards.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { Effect, Option, Schema } from "effect"

import { readDescription } from "../../src/engine/api/readDescription.ts"
import { inSlices } from "../../src/internal/effects.ts"
import { answersOf } from "../real/probe/others.ts"
import { engineFolder, install, removeEngine } from "./install.ts"
import { startEngine } from "./start.ts"
import { capabilitiesOf, keepTry, readTries } from "./tries.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const Report = Schema.Struct({
  testResults: Schema.Array(
    Schema.Struct({
      status: Schema.String,
      message: Schema.String,
      assertionResults: Schema.Array(Schema.Struct({ title: Schema.String, status: Schema.String }))
    })
  )
})
const decodeReport = Schema.decodeUnknownSync(Schema.fromJsonString(Report))

/** The tests of the contract on this version that passed, and the titles of those that failed; only the named ones, if any are. */
const contractOn = (version: string, titles: ReadonlyArray<string> = []) => {
  const folder = mkdtempSync(path.join(tmpdir(), "engine-report-"))
  const report = path.join(folder, "report.json")
  const program = path.join(root, "node_modules/vitest/vitest.mjs")
  const reporters = ["--reporter=verbose", "--reporter=json", `--outputFile.json=${report}`]
  const named =
    titles.length === 0
      ? []
      : ["-t", titles.map((title) => `${title.replace(/[\^$.*+?()[\]{}|\\]/g, String.raw`\$&`)}$`).join("|")]
  const suite = ["run", "--project", "engine", "test/real/contract.test.ts"]
  spawnSync(process.execPath, [program, ...suite, ...reporters, ...named], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ENGINE_VERSIONS: version }
  })
  const { testResults } = decodeReport(readFileSync(report, "utf8"))
  rmSync(folder, { recursive: true })
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const of = (status: string) => tests.filter((test) => test.status === status).map(({ title }) => title)
  const passed = of("passed").length
  const failed = of("failed").toSorted()
  const broken = testResults.find(({ status }) => status === "failed")
  if (passed + failed.length === 0 || (broken !== undefined && failed.length === 0)) {
    throw new Error(`The contract did not run on ${version}: ${broken?.message}`)
  }
  return { passed, failed }
}

/** The kept result, with that of the failed tests as they end now. */
const failedAgainOn = (version: string) => {
  const kept = readTries().find((tried) => tried.version === version)
  if (kept === undefined) return contractOn(version)
  if (kept.failed.length === 0) return kept
  const { failed, passed } = contractOn(version, kept.failed)
  return { passed: kept.passed + passed, failed }
}

/** The calls that this version describes in its files, whether it serves the description or not. */
const callsOf = async (version: string) => {
  const file = path.join(engineFolder(version), "node_modules/n8n/dist/public-api/v1/openapi.yml")
  const description = await Effect.runPromise(inSlices(() => readDescription(readFileSync(file, "utf8"))))
  const { calls, unreadable } = Option.getOrThrow(description)
  if (unreadable.length > 0) throw new Error(`Calls of ${version} cannot be read: ${unreadable.join(", ")}`)
  return calls
}

/** The answers of an engine on which nothing was made yet. */
const probed = async (version: string) => {
  const { engine, stop } = await startEngine(version)
  try {
    return await answersOf({ host: engine.host, apiKey: engine.apiKey, rest: 1500 })
  } finally {
    await stop()
  }
}

const versions = process.argv.slice(2).filter((word) => /^\d+\.\d+\.\d+$/.test(word))
if (versions.length === 0) {
  console.error("Name versions of the engine: npm run test:versions -- 2.20.12 2.30.8 --remove")
  process.exit(2)
}
for (const version of versions) {
  install(version)
  const { failed, passed } = process.argv.includes("--failed") ? failedAgainOn(version) : contractOn(version)
  const capabilities = capabilitiesOf(await callsOf(version), await probed(version))
  keepTry({ version, date: new Date().toISOString().slice(0, 10), passed, failed, capabilities })
  console.log(`${version}: ${passed} passed, ${failed.length} failed`)
  if (process.argv.includes("--remove")) removeEngine(version)
}
