import { Effect, Schema } from "effect"

import type { Json } from "../support/harness.ts"
import { asCreated, workflowNamed } from "./acts.ts"
import type { Advertising } from "./Advertising.ts"
import type { Engines } from "./Engines.ts"
import type { Instance } from "./Instance.ts"
import { made, operator } from "./planLife.ts"

/** A call of a tool that meets one fault, with what is done before. */
export interface Trial<W> {
  readonly tool: string
  readonly args: (world: W) => Effect.Effect<Json>
}

const readId = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ id: Schema.Union([Schema.String, Schema.Number]) }))
)
const readFirst = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ id: Schema.Union([Schema.String, Schema.Number]) })) })
  )
)

const firstOf = ({ instances: [instance] }: Engines): Instance => {
  if (instance === undefined) throw new Error("there is no engine")
  return instance
}

const posted = (world: Engines, path: string, body: Json) =>
  Effect.map(firstOf(world).send("person", "POST", path, body), ({ text }) => readId(text).id)

/** A new workflow that is active, or not. */
const workflow = (world: Engines, isActive = false) =>
  Effect.gen(function* () {
    const id = yield* posted(world, "/workflows", workflowNamed(`Flow of ${world.fresh()}`, false))
    if (isActive) yield* firstOf(world).send("person", "POST", `/workflows/${id}/activate`, {})
    return id
  })

/** The execution of a new workflow, with its node A in another form where one is given; it may have failed. */
const execution = (world: Engines, a: Json = {}) =>
  Effect.gen(function* () {
    const name = `Flow of ${world.fresh()}`
    const { nodes, ...rest } = workflowNamed(name, false)
    const tried = { ...rest, nodes: nodes.map((node) => (node.name === "A" ? { ...node, ...a } : node)) }
    const id = yield* posted(world, "/workflows", tried)
    yield* firstOf(world).send("person", "POST", `/workflows/${id}/activate`, {})
    yield* Effect.sleep("5 seconds")
    yield* firstOf(world).send("person", "POST", `/webhook/${name.toLowerCase().replaceAll(" ", "-")}`, { stamp: name })
    yield* Effect.sleep("5 seconds")
    const { text } = yield* firstOf(world).send("person", "GET", `/executions`)
    return { id: readFirst(text).data[0].id, workflow: id }
  })

/** An execution that failed at a node's code. */
const failure = (world: Engines) => {
  const code = { type: "n8n-nodes-base.code", typeVersion: 2, parameters: failing("$json.body.mail.trim()") }
  return Effect.map(execution(world, code), ({ id, workflow }) => ({ execution: id, workflow }))
}

/** A workflow with a node that an upgrade removes, and a run that shows it at work. */
const outdated = (world: Engines) => {
  const functionCode = "return { stamp: $json.body.stamp, size: items.length }"
  return execution(world, { type: "n8n-nodes-base.function", typeVersion: 1, parameters: { functionCode } })
}

const failing = (value: string) => ({ mode: "runOnceForEachItem", jsCode: `return { json: { mail: ${value} } }` })

const fix = [{ op: "set", node: "A", path: "parameters.jsCode", value: failing('"none"').jsCode }]

const login = { name: "Login", type: "httpBasicAuth", data: { user: "ann", password: "hidden-4711" } }

const on =
  (more: Json = {}, isActive = false) =>
  (world: Engines) =>
    Effect.map(workflow(world, isActive), (id): Json => ({ id, ...more }))
const given = (args: Json) => () => Effect.succeed(args)
const ofCredential =
  (more: Json = {}) =>
  (world: Engines) =>
    Effect.map(posted(world, "/credentials", login), (id): Json => ({ id, ...more }))
const ofTag =
  (more: Json = {}) =>
  (world: Engines) =>
    Effect.map(posted(world, "/tags", { name: "colour" }), (id): Json => ({ id, ...more }))
const ofExecution = (world: Engines) => Effect.map(execution(world), ({ id }): Json => ({ id }))

const planOf = (tool: string, args: Json) => (world: Engines) =>
  Effect.gen(function* () {
    const where = tool === "plan_bulk" ? { where: { ids: [yield* workflow(world, true), yield* workflow(world)] } } : {}
    const plan = yield* made(world, operator, tool, { ...args, ...where }, "production")
    return { plan_id: plan?.plan_id ?? "" }
  })

/** The same, to be applied. */
const applying = (tool: string, args: Json) => (world: Engines) =>
  Effect.map(planOf(tool, args)(world), (plan): Json => ({ ...plan, confirm: true }))

const applied = (tool: string, args: Json) => (world: Engines) =>
  Effect.tap(planOf(tool, args)(world), ({ plan_id }) =>
    world.call(operator, "apply_plan", { plan_id, confirm: true }, "production")
  )

const tableCreation = { action: "create_table", table: "Orders", columns: { city: "string" } }
const deletion = { action: "delete" }
const version = (world: Engines) =>
  Effect.gen(function* () {
    const id = yield* workflow(world)
    const backup = yield* world.call(operator, "backup", { instances: ["production"] })
    yield* world.call(operator, "update_workflow", { id, name: "Flow of now" }, "production")
    const data = backup._tag === "Answered" ? backup.answer["data"] : []
    return { id, version: String(Object(Array.isArray(data) ? data[0] : {}).version) }
  })

