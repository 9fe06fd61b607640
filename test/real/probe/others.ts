import { Schema } from "effect"

import { chain, flow, node, webhook } from "../../engine/embedded/calls.ts"
import { type Answer, type Entry, idOf, type Json, makeProbe, type Probe, type Target } from "./Probe.ts"
import { askAboutWorkflows } from "./workflows.ts"

const bodiesOfTags: Readonly<Record<string, Json>> = {
  duplicate: { name: "red" },
  "empty name": { name: "" },
  "25 characters": { name: "x".repeat(25) },
  "no name": {},
  "with id": { id: "x", name: "y" },
  "unknown field": { name: "y", foo: 1 },
  "name is a number": { name: 5 }
}

const askAboutTags = async ({ create, step }: Probe) => {
  const red = idOf(await step("tag: create", "POST", "/tags", { name: "red" }))
  const blue = idOf(await step("tag: create another", "POST", "/tags", { name: "blue" }))
  for (const [label, body] of Object.entries(bodiesOfTags)) await step(`tag: create, ${label}`, "POST", "/tags", body)
  await step("tag: list", "GET", "/tags")
  await step("tag: list, one per page", "GET", "/tags?limit=1")
  await step("tag: get", "GET", `/tags/${red}`)
  await step("tag: get, unknown", "GET", "/tags/nope")
  await step("tag: rename", "PUT", `/tags/${red}`, { name: "crimson" })
  await step("tag: rename to a taken name", "PUT", `/tags/${red}`, { name: "blue" })
  await step("tag: rename, unknown", "PUT", "/tags/nope", { name: "z" })
  await step("tag: rename, no name", "PUT", `/tags/${red}`, {})
  const tagged = await create("create: to be tagged", flow("Tagged"))
  const path = `/workflows/${tagged}/tags`
  await step("workflow tags: set", "PUT", path, [{ id: red }, { id: blue }])
  await step("workflow tags: same tag twice", "PUT", path, [{ id: red }, { id: red }])
  await step("workflow tags: unknown tag", "PUT", path, [{ id: "nope" }])
  await step("workflow tags: plain ids", "PUT", path, [red])
  await step("workflow tags: unknown workflow", "PUT", "/workflows/nope/tags", [{ id: red }])
  await step("workflow tags: get", "GET", path)
  await step("get: tagged workflow", "GET", `/workflows/${tagged}`)
  await askAboutLists(step)
  await step("tag: delete", "DELETE", `/tags/${red}`)
  await step("tag: delete, again", "DELETE", `/tags/${red}`)
  await step("workflow tags: after the tag was deleted", "GET", path)
}

const queries = [
  "limit=1 limit=0 limit=-1 limit=250 limit=251 limit=abc cursor=abc active=true active=maybe",
  "tags=blue tags=crimson,blue tags=blue,nope tags=nope name=tagg projectId=nope excludePinnedData=x foo=1"
].flatMap((line) => line.split(" "))

const Names = Schema.Struct({
  data: Schema.Array(Schema.Struct({ name: Schema.String })),
  nextCursor: Schema.Unknown
})
const readNames = Schema.decodeUnknownOption(Names)

/** Workflows come ordered by ids of chance, so their sorted names are kept, or their number where not all came. */
const namesOrNumber = (isCut: boolean) => (json: unknown) => {
  const page = readNames(json)
  if (page._tag === "None") return json
  const { data, nextCursor } = page.value
  return { names: isCut ? data.length : data.map(({ name }) => name).sort(), nextCursor }
}

const askAboutLists = async (step: Probe["step"]) => {
  for (const query of queries) {
    const keep = namesOrNumber(/limit=(1|0|-1)$/.test(query))
    await step(`list: ${query}`, "GET", `/workflows?${query}`, undefined, { keep })
  }
}

const doubling = flow(
  "Doubles",
  [
    webhook("doubles", "responseNode"),
    node(
      "Code",
      "code",
      { jsCode: "return [{ json: { doubled: $input.first().json.body.x * 2 } }];" },
      { typeVersion: 2 }
    ),
    node("Respond", "respondToWebhook", { respondWith: "json", responseBody: "={{ $json }}" }, { typeVersion: 1.1 })
  ],
  chain("Webhook", "Code", "Respond")
)
const failing = flow(
  "Fails",
  [webhook("fails"), node("Stop", "stopAndError", { errorMessage: "told to stop" })],
  chain("Webhook", "Stop")
)

const Executions = Schema.Struct({
  data: Schema.Array(Schema.Struct({ id: Schema.Unknown, workflowId: Schema.String, finished: Schema.Boolean }))
})
const decodeExecutions = Schema.decodeUnknownSync(Executions)

