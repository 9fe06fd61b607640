import type { TestProject } from "vitest/node"

import { type RunningEngine, startEngines } from "../support/engines.ts"

declare module "vitest" {
  export interface ProvidedContext {
    engines: ReadonlyArray<RunningEngine>
  }
}

/** Starts the real engines once for all test files, and stops them whatever the tests did. */
export default async function setup(project: TestProject) {
  const { engines, stop } = await startEngines()
  project.provide("engines", engines)
  return stop
}