const upgrade = { instances: "production", where: { name: "Flow*" } }

const edit = { operations: [{ op: "set", node: "A", path: "notes", value: "new" }] }
const recorded = (world: Engines) =>
  Effect.gen(function* () {
    const { workflow } = yield* execution(world)
    yield* world.call(operator, "record_test", { workflow, file: "one.json" }, "production")
    return { files: ["one.json"] }
  })

const trial = (tool: string, args: Trial<Engines>["args"]): Trial<Engines> => ({ tool, args })

/** A call of every tool for engines, and of some in several ways. */
export const engineTrials: ReadonlyArray<Trial<Engines>> = [
  trial("list_workflows", given({})),
  trial("get_workflow", on()),
  trial("create_workflow", given(asCreated("Flow of new"))),
  trial("create_workflow", given({ ...asCreated("Flow of new"), active: true })),
  trial("update_workflow", on({ name: "Flow of other" })),
  trial("update_workflow", on({ name: "Flow of other", active: true })),
  trial("delete_workflow", on()),
  trial("delete_workflow", on({}, true)),
  trial("activate_workflow", on()),
  trial("deactivate_workflow", on({}, true)),
  trial("execute_workflow", on({ data: { stamp: "run 1" } }, true)),
  trial("list_executions", (world) => Effect.as(execution(world), {})),
  trial("get_execution", ofExecution),
  trial("delete_execution", ofExecution),
  trial("retry_execution", ofExecution),
  trial("list_credentials", given({})),
  trial("get_credential", ofCredential()),
  trial("create_credential", given(login)),
  trial("update_credential", ofCredential({ name: "Other" })),
  trial("delete_credential", ofCredential()),
  trial("get_credential_schema", given({ type: "httpBasicAuth" })),
  trial("create_tag", given({ name: "colour" })),
  trial("get_tags", given({})),
  trial("get_tag", ofTag()),
  trial("update_tag", ofTag({ name: "shape" })),
  trial("delete_tag", ofTag()),
  trial("search_workflows", given({ text: "by Flow", instance: "production" })),
  trial("compare_workflows", (world) =>
    Effect.zipWith(workflow(world), workflow(world), (a, b): Json => ({ a, b, instance: "production" }))
  ),
  trial("instance_health", given({ instance: "production" })),
  trial("ai_usage", given({ instance: "production" })),
  trial("check_upgrade", given({ instance: "production" })),
  trial("backup", given({ instances: ["production"] })),
  trial("edit_workflow", on(edit)),
  trial("edit_workflow", on({ ...edit, copy_as: "Flow of copy" })),
  trial("edit_workflow", on({ operations: [{ op: "tag", value: "colour", create: true }] })),
  trial("view_workflow", on()),
  trial("run_workflow", on({ confirm: true, items: [{ stamp: "run 1" }] })),
  trial("record_test", (world) =>
    Effect.map(execution(world), ({ workflow }): Json => ({ workflow, file: "one.json", overwrite: true }))
  ),
  trial("run_tests", recorded),
  trial("explain_execution", ofExecution),
  trial("find_call", given({ text: "all tags" })),
  trial("call_engine", given({ call: "GET /tags" })),
  trial("plan_engine_call", given({ call: "POST /variables", body: { key: "a", value: "b" }, instance: "production" })),
  trial("read_data_table", given({ action: "list" })),
  trial("change_data_table", given({ ...tableCreation, instance: "production" })),
  trial("find_nodes", given({ query: "webhook" })),
  trial("describe_node", given({ type: "n8n-nodes-base.webhook" })),
  trial("check_workflow", on()),
  trial("stop_execution", ofExecution),
  trial("archive_workflow", on({ archived: true })),
  trial("test_credential", ofCredential()),
  trial("workflow_history", on()),
  trial("restore_workflow", (world) => Effect.map(version(world), (args): Json => args)),
  trial("plan_promotion", given({ from: "staging", to: "production", name: "Flow*" })),
  trial("plan_bulk", given({ ...deletion, where: { name: "Flow*" }, instance: "production" })),
  trial("plan_restore", (world) =>
    Effect.map(version(world), ({ version }): Json => ({ version, instance: "production" }))
  ),
  trial("plan_upgrade", (world) => Effect.as(outdated(world), upgrade)),
  trial("apply_plan", (world) =>
    Effect.gen(function* () {
      yield* outdated(world)
      const plan = yield* made(world, operator, "plan_upgrade", upgrade, "production")
      return { plan_id: plan?.plan_id ?? "", confirm: true }
    })
  ),
  trial("try_fix", (world) =>
    Effect.map(failure(world), ({ execution }): Json => ({ execution, operations: fix, instance: "production" }))
  ),
  trial("plan_rotation", (world) =>
    Effect.gen(function* () {
      const credential = yield* posted(world, "/credentials", login)
      const { nodes, ...rest } = workflowNamed(`Flow of ${world.fresh()}`, false)
      const credentials = { httpBasicAuth: { id: credential, name: login.name } }
      yield* posted(world, "/workflows", { ...rest, nodes: nodes.map((node) => ({ ...node, credentials })) })
      return { credential, instances: "production", data: login.data }
    })
  ),
  trial("plan_retry", (world) =>
    Effect.map(failure(world), ({ workflow }): Json => ({ workflow, instances: "production" }))
  ),
  trial("apply_plan", (world) =>
    Effect.gen(function* () {
      const { workflow } = yield* failure(world)
      const plan = yield* made(world, operator, "plan_retry", { workflow, instances: "production" }, "production")
      return { plan_id: plan?.plan_id ?? "", confirm: true }
    })
  ),
  trial("show_plan", planOf("plan_bulk", deletion)),
  trial("plan_rollback", applied("plan_bulk", deletion)),
  trial("audit_log", given({})),
  trial("apply_plan", applying("plan_bulk", deletion)),
  trial("apply_plan", applying("change_data_table", tableCreation)),
  trial("apply_plan", applying("plan_engine_call", { call: "POST /variables", body: { key: "a", value: "b" } })),
  trial("apply_plan", applying("plan_bulk", { action: ["tag", "deactivate"], value: "colour" })),
  trial("apply_plan", applying("plan_bulk", { action: "replace_text", match: "part", find: "by ", value: "of " })),
  trial("apply_plan", applying("plan_promotion", { from: "staging", to: "production", name: "Flow*" }))
]

