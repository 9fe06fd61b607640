import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

import { Elicitation, type Reply } from "../../../src/mcp/Elicitation.ts"
import { find } from "../../../src/mcp/protocol/ProtocolVersion.ts"
import type { Sessions } from "../../../src/mcp/protocol/Session.ts"
import { ask, askAsPerson, type Json, refused, request } from "../../support/harness.ts"
import { inTime } from "../../support/inTime.ts"
import { folder, historyIn } from "../history/support.ts"
import { json } from "../tools/standIn.ts"
import { Beside, hook, twoEmbedded } from "./support.ts"

const over = (more: object = {}) =>
  twoEmbedded(["2.41.1", "1.82.3"], {
    plans: { guards: { protected: { tags: ["money"], names: ["Billing*"], ...more } } }
  })

/** A client whose person answers so; what they were asked. */
const person = (reply: Reply) => {
  const questions: Array<string> = []
  const layer = Layer.succeed(Elicitation, {
    ask: ({ message }) => Effect.sync(() => questions.push(message)).pipe(Effect.as(reply))
  })
  return { questions, answering: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.provide(self, layer) }
}

const agreed: Reply = { _tag: "Accepted", content: { agree: true } }

const given = Effect.fnUntraced(function* (name: string, tag?: string) {
  const { send } = yield* Beside
  const { id } = yield* send("staging", "POST", "/workflows", {
    name,
    nodes: [hook(name)],
    connections: {},
    settings: {}
  })
  if (tag === undefined) return { id: String(id), tag: "" }
  const made = yield* send("staging", "POST", "/tags", { name: tag })
  yield* send("staging", "PUT", `/workflows/${String(id)}/tags`, [{ id: made["id"] }])
  return { id: String(id), tag: String(made["id"]) }
})

const workflowAt = (id: string) => Effect.flatMap(Beside, ({ send }) => send("staging", "GET", `/workflows/${id}`))

/** Every single change of a workflow that there is. */
const changes = (id: string): ReadonlyArray<readonly [string, Json]> => [
  ["update_workflow", { id, name: "Other" }],
  ["update_workflow", { id, active: true }],
  ["activate_workflow", { id }],
  ["deactivate_workflow", { id }],
  ["delete_workflow", { id }],
  ["edit_workflow", { id, operations: [{ op: "disable", node: "Hook" }] }],
  ["edit_workflow", { id, operations: [{ op: "tag", value: "new", create: true }] }]
]

/** A call of every tool that what is protected can refuse, and what has to be there for it. */
const refusable: Readonly<Record<string, () => Effect.Effect<Json, never, Beside | Sessions>>> = {
  create_workflow: () => Effect.succeed({ name: "Billing new", nodes: [hook("new")] }),
  update_workflow: () => Effect.map(given("Billing update"), ({ id }) => ({ id, name: "Other" })),
  delete_workflow: () => Effect.map(given("Billing delete"), ({ id }) => ({ id })),
  activate_workflow: () => Effect.map(given("Billing start"), ({ id }) => ({ id })),
  deactivate_workflow: () => Effect.map(given("Billing stop"), ({ id }) => ({ id })),
  update_tag: () => Effect.map(given("Payroll", "money"), ({ tag }) => ({ id: tag, name: "free" })),
  delete_tag: () => Effect.map(given("Payroll", "money"), ({ tag }) => ({ id: tag })),
  edit_workflow: () =>
    Effect.map(given("Billing edit"), ({ id }) => ({ id, operations: [{ op: "disable", node: "Hook" }] })),
  archive_workflow: () => Effect.map(given("Billing archive"), ({ id }) => ({ id })),
  restore_workflow: () =>
    Effect.gen(function* () {
      const { id } = yield* given("Billing restore")
      const { send } = yield* Beside
      yield* Effect.orDie(Effect.asVoid(ask("backup", {})))
      const { nodes } = yield* workflowAt(id)
      yield* send("staging", "PUT", `/workflows/${id}`, { name: "Billing gone", nodes, connections: {}, settings: {} })
      return { id }
    })
}

/** Tools that change something else, or only what they have made themselves. */
const others = [
  "execute_workflow",
  "delete_execution",
  "retry_execution",
  "create_credential",
  "update_credential",
  "delete_credential",
  "create_tag",
  "stop_execution",
  "run_workflow",
  "record_test",
  "plan_rotation",
  "run_tests",
  "try_fix",
  "plan_upgrade",
  "apply_plan"
]

