import { assert } from "@effect/vitest"
import { Schema } from "effect"

import { passthroughTrigger } from "../../support/engineNodes.ts"
import type { Json } from "../../support/harness.ts"
import { removed, type Send } from "./process.ts"

const Node = Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
const Shown = Schema.StructWithRest(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    active: Schema.Boolean,
    nodes: Schema.Array(Node),
    connections: Schema.Record(Schema.String, Schema.Unknown),
    settings: Schema.Record(Schema.String, Schema.Unknown),
    tags: Schema.Array(
      Schema.StructWithRest(Schema.Struct({ id: Schema.String, name: Schema.String }), [
        Schema.Record(Schema.String, Schema.Unknown)
      ])
    )
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type Shown = typeof Shown.Type
const decodePage = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Shown), nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })
)
const decodeMade = Schema.decodeUnknownSync(
  Schema.StructWithRest(Schema.Struct({ id: Schema.String, name: Schema.String }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

/** All workflows of an instance whose names begin with the prefix, by name. */
export const workflowsOf = async (
  send: Send,
  instance: string,
  prefix: string
): Promise<ReadonlyMap<string, Shown>> => {
  const workflows = new Map<string, Shown>()
  for (let cursor = ""; ;) {
    const page = decodePage(await send(instance, "GET", `/workflows?limit=250${cursor && `&cursor=${cursor}`}`))
    for (const workflow of page.data) if (workflow.name.startsWith(prefix)) workflows.set(workflow.name, workflow)
    if (!page.nextCursor) return workflows
    cursor = encodeURIComponent(page.nextCursor)
  }
}

const link = (id: string, name: string) => ({
  __rl: true,
  mode: "list",
  value: id,
  cachedResultName: name,
  cachedResultUrl: `/workflow/${id}`
})

const call = (id: string, name: string) => ({
  name: `Call ${name}`,
  type: "n8n-nodes-base.executeWorkflow",
  typeVersion: 1.2,
  position: [220, 0],
  parameters: { workflowId: link(id, name), workflowInputs: { mappingMode: "defineBelow", value: {} }, options: {} }
})

const request = (credential: { readonly id: string; readonly name: string }, host: string) => ({
  name: "Fetch",
  type: "n8n-nodes-base.httpRequest",
  typeVersion: 4.2,
  position: [440, 0],
  parameters: {
    url: `https://${host}/orders`,
    authentication: "genericCredentialType",
    genericAuthType: "httpBasicAuth",
    options: {}
  },
  credentials: { httpBasicAuth: { id: credential.id, name: credential.name } }
})

const main = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.slice(1).map((to, at) => [names[at], { main: [[{ node: to, type: "main", index: 0 }]] }]))

/** The contents of both instances before a promotion. */
export interface Seeded {
  readonly prefix: string
  readonly tag: string
  readonly count: number
  readonly tags: ReadonlyArray<string>
  /** Instance and id of each credential that was made. */
  readonly credentials: ReadonlyArray<readonly [instance: string, id: string]>
}

/**
 * `count` workflows on `staging`: an error workflow, sub-workflows that call others, and such as are started by webhooks,
 * with credentials and tags; some of them in an older form on `production`, too.
 */
export const seed = async (send: Send, prefix: string, count: number): Promise<Seeded> => {
  const short = prefix.slice(-8)
  const tags = [`rel${short}`, `a${short}`, `b${short}`]
  const credential = async (instance: string) =>
    decodeMade(
      await send(instance, "POST", "/credentials", {
        name: `${prefix} login`,
        type: "httpBasicAuth",
        data: { user: "u", password: "p" }
      })
    )
  const tag = async (instance: string, name: string) => decodeMade(await send(instance, "POST", "/tags", { name }))
  const stagingCredential = await credential("staging")
  const theirs = await credential("production")
  const ids = new Map<string, string>()
  for (const name of tags) ids.set(name, (await tag("staging", name)).id)
  const presentTag = await tag("production", tags[1] ?? "")

  const make = async (instance: string, body: Json, names: ReadonlyArray<string> = []) => {
    const { id } = decodeMade(await send(instance, "POST", "/workflows", body))
    if (names.length > 0) {
      await send(
        instance,
        "PUT",
        `/workflows/${id}/tags`,
        names.map((name) => ({ id: ids.get(name) }))
      )
    }
    return id
  }
  const error = await make("staging", {
    name: `${prefix} error`,
    nodes: [{ name: "Error", type: "n8n-nodes-base.errorTrigger", typeVersion: 1, position: [0, 0], parameters: {} }],
    connections: {},
    settings: { executionOrder: "v1" }
  })
  const subs: Array<readonly [string, string]> = []
  const share = Math.max(2, Math.floor(count / 8))
  for (let index = 0; index < share; index++) {
    const name = `${prefix} sub ${index}`
    const below = index < share / 2 ? undefined : subs[index - Math.floor(share / 2)]
    const nodes = below === undefined ? [passthroughTrigger] : [passthroughTrigger, call(below[0], below[1])]
    const connections = below === undefined ? {} : main("In", `Call ${below[1]}`)
    // Of half of them nobody asks: they come along with those that call them.
    const body = { name, nodes, connections, settings: { executionOrder: "v1" } }
    subs.push([await make("staging", body, index % 2 === 0 ? tags.slice(0, 1) : []), name])
  }
  for (let index = 0; index < count - share - 1; index++) {
    const [sub = "", subName = ""] = subs[index % subs.length] ?? []
    const name = `${prefix} main ${index}`
    const path = `${prefix}-${index}`
    const hook = {
      name: "Hook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path, httpMethod: "POST", options: {} },
      webhookId: path
    }
    const nodes = [hook, call(sub, subName), request(stagingCredential, "staging.example.com")]
    const connections = main("Hook", `Call ${subName}`, "Fetch")
    const settings = {
      executionOrder: "v1",
      errorWorkflow: error,
      ...(index % 5 === 0 ? { timezone: "Europe/Berlin" } : {})
    }
    const id = await make("staging", { name, nodes, connections, settings }, [
      tags[0] ?? "",
      tags[1 + (index % 2)] ?? ""
    ])
    if (index % 3 === 0) await send("staging", "POST", `/workflows/${id}/activate`, {})
    if (index % 15 !== 0) continue
    const older = { ...hook, webhookId: `${path}-own` }
    const before = await make("production", {
      name,
      nodes: [older, request(theirs, "production.example.com")],
      connections: main("Hook", "Fetch"),
      settings: { executionOrder: "v1" }
    })
    if (index % 30 === 0) await send("production", "PUT", `/workflows/${before}/tags`, [{ id: presentTag.id }])
    if (index % 45 === 0) await send("production", "POST", `/workflows/${before}/activate`, {})
  }
  const credentials = [
    ["staging", stagingCredential.id],
    ["production", theirs.id]
  ] as const
  return { prefix, tag: tags[0] ?? "", count, tags, credentials }
}

/** Takes away what `seed` has made, and what was promoted. */
export const clean = async (send: Send, { credentials, prefix, tags }: Seeded) => {
  for (const [instance, id] of credentials) await send(instance, "DELETE", `/credentials/${id}`)
  for (const instance of ["staging", "production"]) {
    for (const { id } of (await workflowsOf(send, instance, prefix)).values()) await removed(send, instance, id)
    const page = Schema.decodeUnknownSync(
      Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) })
    )(await send(instance, "GET", "/tags?limit=250"))
    for (const { id, name } of page.data) if (tags.includes(name)) await send(instance, "DELETE", `/tags/${id}`)
  }
}