/** Webhooks start to listen, and executions are recorded, a moment after the answer that announces it. */
const isMissing = ({ status }: Answer) => status === 404
const isShorterThan =
  (count: number) =>
  ({ json }: Answer) =>
    decodeExecutions(json).data.length < count

const askAboutExecutions = async ({ create, rest, step }: Probe) => {
  await step("executions: none yet", "GET", "/executions")
  const good = await create("create: webhook that answers", doubling)
  const bad = await create("create: webhook that fails", failing)
  const visitor = { base: "/webhook/", key: null }
  await step("webhook: not active", "POST", "doubles", { x: 21 }, visitor)
  await step("activate: webhook", "POST", `/workflows/${good}/activate`)
  await step("activate: failing webhook", "POST", `/workflows/${bad}/activate`)
  await rest()
  await step("webhook: runs", "POST", "doubles", { x: 21 }, { ...visitor, again: isMissing })
  await step("webhook: fails", "POST", "fails", {}, { ...visitor, again: isMissing })
  await step("webhook: wrong method", "GET", "doubles", undefined, visitor)
  await step("webhook: malformed JSON", "POST", "doubles", undefined, { ...visitor, raw: "{bad" })
  await step("webhook-test: nobody listens", "POST", "doubles", {}, { ...visitor, base: "/webhook-test/" })
  await rest()
  const list = await step("executions: list", "GET", "/executions", undefined, { again: isShorterThan(2) })
  const executions = decodeExecutions(list.json).data
  const of = (workflow: string) => String(executions.find(({ workflowId }) => workflowId === workflow)?.id)
  const [passed, failed] = [of(good), of(bad)]
  for (const status of ["error", "success", "waiting", "running", "foo"]) {
    await step(`executions: status=${status}`, "GET", `/executions?status=${status}`)
  }
  await step("executions: of a workflow", "GET", `/executions?workflowId=${good}`)
  for (const query of ["workflowId=nope", "limit=1", "limit=251", "includeData=x", "cursor=abc", "foo=1"]) {
    await step(`executions: ${query}`, "GET", `/executions?${query}`)
  }
  await step("execution: get", "GET", `/executions/${passed}`)
  await step("execution: get with data", "GET", `/executions/${passed}?includeData=true`)
  await step("execution: get failed with data", "GET", `/executions/${failed}?includeData=true`)
  for (const id of ["999999", "abc", "0", "1.5"]) await step(`execution: get ${id}`, "GET", `/executions/${id}`)
  await step("execution: retry a success", "POST", `/executions/${passed}/retry`)
  await step("execution: retry a failure", "POST", `/executions/${failed}/retry`)
  await step("execution: retry, unknown", "POST", "/executions/999999/retry")
  await step("execution: stop a finished one", "POST", `/executions/${passed}/stop`)
  await step("execution: delete", "DELETE", `/executions/${passed}`)
  await step("execution: delete, again", "DELETE", `/executions/${passed}`)
  await step("execution: delete abc", "DELETE", "/executions/abc")
}

const bodiesOfCredentials: Readonly<Record<string, Json>> = {
  "no data": { name: "x", type: "httpBasicAuth" },
  "unknown type": { name: "x", type: "nopeApi", data: {} },
  "unknown property": { name: "x", type: "httpBasicAuth", data: { foo: 1 } },
  "wrong type of property": { name: "x", type: "httpBasicAuth", data: { user: 1 } },
  "required property missing": { name: "x", type: "slackApi", data: {} },
  "data is text": { name: "x", type: "httpBasicAuth", data: "x" }
}

const askAboutCredentials = async ({ step }: Probe) => {
  await step("credentials: list", "GET", "/credentials")
  const data = { user: "u", password: "p" }
  const made = await step("credential: create", "POST", "/credentials", { name: "Basic", type: "httpBasicAuth", data })
  for (const [label, body] of Object.entries(bodiesOfCredentials)) {
    await step(`credential: create, ${label}`, "POST", "/credentials", body)
  }
  const path = `/credentials/${idOf(made)}`
  await step("credential: get", "GET", path)
  await step("credential: patch", "PATCH", path, { name: "Renamed" })
  await step("credential: schema", "GET", "/credentials/schema/httpBasicAuth")
  await step("credential: schema, unknown", "GET", "/credentials/schema/nopeApi")
  await step("credential: delete", "DELETE", path)
  await step("credential: delete, again", "DELETE", path)
}

/** The answers of an engine to the whole series of requests; nothing may have been made on it yet. */
export const answersOf = async (target: Target): Promise<ReadonlyArray<Entry>> => {
  const probe = makeProbe(target)
  await askAboutWorkflows(probe)
  await askAboutTags(probe)
  await askAboutExecutions(probe)
  await askAboutCredentials(probe)
  return probe.entries
}