const Listed = Schema.Struct({
  tools: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      annotations: Schema.Struct({ readOnlyHint: Schema.Boolean }),
      inputSchema: Schema.Struct({ properties: Schema.Record(Schema.String, Schema.Unknown) })
    })
  )
})

describe("a protected workflow that is said to be missing", () => {
  it.live("is not changed without its person all the same", () =>
    Effect.gen(function* () {
      const { meddle } = yield* Beside
      const { id } = yield* given("Billing run")
      const before = yield* workflowAt(id)
      const { tag } = yield* given("Payroll", "money")
      // Something in front of the engine says so, in the engine's words, each time that the workflow or the tag is read.
      yield* meddle((request, proceed) =>
        request.method === "GET" && /\/(workflows|tags)\/[^/?]+$/.test(request.url)
          ? json({ message: "Not Found" }, 404)(request)
          : proceed
      )
      const { answering, questions } = person(agreed)
      for (const tool of ["delete_workflow", "activate_workflow", "deactivate_workflow", "archive_workflow"]) {
        yield* answering(refused(tool, { id }))
        yield* refused(tool, { id })
      }
      yield* refused("delete_tag", { id: tag })
      yield* refused("update_tag", { id: tag, name: "free" })
      yield* meddle(undefined)
      assert.deepStrictEqual(yield* workflowAt(id), before)
      assert.deepInclude(yield* ask("get_tag", { id: tag }), { name: "money" })
      assert.deepStrictEqual(questions, [])
    }).pipe(Effect.provide(over()))
  )
})

describe("confirm_protected", () => {
  it.live("is told by every tool that is refused, and changes what it was refused when sent as told", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { tools } = yield* Effect.orDie(
          Schema.decodeUnknownEffect(Listed)((yield* request("tools/list", {}, find("2025-11-25"))).result)
        )
        const changing = tools.flatMap(({ annotations, name }) => (annotations.readOnlyHint ? [] : [name]))
        assert.sameMembers(changing, [...Object.keys(refusable), ...others])
        for (const { annotations, inputSchema, name } of tools.filter(
          ({ name }) => !["apply_plan", "plan_rotation", "plan_upgrade"].includes(name)
        )) {
          const isSaid = "confirm_protected" in inputSchema.properties
          assert.strictEqual(isSaid, !annotations.readOnlyHint, name)
        }
        for (const [tool, prepare] of Object.entries(refusable)) {
          const args = yield* prepare()
          const { data, message } = yield* refused(tool, args)
          assert.strictEqual(data?.code, "PROTECTED", tool)
          const [, name = "", value = ""] =
            /make the same call with one more argument beside its own, (\w+): (\w+)\.$/.exec(message) ?? []
          yield* ask(tool, { ...args, [name]: JSON.parse(value) })
        }
      }).pipe(Effect.provide(over().pipe(Layer.provide(historyIn(directory)))))
    }).pipe(Effect.scoped)
  )
})

