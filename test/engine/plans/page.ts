import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { assert } from "vitest"

import { directory, run } from "../../cli/built.ts"
import { passthroughTrigger } from "../../support/engineNodes.ts"
import { operatorCommand, type Send } from "./process.ts"
import { type Seeded, stateOf, workflowsOf } from "./scenario.ts"
import type { Place } from "./support.ts"

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), "utf8")

/** The parts of the page that are run, in its order, by their language. */
const snippets = (page: string, language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text.trim())

const planIdIn = (text: string) => /promotion-[0-9a-z]+-[0-9a-z]+|rollback-[0-9a-z]+-[0-9a-z]+/.exec(text)?.[0] ?? ""

/** Follows the page from two instances to a promotion and back; names are made unique, as engines may be shared. */
export const followPage = async (
  places: { readonly staging: Place; readonly production: Place },
  send: Send,
  prefix: string
) => {
  const short = prefix.slice(-8)
  const tags = [`rel${short}`, `live${short}`, `reviewed${short}`, `cand${short}`]
  const [release = "", live = "", reviewed = "", candidate = ""] = tags
  const placed = (text: string) =>
    text
      .replaceAll("https://staging.example.com", places.staging.host)
      .replaceAll("https://production.example.com", places.production.host)
      .replaceAll("KEY-OF-STAGING", places.staging.apiKey)
      .replaceAll("KEY-OF-PRODUCTION", places.production.apiKey)
      .replaceAll("Shop (test)", `${prefix} shop test`)
      .replaceAll('"Shop"', JSON.stringify(`${prefix} shop`))
      .replace(/\brelease\b/g, release)
      .replace(/\blive\b/g, live)
      .replace(/\breviewed\b/g, reviewed)
      .replace(/\bcandidate\b/g, candidate)
  const page = placed(read("promotion.md"))
  const [configuration = "", ...promotions] = snippets(page, "json")
  const calls = [...promotions, ...snippets(placed(read("bulk.md")), "json")]
  const commands = snippets(page, "sh").flatMap((text) => text.split("\n"))
  const [planning = "", applying = "", rollback = "", applyingRollback = ""] = commands
  assert.lengthOf(commands, 4)
  const cwd = await directory({ ".config.json": configuration })
  const shell = (command: string) => {
    const [program, ...words] = command.split(" ")
    assert.strictEqual(program, "workflow-tool-server")
    return run([...words, "--config", ".config.json"], { cwd })
  }

  const credentials = await given(send, { prefix, release, candidate })
  const seeded: Seeded = { prefix, tag: release, count: 0, tags, credentials }
  const before = await stateOf(send, "production", seeded)

  const plan = await shell(planning)
  assert.strictEqual(plan.code, 2, plan.stderr)
  assert.include(plan.stdout, "2 to create, 0 to change, 0 to leave as they are, 0 blocked.")
  assert.include(plan.stdout, "### Activate")
  assert.deepStrictEqual(await stateOf(send, "production", seeded), before)

  const operator = operatorCommand(cwd)
  const callOf = (text: string): { readonly tool: string; readonly arguments: object } => JSON.parse(text)
  const [promotion, ...bulk] = calls.map(callOf)
  const answer = await operator.call(promotion?.tool ?? "", promotion?.arguments ?? {})
  assert.deepInclude(answer, { counts: { create: 2, update: 0, leave: 0, blocked: 0 } })

  const applied = await shell(applying)
  assert.strictEqual(applied.code, 0, applied.stderr)
  assert.include(applied.stdout, "**applied**")
  const target = await workflowsOf(send, "production", prefix)
  const main = target.get(`${prefix} orders`)
  assert.deepNestedInclude(main, {
    active: true,
    "nodes[2].parameters.url": "https://shop.example.com/orders",
    "nodes[2].credentials.httpBasicAuth.name": `${prefix} shop`,
    "nodes[1].parameters.workflowId.value": target.get(`${prefix} stock`)?.id
  })
  assert.sameMembers(main?.tags.map(({ name }) => name) ?? [], [release, live])
  const quiet = await shell(planning)
  assert.strictEqual(quiet.code, 0, quiet.stdout)
  assert.include(quiet.stdout, "Nothing would change.")

  for (const { arguments: args, tool } of bulk) {
    const planned = await operator.call(tool, args)
    assert.deepInclude(planned, { kind: "bulk", blocked_count: 0 })
    if (planned["steps"] === 0) continue
    const done = { plan_id: planned["plan_id"], confirm: true }
    assert.deepInclude(await operator.call("apply_plan", done), { state: "applied" })
    const back = await operator.call("plan_rollback", { plan_id: planned["plan_id"] })
    assert.deepInclude(await operator.call("apply_plan", { ...done, plan_id: back["plan_id"] }), { state: "applied" })
  }

  const back = await shell(rollback.replace("PLAN", planIdIn(applied.stdout)))
  assert.strictEqual(back.code, 0, back.stderr)
  const gone = await shell(
    applyingRollback.replace("ROLLBACK", planIdIn(back.stdout.replace(planIdIn(applied.stdout), "")))
  )
  assert.strictEqual(gone.code, 0, gone.stderr)
  assert.deepStrictEqual(await stateOf(send, "production", seeded), before)
  await operator.leave()

  const inGitHub = [
    ...placed(read("promotion-workflow.yml")).matchAll(/\.bin\/(workflow-tool-server promote .*?) >{1,2} /g)
  ]
  const codes: Array<unknown> = []
  for (const [, command = ""] of inGitHub) codes.push((await shell(command)).code)
  assert.deepStrictEqual(codes, [2, 0])
  return seeded
}

