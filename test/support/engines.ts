/**
 * Real engines for tests: installed once into a cache outside of the clone, started on free ports of the loopback
 * interface, and always stopped again. The scripts that do it live beside the clone, in `../shared/engine`.
 */
import { execFile, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

import { Schema } from "effect"

const scripts = fileURLToPath(new URL("../../../shared/engine", import.meta.url))
const cache = path.join(process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"), "workflow-tool-server/engines")

const editions = [
  { folder: "v1", version: "1.82.3" },
  { folder: "v2", version: "2.41.1" }
] as const

/** What a test needs to call a running engine. */
export const RunningEngine = Schema.Struct({
  version: Schema.Literals(["1.82.3", "2.41.1"]),
  host: Schema.String,
  apiKey: Schema.String,
  /** The key of a user who may not touch what belongs to the owner of `apiKey`. */
  memberKey: Schema.String
})
export type RunningEngine = typeof RunningEngine.Type

const Started = Schema.Struct({
  version: Schema.Literals(["1.82.3", "2.41.1"]),
  host: Schema.String,
  apiKey: Schema.String,
  pid: Schema.Int,
  home: Schema.String
})
const readStarted = Schema.decodeUnknownSync(Schema.fromJsonString(Started))
const readKey = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ apiKey: Schema.String })))
const readVersion = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ version: Schema.String })))

/** Whether the scripts that install and start engines are there. */
export const canRunEngines = (): boolean => existsSync(path.join(scripts, "start-engine.mjs"))

/** Installs what is missing, starts every edition, and returns the way to stop them. */
export const startEngines = async () => {
  const node = nodeForFirstEdition()
  const environment = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env["PATH"]}` }
  const run = async (script: string, ...args: ReadonlyArray<string>) => {
    const { stdout } = await promisify(execFile)(node, [path.join(scripts, script), ...args], { env: environment })
    return stdout
  }
  const started: Array<typeof Started.Type> = []
  const kill = () => {
    for (const { pid } of started) killGroup(pid)
  }
  process.once("exit", kill)
  const stop = async () => {
    await Promise.all(started.map(({ home }) => run("stop-engine.mjs", "--home", home)))
    process.off("exit", kill)
  }

  for (const edition of editions) install(edition, node, environment)
  const starts = editions.map(async ({ folder }): Promise<RunningEngine> => {
    const template = path.join(cache, `template-${folder}`)
    const engine = readStarted(await run("start-engine.mjs", "--dir", path.join(cache, folder), "--template", template))
    started.push(engine)
    const { version, host, apiKey } = engine
    return {
      version,
      host,
      apiKey,
      memberKey: readKey(await run("mint-key.mjs", "--host", host, "--member", apiKey)).apiKey
    }
  })
  const outcomes = await Promise.allSettled(starts)
  const failed = outcomes.find((outcome) => outcome.status === "rejected")
  if (failed === undefined) return { engines: await Promise.all(starts), olderNode: node, stop }
  await stop()
  throw failed.reason
}

const install = (
  { folder, version }: (typeof editions)[number],
  node: string,
  environment: Readonly<Record<string, string | undefined>>
) => {
  const dir = path.join(cache, folder)
  const manifest = path.join(dir, "node_modules/n8n/package.json")
  const addon = path.join(dir, "node_modules/sqlite3/build/Release/node_sqlite3.node")
  if (existsSync(manifest) && existsSync(addon) && readVersion(readFileSync(manifest, "utf8")).version === version)
    return
  console.error(`Installing engine ${version} into ${dir}; this takes some minutes, once`)
  const { status } = spawnSync(node, [path.join(scripts, "install-engine.mjs"), "--version", version, "--dir", dir], {
    stdio: "inherit",
    env: environment
  })
  if (status !== 0) throw new Error(`engine ${version} could not be installed`)
}

/** Engine 1.x wants a Node up to 22, and the tests themselves run on a newer one. */
const nodeForFirstEdition = (): string => {
  const onPath = (process.env["PATH"] ?? "").split(path.delimiter).map((dir) => path.join(dir, "node"))
  const own = path.join(cache, "node22/node_modules", `node-${process.platform}-${process.arch}`, "bin/node")
  const found = [...onPath, own].find(isFit)
  if (found !== undefined) return found
  spawnSync("npm", ["install", "--prefix", path.join(cache, "node22"), `node-${process.platform}-${process.arch}@22`], {
    stdio: "inherit"
  })
  return own
}

const isFit = (node: string): boolean => {
  if (!existsSync(node)) return false
  const major = Number(/^v(\d+)/.exec(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout)?.[1])
  return major >= 20 && major <= 22
}

/** The last resort when the tests end without having stopped their engines: the whole process group goes. */
const killGroup = (pid: number) => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It is gone already, which is the normal case.
  }
}