describe("a protected workflow", () => {
  it.effect("is changed by no single call, where nobody can be asked and nobody is said to have agreed", () =>
    Effect.gen(function* () {
      const [byName, byTag] = [yield* given("Billing run"), yield* given("Payroll", "money")]
      for (const { id } of [byName, byTag]) {
        const before = yield* workflowAt(id)
        for (const [tool, args] of changes(id)) {
          const { data, message } = yield* refused(tool, args)
          assert.strictEqual(data?.code, "PROTECTED", tool)
          assert.match(message, /is protected .* was not changed\. Ask a person; .* confirm_protected: true\.$/)
        }
        assert.deepStrictEqual(yield* workflowAt(id), before)
      }
    }).pipe(inTime, Effect.provide(over()))
  )

  it.effect("keeps its tag, and nothing comes to its name, without a person", () =>
    Effect.gen(function* () {
      const { tag } = yield* given("Payroll", "money")
      const other = yield* given("other")
      assert.propertyVal((yield* refused("update_tag", { id: tag, name: "free" })).data, "code", "PROTECTED")
      assert.propertyVal((yield* refused("delete_tag", { id: tag })).data, "code", "PROTECTED")
      const renamed = yield* refused("update_workflow", { id: other.id, name: "Billing new" })
      assert.propertyVal(renamed.data, "code", "PROTECTED")
      const created = yield* refused("create_workflow", { name: "Billing new", nodes: [hook("new")] })
      assert.propertyVal(created.data, "code", "PROTECTED")
      yield* ask("update_workflow", { id: other.id, name: "still free" })
      yield* ask("create_tag", { name: "free" })
    }).pipe(inTime, Effect.provide(over()))
  )

  it.effect("changes where a caller without such a dialog says that a person has agreed", () =>
    Effect.gen(function* () {
      const { id } = yield* given("Billing run")
      yield* ask("update_workflow", { id, settings: { timezone: "UTC" }, confirm_protected: true })
      yield* ask("activate_workflow", { id, confirm_protected: "true" })
      assert.propertyVal(yield* workflowAt(id), "active", true)
      yield* refused("deactivate_workflow", { id })
    }).pipe(inTime, Effect.provide(over()))
  )

  it.effect("changes after the person at the client has agreed, whatever the caller says, each time anew", () =>
    Effect.gen(function* () {
      const { id } = yield* given("Billing run")
      const no = person({ _tag: "Declined" })
      for (const [tool, args] of changes(id)) {
        const { data, message } = yield* no.answering(refused(tool, { ...args, confirm_protected: true }))
        assert.strictEqual(data?.code, "NOT_AGREED", tool)
        assert.match(message, /changes the protected workflow "Billing run", and the person who was asked declined/)
      }
      assert.lengthOf(no.questions, changes(id).length)
      assert.deepStrictEqual(no.questions[0]?.split("\n"), [
        'Update workflow changes the protected workflow "Billing run" on staging:',
        '- name "Billing run" → "Other"',
        "Do it?"
      ])
      const lines = no.questions.map((question) => question.split("\n").slice(1, -1))
      assert.deepStrictEqual(lines.slice(1), [
        ["- it is activated"],
        ["- it is activated"],
        ["- it is deactivated"],
        ["- it is deleted, with its executions, for good"],
        ["- Hook: disabled"],
        ['- it is tagged "new"']
      ])
      const yes = person(agreed)
      const answer = yield* yes.answering(ask("update_workflow", { id, name: "Billing again", active: true }))
      assert.include(answer, { name: "Billing again", active: true })
      assert.lengthOf(yes.questions, 1, "once for the name that it has and the one that it gets")
      yield* yes.answering(ask("delete_workflow", { id }))
      assert.lengthOf(yes.questions, 2)
    }).pipe(inTime, Effect.provide(over()))
  )

  it.effect("is told to the person at a page without the advice that a model gets", () =>
    Effect.gen(function* () {
      const { id } = yield* given("Billing run")
      const change = { id, name: "Other" }
      const { error } = yield* askAsPerson("update_workflow", change)
      assert.match(error, /^Workflow.*"Billing run".*not changed\.$/)
      assert.isTrue((yield* refused("update_workflow", change)).message.startsWith(`${error} Ask a person;`))
      const { plan_id } = yield* ask("plan_bulk", { where: { ids: [id] }, action: "tag", value: "new" })
      const shownToModel = yield* ask("show_plan", { plan_id })
      assert.nestedPropertyVal(
        shownToModel,
        "warnings.0",
        "Protected workflows are changed (Billing run): apply_plan asks a person, or needs confirm_protected"
      )
      assert.notProperty(shownToModel, "needs_agreement")
      assert.deepInclude((yield* askAsPerson("show_plan", { plan_id })).value, {
        needs_agreement: true,
        warnings: ["Protected workflows are changed (Billing run)"]
      })
      const applied = yield* askAsPerson("apply_plan", { plan_id, confirm: true, confirm_protected: true })
      assert.propertyVal(applied.value, "next", "Applied and read back.")
    }).pipe(inTime, Effect.provide(over()))
  )

  it.effect(
    "is told with all that would become of it, in lines that no name or value breaks, and without secrets",
    () =>
      Effect.gen(function* () {
        const { id } = yield* given("Billing run")
        const no = person({ _tag: "Declined" })
        const path = "a\n- it is harmless"
        const questionLines = (tool: string, args: Json) =>
          Effect.map(no.answering(refused(tool, args)), () => no.questions.at(-1)?.split("\n").slice(1, -1))
        yield* ask("activate_workflow", { id, confirm_protected: true })
        assert.deepStrictEqual(
          yield* questionLines("update_workflow", {
            id,
            active: false,
            name: "Billing run\u2028again",
            nodes: [{ ...hook("b"), parameters: { path, token: "sesame" } }],
            settings: { timezone: "UTC" }
          }),
          [
            "- it is deactivated",
            '- name "Billing run" → "Billing run\\u2028again"',
            "- Hook: path changed: +2 −1 lines",
            "  > @@ line 1 @@",
            "  > -Billing run",
            "  > +a",
            "  > +- it is harmless",
            "- Hook: options removed (was {})",
            '- Hook: token set to "[masked]"',
            '- setting timezone set to "UTC"'
          ]
        )
        assert.deepStrictEqual(
          yield* questionLines("edit_workflow", {
            id,
            operations: [
              { op: "set", node: "Hook", path: "path", value: "c" },
              { op: "tag", value: "new", create: true }
            ]
          }),
          ['- it is tagged "new"', '- Hook: path "Billing run" → "c"']
        )
        assert.deepStrictEqual(
          yield* questionLines("create_workflow", { name: "Billing new", nodes: [hook("new")], active: true }),
          ["- it is created", '- its nodes are: "Hook" (webhook)', "- it is activated"]
        )
      }).pipe(inTime, Effect.provide(over()))
  )

  it.live("calls the new id of one that is restored after one agreement to all, and nothing is made before it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { send } = yield* Beside
        const { id: called } = yield* given("called")
        const call = {
          name: "Call",
          type: "n8n-nodes-base.executeWorkflow",
          typeVersion: 1.2,
          position: [220, 0],
          parameters: { workflowId: { __rl: true, mode: "id", value: called } }
        }
        const draft = { nodes: [hook("calls"), call], connections: {} }
        for (const name of ["Billing one", "free", "Billing two"])
          yield* ask("create_workflow", { ...draft, name, confirm_protected: true })
        yield* ask("backup", {})
        yield* ask("delete_workflow", { id: called })
        const all = Effect.map(send("staging", "GET", "/workflows"), ({ data }) => JSON.stringify(data))
        const before = yield* all

        const { data, message } = yield* refused("restore_workflow", { id: called, relink: true })
        assert.propertyVal(data, "code", "PROTECTED")
        const both = /"Billing (one|two)", "Billing (?!\1)(one|two)" on (instance )?staging/
        assert.match(message, both)
        assert.match(message, /^Workflows .* are protected .* were not changed\./)
        const no = person({ _tag: "Declined" })
        yield* no.answering(refused("restore_workflow", { id: called, relink: true, confirm_protected: true }))
        assert.lengthOf(no.questions, 1)
        assert.match(no.questions[0] ?? "", both)
        assert.match(no.questions[0] ?? "", /^Restore workflow changes the protected workflows "/)
        assert.strictEqual(yield* all, before)

        const yes = person(agreed)
        const { callers, id } = yield* yes.answering(ask("restore_workflow", { id: called, relink: true }))
        assert.lengthOf(yes.questions, 1)
        const answers = JSON.stringify(callers)
        assert.lengthOf(answers.match(/"relinked":true/g) ?? [], 3)
        assert.notInclude(yield* all, called)
        yield* ask("delete_workflow", { id })
        const said = yield* ask("restore_workflow", { id, relink: true, confirm_protected: true })
        assert.notInclude(JSON.stringify(said), '"relinked":false')
      }).pipe(Effect.provide(over().pipe(Layer.provide(historyIn(directory)))))
    }).pipe(Effect.scoped)
  )

  it.live("gets its tags and its state back after one agreement, before which nothing is sent", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const { id } = yield* given("Billing run")
        yield* ask("edit_workflow", {
          id,
          operations: [{ op: "tag", value: "new", create: true }],
          confirm_protected: true
        })
        const tagged = yield* workflowAt(id)
        const { data, message } = yield* refused("restore_workflow", { id })
        assert.propertyVal(data, "code", "PROTECTED", message)
        assert.deepStrictEqual(yield* workflowAt(id), tagged)
        const yes = person(agreed)
        assert.deepStrictEqual((yield* yes.answering(ask("restore_workflow", { id }))).changes, [
          "no longer tagged new"
        ])
        assert.lengthOf(yes.questions, 1)
      }).pipe(Effect.provide(over().pipe(Layer.provide(historyIn(directory)))))
    }).pipe(Effect.scoped)
  )

  it.effect("is made with its tags and started in one call, after which it is protected", () =>
    Effect.gen(function* () {
      const { tag } = yield* given("Payroll", "money")
      const made = yield* ask("create_workflow", { name: "new", nodes: [hook("new")], tags: [tag], active: true })
      assert.propertyVal(made, "active", true)
      assert.propertyVal((yield* refused("deactivate_workflow", { id: made.id })).data, "code", "PROTECTED")
    }).pipe(inTime, Effect.provide(over()))
  )

  it.effect("can be read, run and planned for as before", () =>
    Effect.gen(function* () {
      const { id } = yield* given("Billing run")
      yield* ask("get_workflow", { id })
      assert.propertyVal(yield* ask("run_workflow", { id }), "status", "success")
      assert.propertyVal(
        yield* ask("edit_workflow", { id, operations: [{ op: "disable", node: "Hook" }], dry_run: true }),
        "id",
        id
      )
      const { plan_id } = yield* ask("plan_bulk", { where: { ids: [id] }, action: "tag", value: "checked" })
      assert.propertyVal(
        yield* ask("apply_plan", { plan_id, confirm: true, confirm_protected: true }),
        "state",
        "applied"
      )
    }).pipe(inTime, Effect.provide(over()))
  )

  it.effect("asks before a plan deletes executions, which nothing brings back", () =>
    Effect.gen(function* () {
      const { id } = yield* given("runs")
      yield* ask("activate_workflow", { id })
      assert.propertyVal(yield* ask("execute_workflow", { id }), "status", "success")
      const { plan_id } = yield* ask("plan_bulk", { where: { ids: [id] }, action: "delete_executions" })
      const no = person({ _tag: "Declined" })
      const { data } = yield* no.answering(refused("apply_plan", { plan_id, confirm: true }))
      assert.propertyVal(data, "code", "NOT_AGREED")
      assert.deepStrictEqual(no.questions, [
        `This bulk deletes 1 execution on staging, which nothing brings back.\nIn all, plan ${String(plan_id)} makes 1 change. Apply it?`
      ])
      const done = yield* person(agreed).answering(ask("apply_plan", { plan_id, confirm: true }))
      assert.propertyVal(done, "state", "applied")
    }).pipe(inTime, Effect.provide(over()))
  )

  it.effect("is protected from plans alone where the configuration says so", () =>
    Effect.gen(function* () {
      const { id } = yield* given("Billing run")
      assert.deepInclude(yield* ask("update_workflow", { id, name: "free" }), { id, name: "free" })
    }).pipe(inTime, Effect.provide(over({ directWrites: false })))
  )
})

