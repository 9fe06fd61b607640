import type { TestProject } from "vitest/node"

import { type RunningEngine, startEngines } from "../support/engines.ts"

declare module "vitest" {
  export interface ProvidedContext {
    engines: ReadonlyArray<RunningEngine>
    /** A Node 20 or 22, on which engine 1.x runs. */
    olderNode: string
  }
}

/** Starts the real engines once for all test files, and stops them whatever the tests did. */
export default async function setup(project: TestProject) {
  const { engines, olderNode, stop } = await startEngines()
  project.provide("engines", engines)
  project.provide("olderNode", olderNode)
  return stop
}
