import { Effect } from "effect"

import { readTemporaryName } from "../../src/engine/workflow/naming.ts"
import type { Json } from "../support/harness.ts"
import type { Caller } from "./Caller.ts"
import type { Instance, State } from "./Instance.ts"
import { bulk, promoted, restored } from "./plans.ts"
import type { Played } from "./Stage.ts"

export const node = (type: string, name: string, typeVersion: number, x: number, parameters: Json = {}) => ({
  id: `${name}-1`,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [x, 0],
  parameters,
  ...(type === "webhook" ? { webhookId: String(parameters["path"]) } : {})
})

const assignments = (value: string) => ({
  assignments: { assignments: [{ id: "1", name: "made", value, type: "string" }] },
  includeOtherFields: true,
  options: {}
})

const actingOutside = "n8n-nodes-base.httpRequest"

/** A webhook, a node that makes something of what comes, and one that passes it on, or acts outside. */
export const workflowNamed = (name: string, actsOutside: boolean) => ({
  name,
  nodes: [
    {
      ...node("webhook", "Hook", 2, 0, {
        path: name.toLowerCase().replaceAll(" ", "-"),
        httpMethod: "POST",
        responseMode: "lastNode",
        options: {}
      }),
      notes: "where it begins"
    },
    node("set", "A", 3.4, 220, assignments(`by ${name}`)),
    actsOutside ? node("httpRequest", "B", 4.2, 440, { url: "https://shop.test" }) : node("noOp", "B", 1, 440)
  ],
  connections: {
    Hook: { main: [[{ node: "A", type: "main", index: 0 }]] },
    A: { main: [[{ node: "B", type: "main", index: 0 }]] }
  },
  settings: { executionOrder: "v1", timezone: "Europe/Berlin" },
  staticData: { count: 1 }
})

export const asCreated = (name: string): Json => {
  const { connections: _, ...workflow } = workflowNamed(name, false)
  const links = [
    { source: "Hook", target: "A" },
    { source: "A", target: "B" }
  ]
  return { ...workflow, connections: links }
}

/** Who does something, and where. */
export interface Doing {
  readonly world: Played
  readonly caller: Caller
  readonly instance: Instance
  readonly workflow: State
}

/** Something that a caller or a person does with one workflow of an instance. */
type Act = (doing: Doing) => Effect.Effect<unknown>

const calling =
  (tool: string, args: (doing: Doing) => Json): Act =>
  (doing) =>
    doing.world.call(doing.caller, tool, args(doing), doing.instance.name)

/** Where somebody can be asked, that decides; else the caller says that somebody was. */
const confirmed = ({ caller, world }: Doing): Json =>
  caller.kind === "bare" && world.schedule.random.below(2) === 0 ? { confirm_protected: true } : {}

const change = (tool: string, args: (doing: Doing) => Json): Act =>
  calling(tool, (doing) => ({ ...args(doing), ...confirmed(doing) }))

const edit = (operation: (fresh: number) => Json): Act =>
  change("edit_workflow", ({ workflow: { id }, world }) => ({ id, operations: [operation(world.fresh())] }))

const noted = (node: string): Act => edit((fresh) => ({ op: "set", node, path: "notes", value: `note ${fresh}` }))

/** Edits of one workflow at the same moment by several callers, each at one of the servers. */
const editedAtOnce: Act = (doing) =>
  Effect.forEach(
    ["A", "B", "A", "B"],
    (node) => noted(node)({ ...doing, caller: { name: `passer-by ${doing.world.fresh()}`, kind: "bare" } }),
    { concurrency: "unbounded", discard: true }
  )

/** The deeds of people in the editor: they read, and save the whole. */
const saved =
  (changed: (state: State, fresh: number) => Json): Act =>
  ({ instance, workflow, world }) =>
    Effect.gen(function* () {
      const now = yield* instance.state(workflow.id)
      if (now === undefined) return
      const { connections, name, nodes, settings, staticData } = now
      yield* Effect.sleep(world.schedule.random.below(2) * world.schedule.random.below(500))
      world.schedule.note(`a person saves ${now.id} of ${instance.name}`)
      const body = { name, nodes, connections, settings, staticData, ...changed(now, world.fresh()) }
      yield* instance.send("person", "PUT", `/workflows/${now.id}`, body)
    })

const person =
  (method: "DELETE" | "POST", path: (doing: Doing) => string, body?: (doing: Doing) => Json): Act =>
  (doing) => {
    doing.world.schedule.note(`a person sends ${method} ${path(doing)} to ${doing.instance.name}`)
    return doing.instance.send("person", method, path(doing), body?.(doing))
  }