describe("a run that acts outside", () => {
  const fetch = {
    ...hook("x"),
    name: "Fetch",
    type: "n8n-nodes-base.httpRequest",
    typeVersion: 4.2,
    parameters: { url: "https://shop.example.com" }
  }
  const draft = {
    name: "fetching",
    nodes: [hook("fetching"), fetch],
    connections: { Hook: { main: [[{ node: "Fetch", type: "main", index: 0 }]] } }
  }

  it.effect("is for the person at the client, who is told what it does; nothing runs unless they agree", () =>
    Effect.gen(function* () {
      const { id } = yield* ask("create_workflow", draft)
      const no = person({ _tag: "Cancelled" })
      assert.propertyVal(yield* no.answering(ask("run_workflow", { id })), "ran", false)
      assert.lengthOf(no.questions, 0)
      const { data, message } = yield* no.answering(refused("run_workflow", { id, confirm: true }))
      assert.deepInclude(data, { code: "NOT_AGREED", answer: "cancelled" })
      assert.match(message, /acts outside, and the person who was asked closed the question/)
      assert.deepStrictEqual(no.questions[0]?.split("\n"), [
        `Run workflow "fetching" (${String(id)}) on staging? These nodes really act outside:`,
        '- "Fetch" [httpRequest] GET https://shop.example.com',
        '  set to {"url":"https://shop.example.com"}',
        "It begins with 1 item: [{}]"
      ])
      assert.propertyVal(yield* person(agreed).answering(ask("run_workflow", { id, confirm: true })), "ran", true)
      const mocked = yield* no.answering(ask("run_workflow", { id, mocks: { Fetch: [{}] } }))
      assert.propertyVal(mocked, "ran", true)
      assert.lengthOf(no.questions, 1)
    }).pipe(inTime, Effect.provide(over()))
  )
})
