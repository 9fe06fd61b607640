/**
 * Runs the official conformance suite against the built product and against the fixture program, for both revisions
 * that have a frozen list of requirements. Needs Node 22 or newer, and `npm run build` before it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

import { freePort } from "../support/freePort.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const suite = at("./node_modules/@modelcontextprotocol/conformance/dist/index.js")

const servers: Readonly<Record<string, (port: number) => ChildProcess>> = {
  product: (port) =>
    start([at("../../dist/main.js"), "--http", "--embedded", "--toolsets", "engine,operator", "--port", `${port}`]),
  fixtures: (port) => start([at("../support/fixtures/main.ts")], { PORT: `${port}` })
}

/**
 * Scenarios that no revision requires. The product has no tasks (none of its calls outlives its answer: plans do, and have tools
 * of their own), and does not read directories of skills: each skill is one file.
 */
const furtherScenarios: Readonly<Record<string, ReadonlyArray<string>>> = {
  product: ["sep-2640-skills-enumeration", "sep-2640-skills-manifest"],
  fixtures: ["http-header-validation", "http-custom-header-server-validation"]
}

const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, [...args], { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] })

const ready = async (port: number, attempts = 100): Promise<void> => {
  const answered = await fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false
  )
  if (answered) return
  if (attempts === 0) throw new Error(`Nothing answers on port ${port}`)
  await sleep(100)
  return ready(port, attempts - 1)
}

/** All that a revision requires, as far as the file of what fails says. */
const required = (name: string, revision: string) => [
  "--requirements",
  revision,
  "--expected-failures",
  at(`./${name}-${revision}.yml`)
]

/** One run of the suite; its whole output is shown only if something is not as expected. */
const judge = async (name: string, what: string, port: number, options: ReadonlyArray<string>): Promise<boolean> => {
  const url = `http://127.0.0.1:${port}/mcp`
  const run = spawn(process.execPath, [suite, "server", "--url", url, ...options], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [run.stdout, run.stderr]) {
    stream.on("data", (chunk) => {
      output += String(chunk)
    })
  }
  const [code] = await once(run, "close")
  const passed = code === 0
  console.log(passed ? "" : output)
  console.log(`${passed ? "as expected" : "NOT AS EXPECTED"}: ${name}, ${what}. ${/Total: .*/.exec(output)?.[0] ?? ""}`)
  return passed
}

const verdicts: Array<boolean> = []
for (const [name, serve] of Object.entries(servers)) {
  const port = await freePort()
  const server = serve(port)
  try {
    await ready(port)
    for (const revision of ["2025-11-25", "2026-07-28"]) {
      verdicts.push(await judge(name, revision, port, required(name, revision)))
    }
    for (const scenario of furtherScenarios[name] ?? []) {
      verdicts.push(await judge(name, scenario, port, ["--scenario", scenario]))
    }
  } finally {
    server.kill()
    await once(server, "exit")
  }
}

const failed = verdicts.filter((passed) => !passed).length
console.log(`${verdicts.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
