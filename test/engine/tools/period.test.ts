import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask } from "../../support/harness.ts"
import { engineThat, json, serving } from "./standIn.ts"

/** One execution an hour, the newest first, back from midnight of the 30th of June. */
const executions = Array.from({ length: 700 }, (_, index) => {
  const startedAt = new Date(Date.UTC(2026, 5, 30) - index * 3_600_000).toISOString()
  return { id: String(700 - index), finished: true, startedAt, workflowId: "w1" }
})

/** An engine that pages by itself and refuses filters it does not know, as 1.x engines do. */
const older = () =>
  engineThat(({ path }) => {
    const query = new URLSearchParams(path.split("?")[1])
    const stranger = [...query.keys()].find((name) => name.startsWith("started"))
    if (stranger !== undefined) return json({ message: `Unknown query parameter '${stranger}'` }, 400)
    const [from, limit] = (query.get("cursor") ?? `0-${query.get("limit")}`).split("-").map(Number)
    const data = executions.slice(from, (from ?? 0) + (limit ?? 100))
    const next = (from ?? 0) + (limit ?? 100)
    return json({ data, nextCursor: next < executions.length ? `${next}-${limit}` : null })
  })

const hours = (requests: ReadonlyArray<{ readonly path: string }>) =>
  requests.filter(({ path }) => !/started/.test(path))

const idsOf = (page: object) => JSON.stringify(page).match(/"id":\d+/g) ?? []

describe("list_executions, over an engine that does not filter by time", () => {
  it.live("answers lists that are asked for at the same time before the engine has refused the filter", () => {
    const { client } = older()
    return Effect.gen(function* () {
      const span = { startedAfter: "2026-06-21T22:00:00Z", startedBefore: "2026-06-22T01:00:00+02:00" }
      const pages = yield* Effect.all(
        [1, 2, 3].map(() => ask("list_executions", span)),
        { concurrency: 3 }
      )
      assert.deepStrictEqual(
        pages.map(idsOf),
        Array.from({ length: 3 }, () => ['"id":507', '"id":506'])
      )
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("searches page by page and stops behind the period", () => {
    const { requests, client } = older()
    return Effect.gen(function* () {
      const span = { startedAfter: "2026-06-21T22:00:00Z", startedBefore: "2026-06-22T01:00:00+02:00" }
      const page = yield* ask("list_executions", span)
      assert.deepStrictEqual(idsOf(page), ['"id":507', '"id":506'])
      assert.notProperty(page, "nextCursor")
      assert.strictEqual(hours(requests).length, 1)
      const learnt = requests.length
      yield* ask("list_executions", span)
      assert.notMatch(JSON.stringify(requests.slice(learnt)), /started/)
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("shows every execution of the period once, across cursors", () => {
    const { client } = older()
    return Effect.gen(function* () {
      const seen: Array<string> = []
      let page = yield* ask("list_executions", { startedBefore: "2026-06-25", limit: 7 })
      for (let pages = 0; pages < 200; pages++) {
        assert.isAtMost(idsOf(page).length, 7)
        seen.push(...idsOf(page))
        if (page.nextCursor === undefined) break
        page = yield* ask("list_executions", { cursor: page.nextCursor })
      }
      const wanted = executions.filter(({ startedAt }) => startedAt <= "2026-06-25T00:00:00.000Z")
      assert.deepStrictEqual(
        seen,
        wanted.map(({ id }) => `"id":${id}`)
      )
    }).pipe(Effect.provide(serving(client)))
  })

  it.live("says that a long search found nothing yet, and gives a cursor", () => {
    const { client } = engineThat(({ path }) => {
      if (/started/.test(path)) return json({ message: "Unknown query parameter 'startedBefore'" }, 400)
      const page = Number(new URLSearchParams(path.split("?")[1]).get("cursor") ?? 0)
      return json({ data: executions.slice(0, 5), nextCursor: String(page + 1) })
    })
    return Effect.gen(function* () {
      const page = yield* ask("list_executions", { startedBefore: "2020-01-01" })
      assert.deepStrictEqual(page.data, [])
      assert.isString(page.nextCursor)
      assert.match(String(page.notice), /^Nothing was found on 20 pages, and there are more: go on with nextCursor\.$/)
    }).pipe(Effect.provide(serving(client)))
  })
})

describe("list_executions, over an engine that takes a status and does not look for it", () => {
  it.live("shows no run of another status, and crashes as the errors that they were", () => {
    const statuses = ["success", "crashed", "error"]
    const runs = statuses.map((status, index) => ({ id: String(index + 1), status, workflowId: "w1" }))
    const { client } = engineThat(() => json({ data: runs, nextCursor: null }))
    return Effect.gen(function* () {
      const listed = (status: string) => Effect.map(ask("list_executions", { status }), idsOf)
      assert.deepStrictEqual(yield* listed("new"), [])
      assert.deepStrictEqual(yield* listed("crashed"), ['"id":2'])
      assert.deepStrictEqual(yield* listed("error"), ['"id":2', '"id":3'])
    }).pipe(Effect.provide(serving(client)))
  })
})