interface Names {
  readonly prefix: string
  readonly release: string
  readonly candidate: string
}

/** A workflow that others start by a webhook, the one that it calls, and the credentials of both places. */
const given = async (send: Send, { candidate, prefix, release }: Names) => {
  const credential = (instance: string, name: string) =>
    send(instance, "POST", "/credentials", { name, type: "httpBasicAuth", data: { user: "u", password: "p" } })
  const { id: credentialId } = await credential("staging", `${prefix} shop test`)
  const { id: theirs } = await credential("production", `${prefix} shop`)
  const ids = []
  for (const name of [release, candidate]) ids.push({ id: (await send("staging", "POST", "/tags", { name }))["id"] })
  const settings = { executionOrder: "v1" }
  const stock = await send("staging", "POST", "/workflows", {
    name: `${prefix} stock`,
    nodes: [passthroughTrigger],
    connections: {},
    settings
  })
  const path = `${prefix.replaceAll(" ", "-")}-orders`
  const nodes = [
    {
      name: "Hook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path, httpMethod: "POST", options: {} },
      webhookId: path
    },
    {
      name: "Stock",
      type: "n8n-nodes-base.executeWorkflow",
      typeVersion: 1.2,
      position: [220, 0],
      parameters: {
        workflowId: { __rl: true, mode: "list", value: stock["id"], cachedResultName: "stock" },
        workflowInputs: { mappingMode: "defineBelow", value: {} },
        options: {}
      }
    },
    {
      name: "Shop",
      type: "n8n-nodes-base.httpRequest",
      typeVersion: 4.2,
      position: [440, 0],
      parameters: {
        url: "https://shop.test.example.com/orders",
        authentication: "genericCredentialType",
        genericAuthType: "httpBasicAuth",
        options: {}
      },
      credentials: { httpBasicAuth: { id: credentialId, name: `${prefix} shop test` } }
    }
  ]
  const to = (node: string) => ({ main: [[{ node, type: "main", index: 0 }]] })
  const { id } = await send("staging", "POST", "/workflows", {
    name: `${prefix} orders`,
    nodes,
    connections: { Hook: to("Stock"), Stock: to("Shop") },
    settings
  })
  await send("staging", "PUT", `/workflows/${String(id)}/tags`, ids)
  await send("staging", "POST", `/workflows/${String(id)}/activate`, {})
  return [
    ["staging", String(credentialId)],
    ["production", String(theirs)]
  ] as const
}