const hookOf = ({ workflow: { nodes } }: Doing): string =>
  `/webhook/${String(Object(nodes.find(({ name }) => name === "Hook")?.["parameters"]).path)}`

/** A stranger who has found a temporary copy calls it. */
const intruding: Act = ({ instance, world }) =>
  Effect.gen(function* () {
    const copy = (yield* instance.all).find(({ name }) => readTemporaryName(name) !== undefined)
    const hook = copy?.nodes.find(({ type }) => String(type).endsWith("webhook"))
    if (hook === undefined) return
    world.schedule.note(`a stranger calls the temporary copy ${copy?.id}`)
    const body = { secret: "guessed", items: [{ stamp: "of a stranger" }], mocks: [] }
    yield* instance.send("person", "POST", `/webhook/${String(Object(hook["parameters"]).path)}`, body)
  })

/** A change of what was read a while before. */
const overRead = (tool: string, args: (doing: Doing) => Json): Act =>
  Effect.fnUntraced(function* (doing) {
    const {
      caller,
      instance,
      workflow: { id },
      world
    } = doing
    const read = yield* world.call(caller, "get_workflow", { id }, instance.name)
    if (read._tag !== "Answered") return
    yield* Effect.sleep(world.schedule.random.below(2000))
    const ifVersion = read.answer["version"]
    yield* world.call(caller, tool, { id, ...args(doing), ...confirmed(doing), ifVersion }, instance.name)
  })

/** Brings a workflow back to one of its former versions. */
const back: Act = Effect.fnUntraced(function* (doing) {
  const { caller, instance, world } = doing
  const ids = [
    doing.workflow.id,
    ...instance.writes.flatMap(({ after, id }) => (after === undefined ? (id ?? []) : []))
  ]
  const id = ids[world.schedule.random.below(ids.length)]
  const history = yield* world.call(caller, "workflow_history", { id }, instance.name)
  if (history._tag !== "Answered") return
  const { data } = history.answer
  const versions = Array.isArray(data) ? data : []
  const chosen = Object(versions[world.schedule.random.below(versions.length + 1)])
  const version = chosen.version === undefined ? {} : { version: chosen.version }
  yield* world.call(caller, "restore_workflow", { id, ...version, ...confirmed(doing) }, instance.name)
})

const ran: Act = calling("run_workflow", ({ workflow: { id }, world }) => ({
  id,
  confirm: true,
  items: [{ stamp: `run ${world.fresh()}` }]
}))

/** Runs what acts outside, which a person has to agree to, and sends that person's answer once more. */
export const ranAgain = Effect.fnUntraced(function* (world: Played, instance: Instance) {
  const caller: Caller = { name: "visitor", kind: "rounds" }
  const workflow = (yield* instance.all).find(({ nodes }) => nodes.some(({ type }) => type === actingOutside))
  if (workflow === undefined) return
  yield* ran({ world, caller, instance, workflow })
  yield* world.replay(caller)
})

/** Records a test of the last run, and runs it at some time. */
const tested: Act = Effect.fnUntraced(function* ({ caller, instance, workflow: { id }, world }) {
  const file = `${instance.name}-${id}.json`
  yield* world.call(caller, "record_test", { workflow: id, file, overwrite: true }, instance.name)
  yield* Effect.sleep(world.schedule.random.below(3000))
  yield* world.call(caller, "run_tests", { files: [file] }, instance.name)
})

/** A tag, or a credential, from its creation to its deletion. */
const lifeOf = (kind: "credential" | "tag"): Act =>
  Effect.fnUntraced(function* ({ caller, instance, world }) {
    const name = `${kind} ${world.fresh()}`
    const data = kind === "tag" ? {} : { type: "httpBasicAuth", data: { user: "ann", password: "hidden-4711" } }
    const made = yield* world.call(caller, `create_${kind}`, { name, ...data }, instance.name)
    if (made._tag !== "Answered") return
    const { id } = made.answer
    yield* world.call(caller, `update_${kind}`, { id, name: `${name} again` }, instance.name)
    yield* world.call(caller, kind === "tag" ? "get_tags" : "list_credentials", {}, instance.name)
    yield* world.call(caller, `delete_${kind}`, { id }, instance.name)
  })

/** An execution, from the call of its workflow to its deletion. */
const lifeOfRun: Act = Effect.fnUntraced(function* ({ caller, instance, workflow: { id }, world }) {
  const data = { stamp: `run ${world.fresh()}` }
  const made = yield* world.call(caller, "execute_workflow", { id, data }, instance.name)
  if (made._tag !== "Answered") return
  const { executionId } = made.answer
  if (executionId === undefined || executionId === null) return
  yield* world.call(caller, "get_execution", { id: executionId }, instance.name)
  yield* world.call(caller, "list_executions", { workflowId: id }, instance.name)
  yield* world.call(caller, "delete_execution", { id: executionId }, instance.name)
})