const linked = (parameters: unknown, names: ReadonlyMap<string, string>) =>
  JSON.parse(JSON.stringify(parameters), (_, value: unknown) =>
    typeof value === "string"
      ? value.replace(/^(\/workflow\/)?([A-Za-z0-9]{16})$/, (all, path: string = "", id: string) =>
          names.has(id) ? `${path}<${names.get(id)}>` : all
        )
      : value
  )

/** Fields by which the same workflow is told on both sides: ids of workflows and credentials by the names of what they stand for. */
const comparable = (workflow: Shown, all: ReadonlyMap<string, Shown>) => {
  const names = new Map([...all.values()].map(({ id, name }) => [id, name]))
  return {
    name: workflow.name,
    nodes: workflow.nodes.map(({ credentials, ...node }) => ({
      ...linked(node, names),
      ...(credentials === undefined
        ? {}
        : {
            credentials: JSON.parse(JSON.stringify(credentials), (field, value: unknown) =>
              field === "id" ? "*" : value
            )
          })
    })),
    connections: workflow.connections,
    settings: linked(workflow.settings, names)
  }
}

/** Holds every promoted workflow against the one that it comes from, field by field. */
export const compare = async (send: Send, seeded: Seeded) => {
  const { prefix } = seeded
  const source = await workflowsOf(send, "staging", prefix)
  const target = await workflowsOf(send, "production", prefix)
  assert.strictEqual(target.size, seeded.count)
  const published = new Set<string>()
  for (const [name, from] of source) {
    const to = target.get(name)
    assert.isDefined(to, name)
    if (to === undefined) continue
    const wanted = comparable(from, source)
    const present = comparable(to, target)
    const isCounterpart = present.nodes[0].webhookId?.endsWith("-own") === true
    if (isCounterpart) {
      // What belongs to the place was kept: the address of the webhook, and by a rule the host.
      assert.strictEqual(
        present.nodes.find((node: { name: string }) => node.name === "Fetch").parameters.url,
        "https://production.example.com/orders"
      )
      for (const node of [...wanted.nodes, ...present.nodes]) {
        delete node.webhookId
        delete node.id
        delete node.parameters.url
      }
    }
    assert.deepStrictEqual(present, wanted, name)
    const tags = from.tags.map((tag) => tag.name)
    assert.includeMembers(
      to.tags.map((tag) => tag.name),
      tags
    )
    if (!isCounterpart) {
      assert.sameMembers(
        to.tags.map((tag) => tag.name),
        tags
      )
      if (from.active) published.add(name)
      if (from.active) assert.isTrue(to.active, `${name} is active`)
    }
  }
  return { published, target }
}

/** The part that has to be as it was after a rollback: all but moments and counters. */
export const stateOf = async (send: Send, instance: string, { prefix, tags }: Seeded) => {
  const all = await workflowsOf(send, instance, prefix)
  const page = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(Schema.Struct({ name: Schema.String })) }))(
    await send(instance, "GET", "/tags?limit=250")
  )
  return {
    tags: page.data.map(({ name }) => name).filter((name) => tags.includes(name)),
    workflows: [...all.values()].map(
      ({ active, connections, id, name, nodes, settings, tags, staticData, pinData }) => ({
        id,
        name,
        active,
        nodes,
        connections,
        settings,
        staticData,
        pinData,
        tags: tags.map((tag) => tag.name).toSorted()
      })
    )
  }
}
