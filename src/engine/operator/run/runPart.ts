import { Clock, Effect } from "effect"

import type { Workflow } from "../../client/models.ts"
import { temporaryName } from "../../client/temporaryName.ts"
import type { Part } from "./Part.ts"
import { type ReadRun, runTemporaryCopy } from "./runTemporaryCopy.ts"
import { type TemporaryCopyOptions, temporaryCopyOf } from "./temporaryCopy.ts"

/** Runs a part of a workflow once through a temporary copy that nobody else knows; `read` reads what it left. */
export const runPart = Effect.fnUntraced(function* (
  workflow: Workflow,
  part: Part,
  options: Omit<TemporaryCopyOptions, "name" | "path">,
  read?: ReadRun
) {
  const mark = (yield* secret).replaceAll("-", "").slice(0, 12)
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const path = yield* secret
  const copy = temporaryCopyOf(workflow, part, { ...options, path, name: temporaryName(workflow.name, mark, now) })
  const outcome = yield* runTemporaryCopy(copy, { path, seconds: options.seconds }, read)
  return { ...outcome, copy }
})

/** Nobody can guess it. */
const secret = Effect.sync(() => crypto.randomUUID())
