import { EventEmitter, once } from "node:events"
import path from "node:path"

import { directory, standIn } from "../cli/built.ts"

const workflow = {
  id: "1",
  name: "Slow",
  active: true,
  nodes: [
    {
      name: "Hook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      webhookId: "slow",
      parameters: { path: "slow", httpMethod: "POST", responseMode: "lastNode" }
    }
  ],
  connections: {},
  settings: {}
}

/**
 * An engine that takes its time, so that a test can look at a call under way: it never answers for the workflow
 * `never`, and its webhook answers when it is told to.
 */
export const slowEngine = async () => {
  const happened = new EventEmitter()
  const told = once(happened, "answer")
  const runs: Array<object> = []
  const host = await standIn(({ headers, url = "" }, response) => {
    const reply = (body: unknown) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(body))
    }
    if (url.endsWith("/workflows/never")) {
      response.on("close", () => happened.emit("abandoned"))
      happened.emit("asked")
    } else if (url.endsWith("/webhook/slow")) {
      void told.then(() => {
        runs.push({ id: 1, status: "success", data: headers })
        reply({ done: true })
      })
    } else if (url.includes("/executions/")) reply(runs[0])
    else if (url.includes("/executions")) reply({ data: runs, nextCursor: null })
    else reply(workflow)
  })
  const configuration = { environments: { slow: { engine_host: host, engine_api_key: "key" } }, defaultEnv: "slow" }
  return {
    configuration: path.join(await directory({ "config.json": configuration }), "config.json"),
    /** Waits until the engine is asked for what it never answers. */
    asked: once(happened, "asked"),
    /** Waits until nobody waits for that answer any more. */
    abandoned: once(happened, "abandoned"),
    /** Lets the webhook answer. */
    answer: () => happened.emit("answer")
  }
}
