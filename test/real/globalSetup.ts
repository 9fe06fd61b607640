import type { TestProject } from "vitest/node"

import { nodeFor, versions } from "../engines/install.ts"
import { type RunningEngine, type Started, startEngine } from "../engines/start.ts"

declare module "vitest" {
  export interface ProvidedContext {
    engines: ReadonlyArray<RunningEngine>
    /** A Node 20 or 22, on which engine 1.x runs. */
    olderNode: string
  }
}

/** Starts the real engines once for all test files, and stops them whatever the tests did. */
export default async function setup(project: TestProject) {
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
  project.provide("olderNode", nodeFor("1.82.3"))
  return stop
}
