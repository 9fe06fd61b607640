import { assert } from "@effect/vitest"
import { Effect } from "effect"

import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { everyTool, idIn, type Ids } from "./everyTool.ts"
import { ask, callTool, type Json } from "./harness.ts"

/** The scopes of changing calls, by method and the path without ids, as the real engine has them. */
export const scopes: Readonly<Record<string, string>> = {
  "POST /workflows": "workflow:create",
  "PUT /workflows": "workflow:update",
  "DELETE /workflows": "workflow:delete",
  "POST /workflows/activate": "workflow:activate",
  "POST /workflows/deactivate": "workflow:deactivate",
  "POST /workflows/archive": "workflow:delete",
  "POST /workflows/unarchive": "workflow:delete",
  "PUT /workflows/tags": "workflowTags:update",
  "DELETE /executions": "execution:delete",
  "POST /executions/retry": "execution:retry",
  "POST /credentials": "credential:create",
  "PATCH /credentials": "credential:update",
  "DELETE /credentials": "credential:delete",
  "POST /tags": "tag:create",
  "PUT /tags": "tag:update",
  "DELETE /tags": "tag:delete"
}

/** A call without the ids in its path. */
export const callOf = (method: string, path: string) =>
  `${method} ${path.replace(/^\/api\/v1/, "").replace(/^(\/\w+)\/[^/{]+|\/\{\w+\}/, "$1")}`

const schedule = { name: "Daily", type: "engine-nodes-base.scheduleTrigger", typeVersion: 1.2, position: [0, 0] }
const set = { name: "Set", type: "engine-nodes-base.set", typeVersion: 3.4, position: [200, 0], parameters: {} }
export const chain = {
  nodes: [{ ...schedule, parameters: { rule: { interval: [{ field: "days" }] } } }, set],
  connections: [{ source: "Daily", target: "Set" }]
}
const login = { type: "httpBasicAuth", data: { user: "ann", password: "b" } }
const id = ({ create_workflow: made }: Ids) => made

/** Calls beside those of every tool of the contract: of operators, of plans, and of several changes at once. */
const further: ReadonlyArray<readonly [tool: string, args: (ids: Ids) => Json]> = [
  ["create_tag", () => ({ name: "rights" })],
  ["create_workflow", ({ create_tag: tag }) => ({ name: "Rights", ...chain, tags: [tag], active: true })],
  ["update_workflow", (ids) => ({ id: id(ids), name: "Rights again", active: false })],
  [
    "edit_workflow",
    (ids) => ({
      id: id(ids),
      operations: [
        { op: "rename", node: "Set", name: "Put" },
        { op: "untag", value: "rights" }
      ]
    })
  ],
  [
    "edit_workflow",
    (ids) => ({ id: id(ids), copy_as: "Rights, copied", operations: [{ op: "tag", value: "rights" }] })
  ],
  ["run_workflow", (ids) => ({ id: id(ids) })],
  ["restore_workflow", (ids) => ({ id: id(ids) })],
  ["archive_workflow", (ids) => ({ id: id(ids) })],
  ["archive_workflow", (ids) => ({ id: id(ids), archived: false })],
  ["apply_plan", (ids) => ({ action: ["tag", "activate"], where: { ids: [id(ids)] }, value: "rights" })],
  ["apply_plan", (ids) => ({ action: ["delete"], where: { ids: [id(ids)] } })],
  ["create_credential", () => ({ name: "Rights", ...login })],
  ["plan_rotation", ({ create_credential: credential }) => ({ credential, data: login.data })]
]

/** The same arguments, with the message without which engines of generation 2 publish no node that stops. */
const publishable = (args: Json): Json =>
  Array.isArray(args["nodes"])
    ? {
        ...args,
        nodes: args["nodes"].map((node: Json) =>
          node["name"] === "Stop" ? { ...node, parameters: { errorMessage: "Stopped on purpose" } } : node
        )
      }
    : args

/** The scopes that a tool says it lacks. */
const lackedIn = (text: string) => /lacks the scopes? ([\w:, ]+?)(?:, which|\.)/.exec(text)?.[1]?.split(", ") ?? []

/** The answer of a call with a key that lacks scopes, and the scopes of the changes that were sent for it. */
type WithKeyLacking = <A, E>(
  missing: ReadonlyArray<string>,
  call: Effect.Effect<A, E, Sessions>
) => Effect.Effect<{ readonly outcome: A; readonly changes: ReadonlyArray<string> }, E>

/**
 * Calls every tool with a key that lacks all scopes of changes, then each one that it named, then none: each refusal comes before
 * a change is sent, and names the scope.
 */
export const assertScopesAreNamed = Effect.fnUntraced(function* (withKeyLacking: WithKeyLacking, name: string) {
  const all = [...new Set(Object.values(scopes))]
  const ids: Record<string, unknown> = {}
  const refusals = new Map<string, ReadonlyArray<string>>()
  for (const [tool, args] of [...everyTool(name), ...further]) {
    const given = publishable(args(ids))
    const call =
      tool === "apply_plan"
        ? Effect.flatMap(ask("plan_bulk", given), ({ plan_id }) => callTool(tool, { plan_id, confirm: true }))
        : callTool(tool, given)
    const text = (lacking: ReadonlyArray<string>) =>
      Effect.map(withKeyLacking(lacking, call), ({ changes, outcome }) => {
        const words = JSON.stringify(outcome)
        if (lackedIn(words).length > 0) assert.deepStrictEqual(changes, [], `${tool}: ${words}`)
        return words
      })
    const lacked = lackedIn(yield* text(all))
    refusals.set(tool, [...(refusals.get(tool) ?? []), ...lacked])
    for (const scope of lacked) assert.deepStrictEqual(lackedIn(yield* text([scope])), [scope], tool)
    if (lacked.length === 0 && /^(?:get|list)_/.test(tool)) {
      const { outcome } = yield* withKeyLacking(all, call)
      assert.isUndefined(outcome.error, tool)
    }
    const { changes, outcome } = yield* withKeyLacking([], call)
    assert.isUndefined(outcome.error, `${tool}: ${outcome.error?.message}`)
    // Where the engine refuses a deletion because it still unpublishes, the workflow is deactivated first.
    const meantime = lacked.includes("workflow:delete") ? ["workflow:deactivate"] : []
    assert.includeMembers([...lacked, ...meantime], [...new Set(changes)], tool)
    const [first] = Object(outcome.result).content
    ids[tool] = idIn(JSON.parse(first.text)) ?? ids[tool]
  }
  assert.sameMembers(
    [...(refusals.get("create_workflow") ?? [])],
    ["workflow:create", "workflowTags:update", "workflow:create", "workflowTags:update", "workflow:activate"]
  )
  assert.sameMembers([...new Set([...refusals.values()].flat())], all)
})