const reading = (tool: string, args: (doing: Doing) => Json = () => ({})): Act => calling(tool, args)
const ofId = ({ workflow: { id } }: Doing): Json => ({ id })

const acts: ReadonlyArray<readonly [number, Act]> = [
  [5, noted("A")],
  [5, noted("B")],
  [3, editedAtOnce],
  [2, edit((fresh) => ({ op: "set", node: "A", parameters: assignments(`made ${fresh}`) }))],
  [2, edit((fresh) => ({ op: "tag", value: `tag ${fresh % 3}`, create: true }))],
  [1, change("edit_workflow", ({ workflow: { id }, world }) => ({ id, copy_as: `Flow ${world.fresh()}` }))],
  [3, change("update_workflow", ({ workflow: { id }, world }) => ({ id, name: `Flow ${world.fresh()}` }))],
  [
    2,
    change("update_workflow", ({ workflow: { id }, world }) => ({ id, settings: { executionTimeout: world.fresh() } }))
  ],
  [
    2,
    change("update_workflow", ({ workflow: { active, id }, world }) => ({
      id,
      name: `Flow ${world.fresh()}`,
      active: !active
    }))
  ],
  [3, overRead("update_workflow", ({ world }) => ({ name: `Flow ${world.fresh()}` }))],
  [1, overRead("delete_workflow", () => ({}))],
  [3, change("activate_workflow", ofId)],
  [3, change("deactivate_workflow", ofId)],
  [1, change("archive_workflow", ({ workflow: { id, isArchived } }) => ({ id, archived: isArchived !== true }))],
  [2, change("create_workflow", ({ world }) => asCreated(`Flow ${world.fresh()}`))],
  [1, change("create_workflow", ({ world }) => ({ ...asCreated(`Flow ${world.fresh()}`), active: true }))],
  [2, change("delete_workflow", ofId)],
  [2, reading("get_workflow", ofId)],
  [2, reading("list_workflows")],
  [1, reading("search_workflows", () => ({ text: "by Flow" }))],
  [1, reading("view_workflow", ofId)],
  [1, reading("backup", () => ({ instances: ["*"] }))],
  [1, reading("instance_health")],
  [1, reading("check_upgrade")],
  [1, reading("audit_log")],
  [
    3,
    saved(({ nodes }, fresh) => ({
      nodes: nodes.map((one) => (one["name"] === "Hook" ? { ...one, notes: `by hand ${fresh}` } : one))
    }))
  ],
  [1, saved((_, fresh) => ({ name: `Flow ${fresh}` }))],
  [1, person("DELETE", ({ workflow: { id } }) => `/workflows/${id}`)],
  [1, person("POST", ({ workflow: { active, id } }) => `/workflows/${id}/${active ? "deactivate" : "activate"}`)],
  [
    1,
    person(
      "POST",
      () => "/workflows",
      ({ world }) => workflowNamed(`Flow ${world.fresh()}`, world.schedule.random.below(3) === 0)
    )
  ],
  [2, person("POST", hookOf, ({ world }) => ({ stamp: `person ${world.fresh()}` }))],
  [2, intruding],
  [4, ran],
  [2, tested],
  [2, lifeOfRun],
  [1, lifeOf("tag")],
  [1, lifeOf("credential")],
  [3, back],
  [2, ({ caller, world }) => world.replay(caller)],
  [2, bulk(({ world }) => ({ action: "tag", value: `tag ${world.fresh()}`, where: { name: "Flow*" } }))],
  [2, bulk(() => ({ action: "deactivate", where: { name: "Flow*" } }))],
  [2, bulk(() => ({ action: "activate", where: { name: "Flow*" } }))],
  [
    2,
    bulk(({ world }) => ({
      action: "replace_text",
      match: "part",
      find: "by ",
      value: `by ${world.fresh()} `,
      where: { name: "Flow*" }
    }))
  ],
  [1, bulk(({ workflow: { id } }) => ({ action: "delete", where: { ids: [id] } }))],
  [1, bulk(() => ({ action: "delete_executions", where: { name: "Flow*" } }))],
  [2, promoted],
  [2, restored]
]

/** Does something with a workflow of one of the instances. */
export const act = (world: Played, caller: Caller): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    const { random } = world.schedule
    const instance = world.instances[random.below(world.instances.length)]
    if (instance === undefined) return
    const all = (yield* instance.all).filter(({ name }) => name.startsWith("Flow"))
    // They meet on one of them.
    const workflow = all[random.below(2) * random.below(all.length)]
    if (workflow !== undefined) yield* random.pick(acts)({ world, caller, instance, workflow })
  })
