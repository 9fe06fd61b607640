import { Clock, Effect } from "effect"

import { sha256 } from "../../../internal/sha256.ts"
import type { Workflow } from "../../workflow/models.ts"
import { temporaryName } from "../../workflow/naming.ts"
import type { Part } from "./Part.ts"
import { type ReadRun, runTemporaryCopy } from "./runTemporaryCopy.ts"
import { type TemporaryCopyOptions, temporaryCopyOf } from "./temporaryCopy.ts"

/** Runs a part of a workflow once through a temporary copy that nobody else knows; `read` reads what it left. */
export const runPart = Effect.fnUntraced(function* (
  workflow: Workflow,
  part: Part,
  options: Omit<TemporaryCopyOptions, "name" | "path" | "secret">,
  read?: ReadRun
) {
  const mark = (yield* random).replaceAll("-", "").slice(0, 12)
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const path = yield* random
  const text = yield* random
  const secret = { text, digest: sha256(text) }
  const name = temporaryName(workflow.name, mark, now)
  const copy = temporaryCopyOf(workflow, part, { ...options, path, secret, name })
  const outcome = yield* runTemporaryCopy(copy, { path, secret: text, seconds: options.seconds }, read)
  return { ...outcome, copy }
})

/** Nobody can guess it. */
const random = Effect.sync(() => crypto.randomUUID())