const adsPlan = (tool: string, args: Json) => (world: Advertising) =>
  Effect.map(made(world, operator, tool, args, ""), (plan): Json => ({ plan_id: plan?.plan_id ?? "", confirm: true }))

const advert_id = 7000
const pair = { advert_id, nm_id: 100_001 }
const bids = { changes: [{ ...pair, placement: "search", change_percent: 10 }] }
const phrases = { advert_id, nm_ids: [100_001], phrases: ["new"], mode: "merge" }
const rules = { rules: [{ when: ["clicks >= 0"], at_least: { clicks: 1 }, do: "bid", percent: -10 }] }
const pause = { pause: { ids: [advert_id] } }
const rename = { campaigns: { ids: [advert_id] }, name: "Other goods" }
const clusterBids = { changes: [{ ...pair, norm_query: "shoes", bid_rubles: 300 }] }
const topUp = { top_up: [{ advert_id, rubles: 1000 }] }
const dailyLimit = { daily_limits: [{ advert_id: 7004, rubles: 600 }] }
const campaign = { name: "New", nms: [100_001], placements: ["search"] }

/** A call of every tool for the marketplace, and plans of each kind that are applied. */
export const adsTrials: ReadonlyArray<Trial<Advertising>> = [
  { tool: "ads_check_key", args: given({}) },
  { tool: "ads_list_campaigns", args: given({}) },
  { tool: "ads_get_campaign", args: given({ advert_id }) },
  { tool: "ads_report", args: given({}) },
  { tool: "ads_overview", args: given({}) },
  { tool: "ads_get_minus_phrases", args: given({ items: [pair] }) },
  { tool: "ads_min_bids", args: given({ advert_id, nm_ids: [100_001] }) },
  { tool: "ads_plan_bids", args: given(bids) },
  { tool: "ads_plan_minus_phrases", args: given(phrases) },
  { tool: "ads_plan_products", args: given({ advert_id, add_nms: [200_001] }) },
  { tool: "ads_plan_cluster_bids", args: given(clusterBids) },
  { tool: "ads_plan_migration", args: given({ target: "new-manual-campaign" }) },
  { tool: "ads_plan_campaign", args: given(campaign) },
  { tool: "ads_plan_rules", args: given(rules) },
  { tool: "ads_plan_state", args: given(pause) },
  { tool: "ads_plan_state", args: given(rename) },
  { tool: "ads_plan_money", args: given({ ...topUp, ...dailyLimit }) },
  { tool: "ads_start_campaign", args: given({ advert_id: 7002, confirm: true }) },
  { tool: "ads_pause_campaign", args: given({ advert_id, confirm: true }) },
  { tool: "apply_plan", args: adsPlan("ads_plan_bids", bids) },
  { tool: "apply_plan", args: adsPlan("ads_plan_minus_phrases", phrases) },
  { tool: "apply_plan", args: adsPlan("ads_plan_products", { advert_id, add_nms: [200_001] }) },
  { tool: "apply_plan", args: adsPlan("ads_plan_cluster_bids", clusterBids) },
  { tool: "apply_plan", args: adsPlan("ads_plan_campaign", campaign) },
  { tool: "apply_plan", args: adsPlan("ads_plan_state", pause) },
  { tool: "apply_plan", args: adsPlan("ads_plan_state", rename) },
  { tool: "apply_plan", args: adsPlan("ads_plan_state", { end: [advert_id] }) },
  { tool: "apply_plan", args: adsPlan("ads_plan_money", topUp) },
  { tool: "apply_plan", args: adsPlan("ads_plan_money", dailyLimit) },
  { tool: "apply_plan", args: adsPlan("ads_plan_migration", { target: "new-manual-campaign" }) }
]
