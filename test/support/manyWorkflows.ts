import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

import type { WorkflowJournal } from "../../src/engine/plans/Plans.ts"
import { engineThat, host, json, key } from "../engine/tools/standIn.ts"
import { environment } from "./harness.ts"
import { planServer, type PlanSettings } from "./planServer.ts"

const node = (at: number, text: string) => ({
  id: `n${at}`,
  name: `Node ${at}`,
  type: at === 0 ? "n8n-nodes-base.webhook" : "n8n-nodes-base.set",
  typeVersion: 2,
  position: [at * 220, 0],
  parameters: { path: `hook/${text}`, note: `of ${text}`, options: {} }
})

/** A workflow of so many nodes in a row. */
export const workflowOf = (number: number, nodes = 12) => ({
  id: `w${number}`,
  name: `Workflow ${number}`,
  active: false,
  activeVersionId: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  versionId: `v${number}`,
  nodes: Array.from({ length: nodes }, (_, at) => node(at, `order ${number}`)),
  connections: Object.fromEntries(
    Array.from({ length: nodes - 1 }, (_, at) => [
      `Node ${at}`,
      { main: [[{ node: `Node ${at + 1}`, type: "main", index: 0 }]] }
    ])
  ),
  settings: {},
  tags: []
})

/** An engine with so many workflows, and `large`, one of 1,000 nodes. */
export const engineWith = (count: number) =>
  engineThat(({ path }) => {
    const { pathname, searchParams } = new URL(path, host)
    if (pathname.endsWith("/workflows/large")) return json({ ...workflowOf(0, 1000), id: "large" })
    const [, id] = /\/workflows\/w(\d+)$/.exec(pathname) ?? []
    if (id !== undefined) return json(workflowOf(Number(id)))
    if (!pathname.endsWith("/workflows")) return json({ data: [], nextCursor: null })
    const from = Number(searchParams.get("cursor") ?? 0)
    const to = Math.min(from + Number(searchParams.get("limit") ?? 100), count)
    const data = Array.from({ length: to - from }, (_, at) => workflowOf(from + at))
    return json({ data, nextCursor: to < count ? String(to) : null })
  })

/** The server with its tools of plans over an engine. */
export const serverOf = (
  { client }: ReturnType<typeof engineWith>,
  given: PlanSettings = {},
  journal?: Layer.Layer<WorkflowJournal>
) =>
  planServer(
    { production: environment(host, key, { requestsPerSecond: Infinity }) },
    Layer.succeed(HttpClient.HttpClient, client),
    given,
    journal
  )

/** How often something else has its turn while this goes on. */
export const turnsBeside = Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
  let turns = 0
  const other = Effect.forever(
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => {
        turns++
      })
    )
  )
  const result = yield* Effect.raceFirst(self, other)
  return { result, turns }
})
