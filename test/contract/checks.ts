import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

import { ask, type Json, refused, request } from "../support/harness.ts"
import type { Suite } from "./contractSuite.ts"
import { answer, chain, created, everyDay, language, manual, node, unique, webhook } from "./fixtures.ts"
import { TestedEngine } from "./TestedEngine.ts"

const decodeCheck = Schema.decodeUnknownSync(
  Schema.Struct({
    ok: Schema.Boolean,
    findings: Schema.Array(
      Schema.Struct({
        level: Schema.Literals(["error", "warning"]),
        node: Schema.optionalKey(Schema.String),
        field: Schema.optionalKey(Schema.String),
        problem: Schema.String,
        fix: Schema.optionalKey(Schema.String)
      })
    )
  })
)

const decodeWarnings = Schema.decodeUnknownSync(
  Schema.Struct({ warnings: Schema.optionalKey(Schema.Array(Schema.String)) })
)

const decodeMessages = Schema.decodeUnknownSync(
  Schema.Struct({ messages: Schema.Array(Schema.Struct({ content: Schema.Struct({ text: Schema.String }) })) })
)

const decodeDraft = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ nodes: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)), connections: Schema.Unknown })
  )
)

/** The findings of check_workflow, as `node field: problem`, and whether that keeps the workflow from running. */
const found = Effect.fnUntraced(function* (draft: Json) {
  const { findings, ok } = decodeCheck(yield* ask("check_workflow", draft))
  return { ok, lines: findings.map(({ field, node, problem }) => `${node} ${field}: ${problem}`) }
})

const http = (parameters: Json, more: Json = {}) =>
  node("httpRequest", "Call", { url: "https://example.com", ...parameters }, { typeVersion: 4.2, ...more })

/** Behind a trigger, so that everything runs. */
const behind = (...nodes: ReadonlyArray<Json>) => ({
  nodes: [manual(), ...nodes],
  connections: chain("Start", ...nodes.map(({ name }) => String(name)))
})

