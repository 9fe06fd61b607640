import { layer } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"

import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { inTime } from "../support/inTime.ts"
import { activation } from "./activation.ts"
import { checks } from "./checks.ts"
import { comparing } from "./comparing.ts"
import { copying } from "./copying.ts"
import { credentials } from "./credentials.ts"
import { dataTables } from "./dataTables.ts"
import { editing } from "./editing.ts"
import { engineHistory } from "./engineHistory.ts"
import { errors } from "./errors.ts"
import { executions } from "./executions.ts"
import { explaining } from "./explaining.ts"
import { groups } from "./groups.ts"
import { lifecycle } from "./lifecycle.ts"
import { lists } from "./lists.ts"
import { names } from "./names.ts"
import { nodes } from "./nodes.ts"
import { partialReads } from "./partialReads.ts"
import { prompts } from "./prompts.ts"
import { recordedTests } from "./recordedTests.ts"
import { replacing } from "./replacing.ts"
import { resources } from "./resources.ts"
import { running } from "./running.ts"
import { searching } from "./searching.ts"
import { tableJobs } from "./tableJobs.ts"
import { tags } from "./tags.ts"
import { temporaryCopies } from "./temporaryCopies.ts"
import type { TestedEngine } from "./TestedEngine.ts"
import { together } from "./together.ts"
import { updates } from "./updates.ts"
import { viewing } from "./viewing.ts"
import { workflows } from "./workflows.ts"

type Test = () => Effect.Effect<void, unknown, Sessions | TestedEngine | Scope.Scope>

/** The means of a family of the suite. */
export interface Suite {
  readonly effect: (name: string, test: Test) => void
}

type Engine = Layer.Layer<Sessions | TestedEngine>

const families = [
  lifecycle,
  workflows,
  updates,
  groups,
  editing,
  copying,
  together,
  activation,
  running,
  temporaryCopies,
  recordedTests,
  lists,
  executions,
  explaining,
  partialReads,
  engineHistory,
  searching,
  viewing,
  comparing,
  credentials,
  tags,
  dataTables,
  tableJobs,
  errors,
  names,
  replacing,
  resources,
  nodes,
  checks,
  prompts
]

const allOf = (suite: Suite) => {
  for (const family of families) family(suite)
}

/** The promises of the server, over a real engine, on the engine's own clock. It passes the same over every engine. */
export const contractSuite = (name: string, engine: Engine) =>
  layer(engine, { excludeTestServices: true, timeout: "60 seconds" })(`on ${name}`, (it) => allOf(it))

/** The same over an engine in this process, for which no test waits. */
export const contractSuiteInTime = (name: string, engine: Engine) =>
  layer(engine)(`on ${name}`, (it) =>
    allOf({ effect: (title, test) => it.effect(title, () => inTime(Effect.scoped(test()))) })
  )
