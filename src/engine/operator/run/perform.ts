import { Clock, Effect } from "effect"

import type { Workflow } from "../../client/models.ts"
import { temporaryName } from "../../client/temporaryName.ts"
import { type ReadRun, runTwin } from "./liveTwin.ts"
import { type Making, type Part, twinOf } from "./twin.ts"

/** Runs a part of a workflow once through a twin that nobody else knows; `read` reads what it left. */
export const perform = Effect.fnUntraced(function* (
  workflow: Workflow,
  part: Part,
  making: Omit<Making, "name" | "path">,
  read?: ReadRun
) {
  const mark = (yield* secret).replaceAll("-", "").slice(0, 12)
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const path = yield* secret
  const twin = twinOf(workflow, part, { ...making, path, name: temporaryName(workflow.name, mark, now) })
  const outcome = yield* runTwin(twin, { path, seconds: making.seconds }, read)
  return { ...outcome, twin }
})

/** Nobody can guess it. */
const secret = Effect.sync(() => crypto.randomUUID())
