import { Effect, Option } from "effect"

import type { EngineClient } from "../client/EngineClient.ts"
import { WorkflowId } from "../workflow/models.ts"
import type { Edited } from "./promotion/draftPromotion.ts"

/** Versions that are looked through for authors, and workflows at most. */
const limit = 20
const most = 50

/** The editors of workflows, in words that end a sentence, by the workflow; engines of generation 2 tell authors. */
export const editorsOf = Effect.fnUntraced(function* (
  client: EngineClient["Service"],
  edited: ReadonlyArray<Edited>
): Effect.fn.Return<ReadonlyMap<string, string>> {
  const editors = yield* Effect.forEach(
    edited.slice(0, most),
    Effect.fnUntraced(function* ({ isVersioned, since, workflow: { id, updatedAt } }) {
      const page = isVersioned
        ? yield* Effect.orElseSucceed(client.listVersionsIfSupported(WorkflowId.make(id), { limit }), Option.none)
        : Option.none()
      const versions = Option.match(page, { onNone: () => [], onSome: ({ data }) => data })
      const later = versions.filter(({ createdAt }) => createdAt !== undefined && Date.parse(createdAt) > since)
      const authors = [
        ...new Set((later.length > 0 ? later : versions.slice(0, 1)).flatMap(({ authors: by }) => by ?? []))
      ]
      const when = (later[0] ?? versions[0])?.createdAt ?? updatedAt
      const by = authors.length === 0 ? ", the engine does not tell by whom" : ` by ${authors.join(", ")}`
      return [id, when === undefined ? by : `${by}, last at ${when}`] as const
    }),
    { concurrency: 5 }
  )
  return new Map(editors)
})
