import { assert } from "@effect/vitest"
import { Effect } from "effect"

import { Elicitation, type Question, type Reply } from "../../src/mcp/Elicitation.ts"
import { ask, type Json, refused } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { given, manual, tagged, unique, webhook } from "./fixtures.ts"
import { sent, shown, TestedEngine } from "./TestedEngine.ts"

/** A person who gives this answer to every question, and the questions. */
const person = (reply: Reply) => {
  const questions: Array<Question> = []
  const asking = {
    ask: (question: Question) => Effect.sync(() => (questions.push(question), reply))
  }
  return { questions, by: Effect.provideService(Elicitation, asking) }
}

const yes: Reply = { _tag: "Accepted", content: { agree: true } }

/** The arguments that every tool of one workflow needs beside the workflow, in an order in which each can do its work. */
const ofWorkflow: ReadonlyArray<readonly [tool: string, argument: string, args: Json]> = [
  ["get_workflow", "id", {}],
  ["view_workflow", "id", {}],
  ["check_workflow", "id", {}],
  ["update_workflow", "id", { settings: { timezone: "UTC" } }],
  ["edit_workflow", "id", { operations: [{ op: "settings", value: { timezone: "UTC" } }], dry_run: true }],
  ["run_workflow", "id", { dry_run: true }],
  ["activate_workflow", "id", {}],
  ["execute_workflow", "id", {}],
  ["list_executions", "workflowId", {}],
  ["stop_execution", "workflowId", {}],
  ["deactivate_workflow", "id", {}]
]

