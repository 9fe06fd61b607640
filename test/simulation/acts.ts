import { Effect } from "effect"

import type { Json } from "../support/harness.ts"
import type { Instance, State } from "./Instance.ts"
import type { Stage } from "./Stage.ts"

const node = (kind: string, name: string, x: number, parameters: Json = {}) => ({
  id: `${name}-1`,
  name,
  type: `n8n-nodes-base.${kind}`,
  typeVersion: kind === "webhook" ? 2 : 1,
  position: [x, 0],
  parameters,
  ...(kind === "webhook" ? { webhookId: String(parameters["path"]) } : {})
})

/** A webhook and two nodes, whose notes are what the servers and people change. */
export const workflowNamed = (name: string) => ({
  name,
  nodes: [
    node("webhook", "Hook", 0, { path: name.toLowerCase().replaceAll(" ", "-"), options: {} }),
    node("noOp", "A", 220),
    node("noOp", "B", 440)
  ],
  connections: {
    Hook: { main: [[{ node: "A", type: "main", index: 0 }]] },
    A: { main: [[{ node: "B", type: "main", index: 0 }]] }
  },
  settings: {}
})

/** Something that a caller or a person does with one workflow of an instance. */
type Act = (world: Stage, instance: Instance, workflow: State) => Effect.Effect<unknown>

const calling =
  (tool: string, args: (world: Stage, workflow: State) => Json): Act =>
  (world, instance, workflow) =>
    world.call(tool, args(world, workflow), instance.name)

const setNotes = (node: string): Act =>
  calling("edit_workflow", (world, { id }) => ({
    id,
    operations: [{ op: "set", node, path: "notes", value: `note ${world.fresh()}` }]
  }))

/** What people do in the editor: they read, and save the whole. */
const edited: Act = (world, instance, workflow) =>
  Effect.gen(function* () {
    const now = yield* instance.state(workflow.id)
    if (now === undefined) return
    const { connections, name, nodes } = now
    const notes = `by hand ${world.fresh()}`
    const changed = nodes.map((node) => (node["name"] === "Hook" ? { ...node, notes } : node))
    world.schedule.note(`a person edits ${now.id} of ${instance.name}`)
    yield* instance.send("person", "PUT", `/workflows/${now.id}`, { name, nodes: changed, connections, settings: {} })
  })

/** A change of what was read a while before. */
const renamed: Act = (world, instance, { id }) =>
  Effect.gen(function* () {
    const read = yield* world.call("get_workflow", { id }, instance.name)
    if (read._tag !== "Answered") return
    yield* Effect.sleep(world.schedule.random.below(2000))
    const ifVersion = read.answer["version"]
    yield* world.call("update_workflow", { id, name: `Flow ${world.fresh()}`, ifVersion }, instance.name)
  })

const bulk =
  (args: (world: Stage, workflow: State) => Json): Act =>
  (world, instance, workflow) =>
    Effect.gen(function* () {
      const asked = args(world, workflow)
      const plan = yield* world.call("plan_bulk", asked, instance.name)
      if (plan._tag !== "Answered") return
      const { plan_id } = plan.answer
      const apply = yield* world.call("apply_plan", { plan_id, confirm: true }, instance.name)
      if (world.schedule.random.below(2) === 0 && apply._tag !== "Answered") {
        yield* world.call("apply_plan", { plan_id, confirm: true }, instance.name)
      }
      if (world.schedule.random.below(2) === 0) return
      const back = yield* world.call("plan_rollback", { plan_id }, instance.name)
      if (back._tag !== "Answered") return
      yield* world.call("apply_plan", { plan_id: back.answer["plan_id"], confirm: true }, instance.name)
    })

const acts: ReadonlyArray<readonly [number, Act]> = [
  [6, setNotes("A")],
  [6, setNotes("B")],
  [3, calling("update_workflow", (world, { id }) => ({ id, name: `Flow ${world.fresh()}` }))],
  [3, renamed],
  [3, calling("activate_workflow", (_, { id }) => ({ id }))],
  [3, calling("deactivate_workflow", (_, { id }) => ({ id }))],
  [2, calling("get_workflow", (_, { id }) => ({ id }))],
  [3, calling("create_workflow", (world) => workflowToCreate(`Flow ${world.fresh()}`))],
  [2, calling("delete_workflow", (_, { id }) => ({ id }))],
  [3, edited],
  [3, calling("run_workflow", (_, { id }) => ({ id, confirm: true }))],
  [2, bulk((world) => ({ action: "tag", value: `tag ${world.fresh()}`, where: { name: "Flow*" } }))],
  [2, bulk(() => ({ action: "deactivate", where: { name: "Flow*" } }))],
  [2, bulk(() => ({ action: "activate", where: { name: "Flow*" } }))],
  [1, bulk((_, { id }) => ({ action: "delete", where: { ids: [id] } }))]
]

const workflowToCreate = (name: string) => {
  const { connections: _, ...workflow } = workflowNamed(name)
  return {
    ...workflow,
    connections: [
      { source: "Hook", target: "A" },
      { source: "A", target: "B" }
    ]
  }
}

/** Does something with a workflow of one of the instances. */
export const act = (world: Stage): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    const { random } = world.schedule
    const instance = world.instances[random.below(world.instances.length)]
    if (instance === undefined) return
    const all = (yield* instance.all).filter(({ name }) => name.startsWith("Flow"))
    // They meet on one of them.
    const workflow = all[random.below(2) * random.below(all.length)]
    if (workflow !== undefined) yield* random.pick(acts)(world, instance, workflow)
  })
