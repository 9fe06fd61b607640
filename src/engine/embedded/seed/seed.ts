import { Effect } from "effect"

import { Dialect } from "../api/Dialect.ts"
import { versionOf } from "../api/workflowWrites.ts"
import { publish, snapshotOf } from "../run/publishing.ts"
import { Runner } from "../run/Runner.ts"
import type { WorkflowRecord } from "../store/records.ts"
import { Store } from "../store/Store.ts"
import { freshId, freshUuid, present } from "../store/values.ts"
import { calls, credentials, seeds, tagNames } from "./workflows.ts"

/** Fills a new engine with a few workflows, tags, credentials and executions; one with records is left alone. */
export const seed = Effect.gen(function* () {
  const { commit, isNew, tables } = yield* Store
  const { publishing } = yield* Dialect
  const runner = yield* Runner
  if (!isNew) return

  const moment = yield* present
  const times = { createdAt: moment.text, updatedAt: moment.text }
  const tags = yield* Effect.forEach(tagNames, (name) => Effect.map(freshId, (id) => ({ id, name, ...times })))
  yield* commit(
    ...tags.map((tag) => ({ tag })),
    ...credentials.map((credential) => ({ credential: { ...credential, ...times } }))
  )

  yield* Effect.forEach(
    seeds,
    Effect.fnUntraced(function* ({ active, nodes, pinData = null, tags: names, ...given }) {
      const record: WorkflowRecord = {
        ...given,
        ...times,
        nodes: yield* Effect.forEach(nodes, (node) => Effect.map(freshUuid, (id) => ({ id, ...node }))),
        description: null,
        active: false,
        isArchived: false,
        staticData: null,
        pinData,
        tagIds: tags.filter(({ name }) => names.includes(name)).map(({ id }) => id),
        versionId: yield* freshUuid,
        versionCounter: 1,
        triggerCount: 0,
        published: null,
        publications: [],
        busyUntil: 0
      }
      const versions = yield* versionOf(record)
      const { publication, workflow } = publish(record, moment, {
        rules: publishing,
        publication: tables.counters.publication,
        isAtOnce: true
      })
      yield* active
        ? commit({ workflow }, { counters: { ...tables.counters, publication } }, ...versions)
        : commit({ workflow: record }, ...versions)
    })
  )

  yield* Effect.forEach(
    calls,
    Effect.fnUntraced(function* ({ body, workflow: { id, nodes } }) {
      const workflow = tables.workflows.get(id)
      if (workflow === undefined) return
      const run = yield* runner.start({
        workflowId: id,
        snapshot: snapshotOf(workflow),
        mode: "webhook",
        start: {
          node: String(nodes[0]?.name),
          source: null,
          input: [{ json: { headers: {}, params: {}, query: {}, body }, pairedItem: { item: 0 } }]
        }
      })
      yield* run.end
    })
  )
})
