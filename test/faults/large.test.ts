import { assert, it } from "vitest"

import { replies } from "../support/loopback.ts"
import { type FaultyEngine, faultyEngine, node, useEngines, workflow } from "./FaultyEngine.ts"
import { peakBytes, workedMillis } from "./processes.ts"
import { configurationOf, errorOf, overHttp, textOf, useCommand } from "./servers.ts"

useCommand()
useEngines()

const MB = 1_000_000
const filler = "x".repeat(1000)

/** So many things of about a kilobyte that they are 60 MB together. */
const many = <A>(make: (at: number) => A): ReadonlyArray<A> => Array.from({ length: 55_000 }, (_, at) => make(at))

const large = {
  workflow: workflow("1", { nodes: many((at) => ({ ...node(`N${at}`), notes: filler })) }),
  page: {
    data: Array.from({ length: 100 }, (_, id) =>
      workflow(`${id}`, { nodes: Array.from({ length: 550 }, (_, at) => ({ ...node(`N${at}`), notes: filler })) })
    ),
    nextCursor: null
  },
  execution: {
    id: 7,
    status: "success",
    data: { resultData: { runData: { A: [{ data: { main: [many((at) => ({ json: { at, filler } }))] } }] } } }
  }
}

/** Milliseconds of work that it takes to read a text as a whole, on this machine as busy as it is. */
const readingMillis = (text: string): number => {
  const before = process.cpuUsage()
  JSON.parse(text)
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

const cases = [
  ["a workflow", large.workflow, "get_workflow", { id: "1" }, undefined],
  ["a page of workflows", large.page, "list_workflows", {}, /"id":"99"/],
  ["an execution", large.execution, "get_execution", { id: 7, items: 3 }, /"leftOut":\{"items":\{"A":54997\}/]
] as const

it.each(cases)(
  "ten answers of 60 MB with %s at once keep nobody waiting, in bounded memory",
  async (_, body, tool, args, says) => {
    const engine: FaultyEngine = await faultyEngine()
    const server = await overHttp(configurationOf({ main: engine.host }))
    const text = JSON.stringify(body)
    assert.isAbove(text.length, 55 * MB)
    engine.does(replies(200, text, { "content-type": "application/json" }))

    const waits: Array<number> = []
    const calls = Array.from({ length: 10 }, () => server.call(tool, args))
    const all = Promise.all(calls)
    for (let isOver = false; !isOver;) {
      const before = workedMillis(server.child.pid)
      await (await fetch(`${server.url}/health`)).text()
      waits.push(workedMillis(server.child.pid) - before)
      isOver = await Promise.race([
        all.then(() => true),
        new Promise<false>((resolve) => setTimeout(resolve, 10, false))
      ])
    }
    for (const answer of await all) {
      if (says === undefined) assert.strictEqual(errorOf(answer).data?.["code"], "ANSWER_TOO_LARGE")
      else assert.match(textOf(answer), says)
    }
    assert.isBelow(peakBytes(server.child.pid), 400 * MB)
    // The work of the server while somebody waits is its own doing, unlike the time that passes; a busy machine makes all work longer.
    assert.isBelow(Math.max(...waits), 4 * Math.max(125, readingMillis(text)))
  }
)