/** One mistake each, and what must be said of it. */
const mistakes: ReadonlyArray<readonly [title: string, draft: () => Json, said: RegExp]> = [
  [
    "an unknown type",
    () => behind(node("slak", "Post")),
    /^Post type: this engine has no node type n8n-nodes-base\.slak/
  ],
  ["a version that is not there", () => behind(http({}, { typeVersion: 9 })), /^Call typeVersion: .* has no version 9/],
  [
    "a missing URL",
    () => behind(node("httpRequest", "Call", {}, { typeVersion: 4.2 })),
    /^Call parameters\.url: is required and empty/
  ],
  ["a wrong option", () => behind(http({ method: "PSOT" })), /^Call parameters\.method: "PSOT" is none of its options/],
  [
    "an unknown parameter",
    () => behind(http({ requestMethood: "GET" })),
    /^Call parameters\.requestMethood: there is no parameter requestMethood/
  ],
  [
    "a parameter that has no effect",
    () => behind(http({ jsonBody: "{}" })),
    /^Call parameters\.jsonBody: has no effect under these settings: it needs sendBody=true/
  ],
  [
    "a missing credential",
    () => behind(http({ authentication: "genericCredentialType", genericAuthType: "httpHeaderAuth" })),
    /^Call credentials\.httpHeaderAuth: the node has no credential/
  ],
  [
    "an expression that names a missing node",
    () => behind(answer("Answer", '={{ $("Strat").first().json.id }}')),
    /^Answer parameters\.assignments\.assignments\[0\]\.value: refers to node Strat, which is not there/
  ],
  [
    "an expression that names a node which runs later",
    () => behind(answer("First", '={{ $("Second").first().json.id }}'), node("noOp", "Second")),
    /^First .*: refers to node Second, which cannot have run before/
  ],
  [
    "an expression that cannot be read",
    () => behind(answer("Answer", "={{ $json.a + }}")),
    /^Answer .*: the expression cannot be read/
  ],
  [
    "an expression that is never closed",
    () => behind(answer("Answer", "={{ $json.a")),
    /^Answer .*: the expression cannot be read: \{\{ is never closed/
  ],
  [
    "code that cannot be read",
    () => behind(node("code", "Code", { jsCode: "return [" }, { typeVersion: 2 })),
    /^Code parameters\.jsCode: the code cannot be read/
  ],
  [
    "a loop without an end",
    () => ({
      nodes: [manual(), node("noOp", "A"), node("noOp", "B")],
      connections: [...chain("Start", "A", "B"), { source: "B", target: "A" }]
    }),
    /^A undefined: the loop A → B → A never ends/
  ],
  [
    "assignments in a wrong form",
    () => behind(node("set", "Set", { assignments: [{ name: "a", value: "b" }] })),
    /^Set parameters\.assignments: is \[\{"name":"a","value":"b"\}\]/
  ]
]

const model = () =>
  language("lmChatOpenAi", "Model", { model: { __rl: true, mode: "id", value: "gpt-4o-mini" } }, { typeVersion: 1.2 })
const agent = () => language("agent", "Agent", { promptType: "define", text: "Hello" }, { typeVersion: 1.9 })

export const checks = (it: Suite) => {
  for (const [title, draft, said] of mistakes) {
    it.effect(`check_workflow finds ${title}, and nothing else`, () =>
      Effect.gen(function* () {
        const { lines } = yield* found(draft())
        assert.lengthOf(lines, 1, lines.join("\n"))
        assert.match(lines[0] ?? "", said)
      })
    )
  }

  it.effect("check_workflow finds a credential of the wrong type", () =>
    Effect.gen(function* () {
      const asked = { authentication: "genericCredentialType", genericAuthType: "httpHeaderAuth" }
      const draft = behind(http(asked, { credentials: { httpBasicAuth: { id: "1", name: "Basic" } } }))
      const { lines } = yield* found(draft)
      const said =
        /^Call credentials\.httpHeaderAuth: the node has a credential of type httpBasicAuth, which it cannot/m
      assert.match(lines.join("\n"), said)
    })
  )

  it.effect("check_workflow finds an agent without a model, and connections that lead the wrong way", () =>
    Effect.gen(function* () {
      const bare = yield* found(behind(agent()))
      const { isV2 } = yield* TestedEngine
      // An installation without the AI package says so.
      if (bare.lines.some((line) => /has no node type/.test(line))) {
        assert.isFalse(isV2)
        return
      }
      assert.match(bare.lines.join("\n"), /^Agent connections\.ai_languageModel: nothing is connected to its input/m)
      const swapped = yield* found({
        nodes: [manual(), agent(), model()],
        connections: [
          ...chain("Start", "Agent"),
          { source: "Agent", target: "Model", sourceOutput: "ai_languageModel" }
        ]
      })
      assert.match(swapped.lines.join("\n"), /^Agent connections\.ai_languageModel: leads the wrong way: Model gives/m)
      const plain = yield* found({
        nodes: [manual(), agent(), model()],
        connections: [...chain("Start", "Agent"), { source: "Model", target: "Agent" }]
      })
      assert.match(plain.lines.join("\n"), /^Model connections\.main: node Model has no output main/m)
      const right = yield* found({
        nodes: [manual(), agent(), model()],
        connections: [
          ...chain("Start", "Agent"),
          { source: "Model", target: "Agent", sourceOutput: "ai_languageModel" }
        ]
      })
      assert.deepStrictEqual(
        right.lines.filter((line) => !line.includes("credentials.")),
        []
      )
    })
  )

  it.effect("check_workflow finds nothing in sound workflows", () =>
    Effect.gen(function* () {
      const sound = [
        behind(http({ sendBody: true, specifyBody: "json", jsonBody: "={{ JSON.stringify($json) }}" })),
        behind(answer("Answer", '={{ $("Start").first().json.id ?? $now.toISO() }}')),
        { nodes: [everyDay(), node("noOp", "Work")], connections: chain("Every day", "Work") },
        { nodes: [webhook(), answer("Answer", "={{ $json.body.name }}")], connections: chain("Webhook", "Answer") }
      ]
      for (const draft of sound) assert.deepStrictEqual(yield* found(draft), { ok: true, lines: [] })
    })
  )

  it.effect("check_workflow names values that only the service behind a node knows", () =>
    Effect.gen(function* () {
      const channelId = { __rl: true, mode: "name", value: "#ops" }
      const parameters = { resource: "message", operation: "post", select: "channel", channelId, text: "Hi" }
      const draft = behind(node("slack", "Tell", parameters, { typeVersion: 2.3 }))
      assert.deepNestedInclude(yield* ask("check_workflow", draft), { notChecked: ['Tell: channelId "#ops"'] })
      assert.notProperty(yield* ask("check_workflow", behind(answer("Say", "x"))), "notChecked")
    })
  )

  it.effect("check_workflow reads a saved workflow, and names who has its webhook's address", () =>
    Effect.gen(function* () {
      const hook = webhook()
      const first = yield* created({
        name: unique("First"),
        nodes: [hook, node("noOp", "Work")],
        connections: chain("Webhook", "Work"),
        active: true
      })
      const second = yield* created({ nodes: [hook, node("noOp", "Work")], connections: chain("Webhook", "Work") })
      const { lines, ok } = yield* found({ id: second.id })
      assert.isFalse(ok)
      assert.match(
        lines.join("\n"),
        new RegExp(`POST /webhook/\\S+ is taken by node Webhook of workflow First-\\S+ \\(${first.id}\\)`)
      )
      assert.deepStrictEqual((yield* found({ id: first.id })).lines, [])
    })
  )

  it.effect("check_workflow finds credentials that the instance does not have, where it lists them", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const draft = behind(
        http(
          { authentication: "genericCredentialType", genericAuthType: "httpHeaderAuth" },
          { credentials: { httpHeaderAuth: { id: "nowhere", name: "Key" } } }
        )
      )
      const { lines } = yield* found(draft)
      const there = isV2 ? ["Call credentials.httpHeaderAuth: there is no credential Key (nowhere) here"] : []
      assert.deepStrictEqual(lines, there)
    })
  )

  it.effect("check_workflow finds other workflows that are not there, cannot be started so, or are not active", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const calling = (id: unknown) =>
        behind(
          node(
            "executeWorkflow",
            "Sub",
            { workflowId: { __rl: true, mode: "id", value: id }, options: {} },
            { typeVersion: 1.2 }
          )
        )
      const said = (id: unknown) =>
        Effect.map(found(calling(id)), ({ lines }) => lines.filter((line) => line.includes("workflowId")).join("\n"))
      const nowhere = "n0wh3r3000000000"
      assert.strictEqual(yield* said(nowhere), `Sub parameters.workflowId: this instance has no workflow ${nowhere}`)
      const scheduled = yield* created({ nodes: [everyDay()] })
      assert.match(
        yield* said(scheduled.id),
        /cannot be started in this way: it has no enabled executeWorkflowTrigger$/
      )
      const called = yield* created({
        nodes: [node("executeWorkflowTrigger", "In", { inputSource: "passthrough" }, { typeVersion: 1.1 })]
      })
      assert.match(yield* said(called.id), isV2 ? /is not active: only active ones/ : /^$/)
      yield* isV2 ? ask("activate_workflow", { id: called.id }) : Effect.void
      assert.strictEqual(yield* said(called.id), "")

      const failing = yield* created({
        nodes: [manual(), node("noOp", "Work")],
        connections: chain("Start", "Work"),
        settings: { errorWorkflow: nowhere, timezone: "Europe/Berln" }
      })
      assert.deepStrictEqual((yield* found({ id: failing.id })).lines, [
        "undefined settings.timezone: there is no time zone Europe/Berln",
        `undefined settings.errorWorkflow: this instance has no workflow ${nowhere}`
      ])
    })
  )

  it.effect("check_workflow names each end of a connection that is no node, and names that several nodes have", () =>
    Effect.gen(function* () {
      const { lines } = yield* found({
        nodes: [manual(), node("noOp", "Work"), node("noOp", "Work")],
        connections: { Start: { main: [[{ node: "Wrok", type: "main", index: 0 }]] } }
      })
      assert.include(lines, "Work name: 2 nodes have this name")
      assert.include(lines, "Start connections.main[0]: leads to Wrok, which is not a node")
    })
  )

  it.effect("check_workflow wants a workflow", () =>
    Effect.gen(function* () {
      const { message } = yield* refused("check_workflow")
      assert.match(message, /^Invalid id: is missing: give it, or nodes/)
    })
  )

  it.effect(
    "create_workflow, update_workflow and edit_workflow warn of mistakes once the engine's nodes are known",
    () =>
      Effect.gen(function* () {
        yield* ask("find_nodes", { query: "http request" })
        const draft = behind(node("httpRequest", "Call", { method: "PSOT" }, { typeVersion: 4.2 }))
        const made = yield* created(draft)
        const [option = "", url = ""] = decodeWarnings(made).warnings ?? []
        assert.match(option, /^node Call, parameters\.method: "PSOT" is none of its options\. Did you mean POST\?/)
        assert.match(url, /^node Call, parameters\.url: is required and empty/)

        const { id } = made
        const renamed = yield* ask("update_workflow", { id, name: unique("Renamed") })
        assert.notProperty(renamed, "warnings")
        const nodes = [...draft.nodes, answer("Answer", '={{ $("Nobody").first().json }}')]
        const connections = chain("Start", "Call", "Answer")
        const { warnings = [] } = decodeWarnings(yield* ask("update_workflow", { id, nodes, connections }))
        assert.lengthOf(warnings, 1, "what was there before is not told again")
        assert.match(warnings[0] ?? "", /^node Answer, .*: refers to node Nobody, which is not there/)

        const operations = [{ op: "set", node: "Call", parameters: { requestMethood: "GET" } }]
        const edited = yield* ask("edit_workflow", { id, operations })
        assert.include(
          decodeWarnings(edited).warnings?.join("\n"),
          "node Call, parameters.requestMethood: there is no parameter requestMethood here"
        )
      })
  )

  it.effect("a write warns of settings that do not work, once", () =>
    Effect.gen(function* () {
      yield* ask("find_nodes", { query: "http request" })
      const nowhere = "n0wh3r3000000000"
      const noZone = "settings.timezone: there is no time zone Europe/Berln. Take a name of the IANA database"
      const noWorkflow = `settings.errorWorkflow: this instance has no workflow ${nowhere}`
      const warned = (answer: unknown) => decodeWarnings(answer).warnings?.join("\n")
      const made = yield* created({ nodes: [manual()], settings: { timezone: "Europe/Berln" } })
      assert.include(warned(made), noZone)

      const { id } = made
      const updated = yield* ask("update_workflow", { id, settings: { errorWorkflow: nowhere } })
      assert.include(warned(updated), noWorkflow)
      assert.notInclude(warned(updated), "no time zone")
      const operations = [{ op: "settings", parameters: { timezone: "Europe/Berlin", executionTimeout: 60 } }]
      assert.notProperty(yield* ask("edit_workflow", { id, operations }), "warnings")
      const wrong = [{ op: "settings", parameters: { timezone: "Europe/Berln" } }]
      assert.include(warned(yield* ask("edit_workflow", { id, operations: wrong, dry_run: true })), noZone)
    })
  )

  it.effect("a write warns of credentials and other workflows that are not there, in the nodes that it brings", () =>
    Effect.gen(function* () {
      const { isV2 } = yield* TestedEngine
      const nowhere = "n0wh3r3000000000"
      const calling = node(
        "executeWorkflow",
        "Sub",
        { workflowId: { __rl: true, mode: "id", value: nowhere }, options: {} },
        { typeVersion: 1.2 }
      )
      const sound = yield* created(behind(node("noOp", "Work")))
      const added = { op: "add", name: "Sub", type: calling["type"], parameters: calling["parameters"], from: "Work" }
      const edited = yield* ask("edit_workflow", { id: sound.id, operations: [added] })
      assert.include(JSON.stringify(edited), `this instance has no workflow ${nowhere}`)
      const renamed = yield* ask("edit_workflow", { id: sound.id, operations: [{ op: "rename", name: unique("Sub") }] })
      assert.notInclude(JSON.stringify(renamed), nowhere)
      const authenticated = http(
        { authentication: "genericCredentialType", genericAuthType: "httpHeaderAuth" },
        { credentials: { httpHeaderAuth: { id: "nowhere", name: "Key" } } }
      )
      const said = JSON.stringify(decodeWarnings(yield* created(behind(authenticated))))
      // An engine of generation 1 lists no credentials.
      if (isV2) assert.include(said, "there is no credential Key (nowhere) here")
      else assert.notInclude(said, "there is no credential")
    })
  )

  it.effect("create_workflow says nothing of a workflow without mistakes", () =>
    Effect.gen(function* () {
      yield* ask("find_nodes", { query: "http request" })
      assert.notProperty(yield* created(behind(http({}), answer("Answer", "={{ $json.id }}"))), "warnings")
    })
  )

  it.effect(
    "a prompt proposes the newest versions of the engine's nodes, and check_workflow finds nothing in them",
    () =>
      Effect.gen(function* () {
        const { version } = yield* ask("describe_node", { type: "scheduleTrigger" })
        const cron = { cron: "0 9 * * 1-5" }
        const { result } = yield* request("prompts/get", { name: "schedule-triggered-workflow", arguments: cron })
        const draft = decodeDraft(decodeMessages(result).messages.at(-1)?.content.text)
        const trigger = draft.nodes.find(({ type }) => String(type).endsWith(".scheduleTrigger"))
        assert.strictEqual(trigger?.typeVersion, version)
        assert.deepStrictEqual((yield* found({ nodes: draft.nodes, connections: draft.connections })).lines, [])
      })
  )
}
