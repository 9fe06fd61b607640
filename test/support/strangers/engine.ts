import { Effect } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const node = (name: string, type: string, parameters: object, at: number) => ({
  id: `node-${at}`,
  name,
  type: type.includes(".") ? type : `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position: [at * 220, 0],
  parameters
})

/** A workflow in which a text stands everywhere. */
export const strangeWorkflow = (id: string, text: string) => {
  const names = ["Start", "Set", "Code", `N ${text}`, "Http", "Old", "If"]
  const link = (target = "") => ({ main: [[{ node: target, type: "main", index: 0 }]] })
  return {
    id,
    name: `W ${text}`,
    description: text,
    active: false,
    isArchived: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-02T00:00:00.000Z",
    versionId: "00000000-0000-4000-8000-000000000000",
    nodes: [
      node("Start", "webhook", { path: text, httpMethod: text, options: { note: text } }, 0),
      {
        ...node(
          "Set",
          "set",
          { assignments: { assignments: [{ id: "a", name: text, type: "string", value: `=${text}` }] } },
          1
        ),
        notes: text,
        credentials: { httpHeaderAuth: { id: text.slice(0, 20), name: text } }
      },
      node("Code", "code", { jsCode: text }, 2),
      node(
        names[3] ?? "",
        "httpRequest",
        { url: text, jsonBody: `=${text}`, [text.slice(0, 200)]: text, json: text },
        3
      ),
      node("Http", "httpRequest", { url: `={{ $('N').item.json["${text}"] }}`, jsonBody: `{${text}`, query: text }, 4),
      node("Old", "function", { functionCode: `return "${text}` }, 5),
      node("If", "if", { conditions: { string: [{ value1: text, operation: text, value2: text }] } }, 6),
      node(
        "Call",
        "executeWorkflow",
        { workflowId: { __rl: true, mode: "url", value: text, cachedResultUrl: text } },
        7
      ),
      node("Python", "code", { language: "python", pythonCode: text }, 8),
      node(`Note ${text}`, "stickyNote", { content: text, height: 100, width: 100 }, 9),
      node("Every", "scheduleTrigger", { rule: { interval: [{ field: "cronExpression", expression: text }] } }, 10)
    ],
    connections: Object.fromEntries([
      ...names.map((name, at) => [name, link(names[at + 1] ?? "Start")] as const),
      ["If", { main: [[{ node: text, type: text, index: 0 }], [{ node: "Start", type: "main", index: 0 }]] }],
      [text, { [text]: [[{ node: text, type: text, index: 0 }]] }]
    ]),
    settings: { executionOrder: "v1", timezone: text, errorWorkflow: text, callerIds: text },
    staticData: { [text]: text },
    pinData: { Set: [{ json: { text, [text]: text } }], [text]: [{ json: { text } }] },
    meta: { text },
    tags: [{ id: "t1", name: text, createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" }]
  }
}

/** A run that failed with a text in everything that can be said of it. */
export const strangeExecution = (id: number, text: string) => {
  const error = {
    name: text,
    message: text,
    description: text,
    stack: text,
    messages: [text, text],
    context: { itemIndex: 0, parameter: text, nodeCause: text, request: { method: text, uri: text } },
    node: node("Code", "code", { jsCode: text }, 2),
    cause: { message: text, stack: text }
  }
  const run = (json: object, more: object = {}) => [
    {
      startTime: 1,
      executionTime: 1,
      executionIndex: 1,
      source: [{ previousNode: "Start" }],
      data: { main: [[{ json, pairedItem: { item: 0 } }]] },
      ...more
    }
  ]
  return {
    id,
    finished: false,
    mode: "webhook",
    status: "error",
    startedAt: "2026-01-02T00:00:00.000Z",
    stoppedAt: "2026-01-02T00:00:01.000Z",
    workflowId: "1",
    data: {
      resultData: {
        error,
        lastNodeExecuted: "Code",
        runData: {
          Start: run({ body: text, [text]: { [text]: text } }),
          Set: run({ a: text, list: [text, text] }),
          Code: run({ b: text }, { error, executionStatus: "error" }),
          [text]: run({ c: text })
        }
      },
      executionData: { text }
    },
    workflowData: strangeWorkflow("1", text)
  }
}

/** An engine all of whose answers hold a text wherever one may stand. */
export const strangeEngine = (text: string): HttpClient.HttpClient => {
  const answers = new Map<string, Uint8Array<ArrayBuffer> | undefined>()
  const page = (data: ReadonlyArray<unknown>) => ({ data, nextCursor: null })
  const answerTo = (method: string, path: string): unknown => {
    const [kind = "", id] = path.replace(/^\/api\/v1\//, "").split("/")
    if (kind === "workflows") {
      if (id !== undefined) return strangeWorkflow(id, text)
      return method === "POST"
        ? strangeWorkflow("9", text)
        : page(["1", "2", "3"].map((one) => strangeWorkflow(one, text)))
    }
    if (kind === "executions") {
      return id === undefined
        ? page([1, 2, 3].map((one) => strangeExecution(one, text)))
        : strangeExecution(Number(id), text)
    }
    const thing = {
      id: "c1",
      name: text,
      type: text,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z"
    }
    if (kind === "credentials" && id === "schema") {
      return {
        type: "object",
        additionalProperties: false,
        properties: { [text]: { type: "string", description: text } }
      }
    }
    if (kind === "tags" || kind === "credentials") return id === undefined && method === "GET" ? page([thing]) : thing
    return undefined
  }
  const bytesOf = (method: string, path: string) => {
    const key = `${method} ${path}`
    if (answers.has(key)) return answers.get(key)
    const answer = answerTo(method, path)
    const bytes = answer === undefined ? undefined : new TextEncoder().encode(JSON.stringify(answer))
    answers.set(key, bytes)
    return bytes
  }
  // Made beforehand: it is not the server that takes this time.
  for (const path of ["workflows", "workflows/1", "workflows/2", "executions", "executions/1", "credentials", "tags"]) {
    for (const method of ["GET", "POST", "PUT"]) bytesOf(method, `/api/v1/${path}`)
  }
  return HttpClient.make((request, url) =>
    Effect.sync(() => {
      const bytes = bytesOf(request.method, url.pathname)
      return HttpClientResponse.fromWeb(
        request,
        new Response(bytes ?? '{"message":"not found"}', {
          status: bytes === undefined ? 404 : 200,
          headers: { "content-type": "application/json" }
        })
      )
    })
  )
}
