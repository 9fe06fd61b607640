import { Effect } from "effect"

import { settled } from "../../rules/publishing.ts"
import { Edition } from "../../store/Edition.ts"
import { present } from "../../store/fresh.ts"
import type { WorkflowRecord } from "../../store/records.ts"
import { Store } from "../../store/Store.ts"
import { notFound, type Refusal } from "../../wire/Refusal.ts"
import { firstWorkflow, type Occasion, secondWorkflow } from "./views.ts"

/** All workflows as they are now, sorted by id. */
export const all = Effect.gen(function* () {
  const { tables } = yield* Store
  const { isSecond } = yield* Edition
  const moment = yield* present
  return [...tables.workflows.values()]
    .map((workflow) => settled(workflow, moment, isSecond))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
})

/** One workflow as it is now. */
export const find = Effect.fnUntraced(function* (
  id: string,
  refusal: Refusal = notFound()
): Effect.fn.Return<WorkflowRecord, Refusal, Edition | Store> {
  const { tables } = yield* Store
  const { isSecond } = yield* Edition
  const workflow = tables.workflows.get(id)
  if (workflow === undefined) return yield* refusal
  return settled(workflow, yield* present, isSecond)
})

/** A workflow as the engine shows it on an occasion. */
export const show = Effect.fnUntraced(function* (workflow: WorkflowRecord, occasion: Occasion) {
  const { tables } = yield* Store
  const { isSecond } = yield* Edition
  return isSecond ? secondWorkflow(tables, workflow, occasion) : firstWorkflow(tables, workflow, occasion)
})
