import { layer, type Vitest } from "@effect/vitest"
import type { Layer } from "effect"

import type { Connections } from "../../src/protocol/Connection.ts"
import { activation } from "./activation.ts"
import { credentials } from "./credentials.ts"
import { errors } from "./errors.ts"
import { executions } from "./executions.ts"
import { life } from "./life.ts"
import { lists } from "./lists.ts"
import { prompts } from "./prompts.ts"
import { resources } from "./resources.ts"
import { running } from "./running.ts"
import { tags } from "./tags.ts"
import type { TestedEngine } from "./TestedEngine.ts"
import { updates } from "./updates.ts"
import { workflows } from "./workflows.ts"

/** What a family of the suite tests with. */
export type Suite = Vitest.MethodsNonLive<Connections | TestedEngine>

const families = [
  life,
  workflows,
  updates,
  activation,
  running,
  lists,
  executions,
  credentials,
  tags,
  errors,
  resources,
  prompts
]

/** What the server promises, over one engine. It passes the same over every engine, on the engine's own clock. */
export const contractSuite = (name: string, engine: Layer.Layer<Connections | TestedEngine>) =>
  layer(engine, { excludeTestServices: true, timeout: "60 seconds" })(`on ${name}`, (it) => {
    for (const family of families) family(it)
  })