export const names = (it: Suite) => {
  it.effect("every tool of a workflow takes its name, and says which one it has taken", () =>
    Effect.gen(function* () {
      for (const name of [`${unique("Order")} intake, ä/b`, unique("single")]) {
        const { id } = yield* given({ name, nodes: [webhook({ responseMode: "onReceived" })] })
        for (const [tool, argument, args] of ofWorkflow) {
          const answer = yield* ask(tool, { [argument]: name, ...args })
          if (answer["guidance"] !== undefined) continue
          assert.include(String(answer["notice"]), `${JSON.stringify(name)} is workflow ${id}.`, tool)
          const plain = yield* ask(tool, { [argument]: id, ...args })
          assert.notInclude(String(plain["notice"]), "is workflow", tool)
        }
      }
    })
  )

  it.effect("an id is what the engine has, whatever is called like that", () =>
    Effect.gen(function* () {
      const [one, other] = [unique("one"), unique("other")]
      const { id } = yield* given({ name: one, nodes: [manual()] })
      const { id: namesake } = yield* given({ name: id, nodes: [manual()] })
      assert.include(yield* ask("get_workflow", { id }), { id, name: one })
      yield* ask("update_workflow", { id, name: other })
      assert.include(yield* shown(`/workflows/${namesake}`), { name: id })
      yield* ask("delete_workflow", { id })
      assert.include(yield* shown(`/workflows/${namesake}`), { name: id })
    })
  )

  it.effect("a name that several workflows have is refused with the state of each", () =>
    Effect.gen(function* () {
      const name = unique("two")
      const red = yield* tagged()
      const first = yield* given({ name, nodes: [webhook()] })
      yield* sent("PUT", `/workflows/${first.id}/tags`, [{ id: red.id }])
      yield* sent("POST", `/workflows/${first.id}/activate`, {})
      const second = yield* given({ name, nodes: [manual()] })
      for (const tool of ["get_workflow", "activate_workflow", "delete_workflow", "view_workflow"]) {
        const { code, message } = yield* refused(tool, { id: name })
        assert.strictEqual(code, -32602)
        assert.match(message, new RegExp(`^Invalid id: "${name}" is the name of 2 workflows on instance production: `))
        assert.include(message, `${first.id} (active, tags: ${red.name})`)
        assert.include(message, `${second.id} (inactive)`)
      }
    })
  )

  it.effect("an unknown name is refused as an unknown id is, with names that are like it", () =>
    Effect.gen(function* () {
      const name = `${unique("Invoice")} import`
      const { id } = yield* given({ name, nodes: [manual()] })
      const wrong = name.replace("import", "imports")
      const { code, data, message } = yield* refused("get_workflow", { id: wrong })
      const hint = `Did you mean "${name}" (${id})?`
      assert.strictEqual(message, `API error: Not Found (workflow "${wrong}" on instance production). ${hint}`)
      assert.strictEqual(code, -32000)
      assert.include(data, { code: "API_ERROR", httpStatus: 404, instance: "production" })
      const single = yield* given({ name: unique("single"), nodes: [manual()] })
      const alike = yield* refused("update_workflow", { id: `${String(single.name)}s`, name: "x" })
      assert.include(alike.message, `. Did you mean "${String(single.name)}" (${single.id})?`)
    })
  )

  it.effect("list_executions says that there is no workflow of an unknown id, and which name is like it", () =>
    Effect.gen(function* () {
      const { id, name } = yield* given({ name: unique("Newsletter"), nodes: [manual()] })
      const { data, notice } = yield* ask("list_executions", { workflowId: `${String(name)}s` })
      assert.deepStrictEqual(data, [])
      assert.include(String(notice), `There is no workflow ${String(name)}s on instance production. Did you mean "`)
      assert.include(String(notice), `"${String(name)}" (${id})`)
      assert.deepStrictEqual(yield* ask("list_executions", { workflowId: id }), { data: [] })
    })
  )

  it.effect("a deletion by name is for a person to agree to, and by id it is not", () =>
    Effect.gen(function* () {
      const name = unique("Old report")
      const { id } = yield* given({ name, nodes: [manual()] })
      const { data, message } = yield* refused("delete_workflow", { id: name })
      assert.include(message, `"${name}" is workflow ${id} (inactive) on instance production. Nothing was deleted`)
      assert.include(message, `Call again with id ${id}`)
      assert.include(data, { code: "NOT_AGREED" })

      const no = person({ _tag: "Declined" })
      const declined = yield* refused("delete_workflow", { id: name }).pipe(no.by)
      assert.include(declined.message, "declined; nothing was changed")
      assert.include(yield* shown(`/workflows/${id}`), { name })

      const asked = person(yes)
      assert.include(yield* ask("delete_workflow", { id: name }).pipe(asked.by), { id })
      assert.lengthOf(asked.questions, 1)
      assert.include(asked.questions[0]?.message, `"${name}" is workflow ${id}`)
      const { send } = yield* TestedEngine
      assert.strictEqual((yield* send("GET", `/workflows/${id}`)).status, 404)
    })
  )

  it.effect("tags and credentials go by their names, too", () =>
    Effect.gen(function* () {
      const tag = yield* tagged()
      assert.include(yield* ask("get_tag", { id: tag.name }), {
        id: tag.id,
        notice: `"${tag.name}" is tag ${tag.id}.`
      })
      const next = unique("tag")
      assert.include(yield* ask("update_tag", { id: tag.name, name: next }), { id: tag.id, name: next })
      const gone = yield* refused("get_tag", { id: tag.name })
      assert.match(gone.message, new RegExp(`^API error: Not Found \\(tag ${tag.name} on instance production\\)`))
      assert.include((yield* refused("delete_tag", { id: next })).message, `Call again with id ${tag.id}`)
      assert.include(yield* ask("delete_tag", { id: next }).pipe(person(yes).by), { id: tag.id })

      const type = "httpBasicAuth"
      const name = `${unique("shop")} login`
      const data = { user: "ann", password: "b" }
      const { id } = yield* ask("create_credential", { name, type, data })
      // Engines that list no credentials know them by the nodes that use them.
      const nodes = [{ ...manual(), credentials: { [type]: { id, name } } }]
      yield* given({ name: unique("using"), nodes })
      const read = yield* ask("get_credential", { id: name })
      if (read["guidance"] === undefined) assert.include(read, { id, notice: `"${name}" is credential ${String(id)}.` })
      const message = (yield* refused("delete_credential", { id: name })).message
      assert.include(message, `"${name}" is credential ${String(id)} (${type}) on instance production`)
      assert.include(yield* ask("delete_credential", { id: name }).pipe(person(yes).by), { id })
    })
  )

  it.effect("searches, comparisons and plans take names of workflows", () =>
    Effect.gen(function* () {
      const [sub, main] = [unique("sub"), `${unique("main")} flow`]
      const called = yield* given({ name: sub, nodes: [manual()] })
      const run = {
        name: "Run",
        type: "n8n-nodes-base.executeWorkflow",
        typeVersion: 1,
        position: [0, 0],
        parameters: { workflowId: called.id }
      }
      const settings = { errorWorkflow: called.id }
      const caller = yield* given({ name: main, nodes: [manual(), run], settings })
      const ids = Effect.fnUntraced(function* (criteria: Json) {
        const { data, notice } = yield* ask("search_workflows", criteria)
        return [Array.isArray(data) ? data.map(({ id }) => String(id)) : [], notice]
      })
      const ofSub = `"${sub}" is workflow ${called.id}.`
      assert.deepStrictEqual(yield* ids({ calls: sub }), [[caller.id], ofSub])
      assert.deepStrictEqual(yield* ids({ errorWorkflow: sub }), [[caller.id], ofSub])
      assert.deepStrictEqual(yield* ids({ calledBy: main }), [[called.id], `"${main}" is workflow ${caller.id}.`])
      assert.deepStrictEqual(yield* ids({ calls: called.id }), [[caller.id], undefined])

      const compared = yield* ask("compare_workflows", { a: sub, b: main })
      assert.nestedPropertyVal(compared, "a.id", called.id)
      assert.nestedPropertyVal(compared, "b.id", caller.id)
      assert.strictEqual(compared["notice"], `${ofSub} "${main}" is workflow ${caller.id}.`)
      assert.match((yield* refused("compare_workflows", { a: sub, b: `${main}s` })).message, /Did you mean/)

      const tag = unique("tag")
      const planned = yield* ask("plan_bulk", { action: "tag", value: tag, where: { ids: [sub, caller.id] } })
      assert.include(planned, { selected: 2 })
      const byCall = yield* ask("plan_bulk", { action: "tag", value: tag, where: { calls: sub } })
      assert.include(byCall, { selected: 1 })
      const unknown = yield* refused("plan_bulk", { action: "tag", value: tag, where: { ids: [`${main}s`] } })
      assert.include(unknown.message, `Did you mean "${main}" (${caller.id})?`)
    })
  )
}
