import { readFile } from "node:fs/promises"

import { Schema } from "effect"
import type { TestProject } from "vitest/node"

import { nodeFor, versions } from "../engines/install.ts"
import { RunningEngine, type Started, startEngine } from "../engines/start.ts"

declare module "vitest" {
  export interface ProvidedContext {
    engines: ReadonlyArray<RunningEngine>
    /** A Node 20 or 22, on which engine 1.x runs. */
    olderNode: string
  }
}

const decodeRunning = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(RunningEngine)))

/**
 * Starts the real engines once for all test files, and stops them whatever the tests did. Where `RUNNING_ENGINES` names a
 * file that lists engines, these are taken as they are.
 */
export default async function setup(project: TestProject) {
  project.provide("olderNode", nodeFor("1.82.3"))
  const running = process.env["RUNNING_ENGINES"]
  if (running !== undefined) {
    project.provide("engines", decodeRunning(await readFile(running, "utf8")))
    return undefined
  }
  const starts = await Promise.allSettled(versions.map((version) => startEngine(version)))
  const started = starts.flatMap((start): ReadonlyArray<Started> => (start.status === "fulfilled" ? [start.value] : []))
  const stop = async () => {
    await Promise.all(started.map((one) => one.stop()))
  }
  const failed = starts.find((start) => start.status === "rejected")
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  project.provide(
    "engines",
    started.map(({ engine }) => engine)
  )
  return stop
}
