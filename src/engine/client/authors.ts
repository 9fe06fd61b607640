import { Effect, Option, Schema } from "effect"

import { WorkflowId } from "../workflow/models.ts"
import type { Authors } from "./History.ts"
import type { restCalls } from "./restCalls.ts"

/** Versions to look at: earlier authors are not determined. */
const limit = 50

/** Longest wait of the history for an answer. */
const timeLimit = "5 seconds"

const toWorkflowId = Schema.decodeUnknownOption(WorkflowId)

/** Asks the engine for the authors of its versions; engines before 2.35 have no versions, or do not show them. */
export const authorsBy =
  ({ listVersionsIfSupported }: Pick<ReturnType<typeof restCalls>, "listVersionsIfSupported">): Authors =>
  (id, since, until) =>
    Effect.gen(function* () {
      const workflow = yield* Effect.fromOption(toWorkflowId(id))
      const page = yield* Effect.fromOption(yield* listVersionsIfSupported(workflow, { limit }))
      const newest = page.data.findIndex(({ versionId }) => versionId === until)
      const versions = newest < 0 ? [] : page.data.slice(newest)
      const sinceIndex = versions.findIndex(({ versionId }) => versionId === since)
      const made = versions.slice(0, sinceIndex < 0 ? 1 : sinceIndex)
      return [...new Set(made.flatMap(({ authors }) => authors ?? []))].join(", ")
    }).pipe(
      Effect.timeout(timeLimit),
      Effect.option,
      Effect.map((authors) => Option.getOrUndefined(Option.filter(authors, (names) => names.trim() !== "")))
    )
