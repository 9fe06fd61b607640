/** Starts and stops real engines on free ports of the loopback interface, each in a user folder that goes with it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, openSync } from "node:fs"
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { Schema } from "effect"

import { freePort } from "../support/freePort.ts"
import { createKey, createMemberKey, isReady, ownerSession } from "./account.ts"
import { install, type Installed, majorOf, templateFolder } from "./install.ts"

/** A running engine, with all that a test needs to call it. */
export const RunningEngine = Schema.Struct({
  version: Schema.String,
  host: Schema.String,
  apiKey: Schema.String,
  /** The key of a user who may not touch what belongs to the owner of `apiKey`. */
  memberKey: Schema.String,
  /** Its user folder, in which it may read and write files. */
  home: Schema.String,
  /** Of the engine's process, the leader of its group. */
  pid: Schema.Int
})
export type RunningEngine = typeof RunningEngine.Type

export interface Started {
  readonly engine: RunningEngine
  readonly stop: () => Promise<void>
  /** Starts it again after its end, at the same address and with the same data; tells the new process once it is ready. */
  readonly restart: () => Promise<number>
}

/** Long enough for the migrations of a first start beside other work. */
const longestStart = 180_000

/** Installs the engine where it is missing, and starts it. Variables of `env` reach the engine. */
export const startEngine = async (version: string, env: Readonly<Record<string, string>> = {}): Promise<Started> => {
  const installed = install(version)
  const home = await mkdtemp(path.join(tmpdir(), `engine-${version}-`))
  const template = await templateOf(installed)
  await cp(template, home, { recursive: true })
  const apiKey = await readFile(path.join(home, "api-key"), "utf8")
  let launched = launch(installed, home, env)
  const { host, port, process } = await launched
  const stop = async () => (await launched).stop()
  const restart = async () => {
    const before = await launched
    killGroup(before.process)
    launched = launch(installed, home, env, port)
    return (await launched).process.pid ?? 0
  }
  try {
    const memberKey = await createMemberKey(host, apiKey)
    return { engine: { version, host, apiKey, memberKey, home, pid: process.pid ?? 0 }, stop, restart }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A user folder with migrated database, owner and key: a start from it takes seconds. Made by a first start. */
const templateOf = async (installed: Installed): Promise<string> => {
  const template = templateFolder(installed.version)
  if (existsSync(path.join(template, "api-key"))) return template
  const home = await mkdtemp(path.join(tmpdir(), "engine-template-"))
  const { host, stop } = await launch(installed, home, {}, undefined, false)
  await writeFile(path.join(home, "api-key"), await createKey(host, await ownerSession(host)))
  await stop()
  await rm(path.join(home, "engine.log"), { force: true })
  await rm(template, { recursive: true, force: true })
  await cp(home, template, { recursive: true })
  await rm(home, { recursive: true, force: true })
  return template
}

const launch = async (
  installed: Installed,
  home: string,
  env: Readonly<Record<string, string>>,
  wanted?: number,
  isForGood = true
) => {
  const { dir, node, version } = installed
  const port = wanted ?? (await freePort())
  const log = openSync(path.join(home, "engine.log"), "a")
  const child = spawn(node, [path.join(dir, "node_modules/n8n/bin/n8n"), "start"], {
    // It reads a .env file from its working directory.
    cwd: home,
    env: { ...environment(installed, home, port, await freePort()), ...env },
    // The leader of a group of its own, so that its task runner can be reached as well.
    detached: true,
    stdio: ["ignore", log, log]
  })
  const killOnExit = () => killGroup(child)
  process.once("exit", killOnExit)
  const stop = async () => {
    process.off("exit", killOnExit)
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      await Promise.race([ended, sleep(30_000, undefined, { ref: false })])
    }
    killGroup(child)
    if (isForGood) await rm(home, { recursive: true, force: true })
  }
  const host = `http://127.0.0.1:${port}`
  try {
    await ready(host, child)
    return { host, port, process: child, stop }
  } catch (error) {
    const lines = (await readFile(path.join(home, "engine.log"), "utf8")).split("\n").slice(-15).join("\n")
    await stop()
    throw new Error(`Engine ${version} did not start: ${String(error)}\n${lines}`, { cause: error })
  }
}

const ready = async (host: string, child: ChildProcess) => {
  const deadline = Date.now() + longestStart
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("its process ended")
    if (await isReady(host).catch(() => false)) return
    await sleep(100)
  }
  throw new Error("it was not ready in time")
}

/** The last resort, and the end of what a process has left behind: its whole group goes. */
const killGroup = ({ pid }: ChildProcess) => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It is gone already, which is the normal case.
  }
}

/** Quiet, offline, one process; nothing of the settings of whoever runs the tests. */
const environment = ({ dir, version }: Installed, home: string, port: number, brokerPort: number) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  TZ: "UTC",
  GENERIC_TIMEZONE: "UTC",
  NODE_ENV: "production",
  N8N_USER_FOLDER: home,
  N8N_HOST: "127.0.0.1",
  N8N_LISTEN_ADDRESS: "127.0.0.1",
  N8N_PORT: String(port),
  N8N_PROTOCOL: "http",
  N8N_SECURE_COOKIE: "false",
  N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: "true",
  DB_TYPE: "sqlite",
  DB_SQLITE_POOL_SIZE: "2",
  N8N_DIAGNOSTICS_ENABLED: "false",
  N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
  N8N_TEMPLATES_ENABLED: "false",
  N8N_PERSONALIZATION_ENABLED: "false",
  N8N_HIRING_BANNER_ENABLED: "false",
  N8N_ONBOARDING_FLOW_DISABLED: "true",
  N8N_LICENSE_AUTO_RENEW_ENABLED: "false",
  EXTERNAL_FRONTEND_HOOKS_URLS: "",
  N8N_RUNNERS_BROKER_PORT: String(brokerPort),
  N8N_LOG_LEVEL: "info",
  ...(majorOf(version) < 2
    ? { N8N_RUNNERS_ENABLED: "false" }
    : {
        N8N_PYTHON_ENABLED: "false",
        // It asks the network; a name that an engine does not know keeps it from starting.
        ...(existsSync(path.join(dir, "node_modules/n8n/dist/modules/mcp-registry"))
          ? { N8N_DISABLED_MODULES: "mcp-registry" }
          : {})
      })
})
