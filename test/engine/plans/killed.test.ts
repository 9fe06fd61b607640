import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"

import { inMemory } from "../../../src/changes/Journal.ts"
import type { Change } from "../../../src/engine/changes/Change.ts"
import { WorkflowJournal } from "../../../src/engine/changes/Plans.ts"
import { EmbeddedEngine, type Version } from "../../../src/engine/embedded/EmbeddedEngine.ts"
import { ask, type Json } from "../../support/harness.ts"
import { Beside, serverWithPlans } from "./support.ts"

/** Engines that outlive every server, and a clock that can be put forward. */
const world = Effect.fnUntraced(function* (versions: readonly [Version, Version]) {
  const [first, second] = yield* Effect.forEach(versions, (version) =>
    Effect.map(Layer.build(EmbeddedEngine.layer({ version })), (context) => Context.get(context, EmbeddedEngine))
  )
  assert.isDefined(first)
  assert.isDefined(second)
  const real = yield* Clock.Clock
  let ahead = 0
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + ahead,
    currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + ahead),
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
    currentTimeNanos: real.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  return {
    clock,
    putForward: (ms: number) => {
      ahead += ms
    },
    places: {
      staging: { host: "http://127.0.0.1:5001", apiKey: Redacted.value(first?.apiKey ?? Redacted.make("")) },
      production: { host: "http://127.0.0.1:5002", apiKey: Redacted.value(second?.apiKey ?? Redacted.make("")) }
    },
    client: HttpClient.make((request, url) => {
      const engine = url.port === "5001" ? first : second
      return engine === undefined
        ? Effect.die("no engine")
        : Effect.delay(engine.httpClient.execute(request), "1 millis")
    })
  }
})

const hook = (path: string) => ({
  name: "Hook",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  parameters: { path, options: {} },
  webhookId: path
})

const calling = (id: unknown) => ({
  name: "Call",
  type: "n8n-nodes-base.executeWorkflow",
  typeVersion: 1.2,
  position: [220, 0],
  parameters: { workflowId: { __rl: true, mode: "list", value: id, cachedResultUrl: `/workflow/${String(id)}` } }
})

const start = {
  name: "In",
  type: "n8n-nodes-base.executeWorkflowTrigger",
  typeVersion: 1.1,
  position: [0, 0],
  parameters: { inputSource: "passthrough" }
}

/** A workflow with a sub-workflow, two that call each other, and one that the target has in another form. */
const seeded = Effect.fnUntraced(function* (version: Version) {
  const { send } = yield* Beside
  const make = (instance: string, name: string, nodes: ReadonlyArray<object>, settings: Json = {}) =>
    Effect.map(
      send(instance, "POST", "/workflows", { name, nodes, connections: {}, settings }),
      ({ id }) => `/workflows/${String(id)}`
    )
  const tag = (instance: string, name: string) => send(instance, "POST", "/tags", { name })
  const [a, b] = [yield* tag("staging", "a"), yield* tag("staging", "b")]
  const [own, theirs] = [yield* tag("production", "own"), yield* tag("production", "b")]
  const sub = yield* make("staging", "Sub", [start])
  const main = yield* make("staging", "Main", [hook("main"), calling(sub.slice(11))], { timezone: "UTC" })
  const one = yield* make("staging", "One", [hook("one")])
  const two = yield* make("staging", "Two", [hook("two"), calling(one.slice(11))])
  yield* send("staging", "PUT", one, {
    name: "One",
    nodes: [hook("one"), calling(two.slice(11))],
    connections: {},
    settings: {}
  })
  const ours = yield* make("staging", "Ours", [hook("ours")], { timezone: "UTC", errorWorkflow: main.slice(11) })
  const twin = yield* make("production", "Ours", [hook("elsewhere")], { executionTimeout: 60 })
  yield* make("production", "Bystander", [hook("bystander")])
  yield* send("staging", "PUT", `${main}/tags`, [{ id: a["id"] }, { id: b["id"] }])
  yield* send("staging", "PUT", `${ours}/tags`, [{ id: a["id"] }])
  yield* send("production", "PUT", `${twin}/tags`, [{ id: own["id"] }, { id: theirs["id"] }])
  // Newer engines only run what calls published workflows.
  if (version === "2.41.1") yield* send("staging", "POST", `${sub}/activate`, {})
  yield* send("staging", "POST", `${main}/activate`, {})
  yield* send("production", "POST", `${twin}/activate`, {})
})

const decodeAll = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))
const decodeTags = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))
const decodeVersion = Schema.decodeUnknownOption(Schema.Struct({ nodes: Schema.Unknown, connections: Schema.Unknown }))

/** Every field of the target's workflows and its tags, but for moments, counters and names of versions. */
const state = Effect.gen(function* () {
  const { send } = yield* Beside
  const workflows = decodeAll((yield* send("production", "GET", "/workflows?limit=250"))["data"])
  const tags = decodeTags((yield* send("production", "GET", "/tags?limit=250"))["data"])
  return {
    tags: tags.map(({ name }) => name).toSorted(),
    workflows: workflows
      .map(
        ({
          activeVersion,
          active,
          isArchived,
          connections,
          id,
          name,
          nodes,
          pinData,
          settings,
          staticData,
          ...one
        }) => ({
          id,
          name,
          active,
          isArchived,
          nodes,
          connections,
          settings,
          staticData,
          pinData,
          published: decodeVersion(activeVersion),
          tags: decodeTags(one["tags"])
            .map((tag) => tag.name)
            .toSorted()
        })
      )
      .toSorted((x, y) => (String(x.name) < String(y.name) ? -1 : 1))
  }
})
type State = Effect.Success<typeof state>

/** The same with names in place of ids, which differ from one promotion to the next. */
const named = ({ tags, workflows }: State): unknown => ({
  tags,
  workflows: JSON.parse(
    workflows.reduce(
      (text, { id, name }) => text.replaceAll(String(id), `<${String(name)}>`),
      JSON.stringify(workflows)
    )
  )
})

type Mode = "arrives" | "is lost"

const promotions = Effect.fnUntraced(function* (versions: readonly [Version, Version], modes: readonly [Mode, Mode]) {
  const { client, clock, places, putForward } = yield* world(versions)

  /** A server that dies at its nth write, whether that arrives or not: from then on nothing of it is heard. */
  const doomed = Effect.fnUntraced(function* (
    journal: WorkflowJournal["Service"],
    { at, mode }: { readonly at: number; readonly mode: Mode }
  ) {
    const died = yield* Deferred.make<void>()
    let writes = 0
    const gone = Effect.suspend(() => (writes >= at ? Effect.never : Effect.void))
    const killable = HttpClient.transform(client, (proceed, request) => {
      if (request.method === "GET")
        return Effect.andThen(
          gone,
          Effect.tap(proceed, () => gone)
        )
      return Effect.suspend(() => {
        const mine = ++writes
        if (mine < at) return Effect.tap(proceed, () => gone)
        const last = mine === at && mode === "arrives" ? Effect.exit(proceed) : Effect.void
        return last.pipe(Effect.andThen(Deferred.succeed(died, undefined)), Effect.andThen(Effect.never))
      })
    })
    const own = Layer.succeed(WorkflowJournal, {
      ...journal,
      append: (entry) => Effect.andThen(gone, journal.append(entry))
    })
    return {
      died: Deferred.await(died),
      server: serverWithPlans(places, killable, {}, own),
      wasKilled: () => writes >= at
    }
  })

  const runs = Effect.gen(function* () {
    const healthy = (journal: WorkflowJournal["Service"]) =>
      serverWithPlans(places, client, {}, Layer.succeed(WorkflowJournal, journal))
    yield* Effect.provide(seeded(versions[0]), healthy(yield* inMemory<Change>()))
    let before: State | undefined
    let after: unknown
    let kills = 0
    for (let at = 1; ; at++) {
      const mode = modes[at % 2] ?? "arrives"
      const journal = yield* inMemory<Change>()
      const lives = healthy(journal)
      before ??= yield* Effect.provide(state, lives)

      const applied = Effect.fnUntraced(function* (plan: Json) {
        const { died, server, wasKilled } = yield* doomed(journal, { at, mode })
        const args = { plan_id: plan["plan_id"], confirm: true }
        const fiber = yield* Effect.forkDetach(Effect.provide(ask("apply_plan", args), server))
        yield* Effect.raceFirst(died, Effect.asVoid(Fiber.await(fiber)))
        // What was lost may still be under way for a while: then the next call looks, and goes on.
        putForward(11_000)
        const report = wasKilled() ? yield* Effect.provide(ask("apply_plan", args), lives) : yield* Fiber.join(fiber)
        assert.deepInclude(report, { state: "applied", refused: [] }, `killed at write ${at}, which ${mode}`)
        return wasKilled()
      })

      const plan = yield* Effect.provide(ask("plan_promotion", { from: "staging", to: "production", name: "*" }), lives)
      assert.deepInclude(plan, { blocked: [] })
      const isForward = yield* applied(plan)
      const now = named(yield* Effect.provide(state, lives))
      after ??= now
      assert.deepStrictEqual(now, after, `promoted, killed at write ${at}, which ${mode}`)
      const back = yield* Effect.provide(ask("plan_rollback", { plan_id: plan["plan_id"] }), lives)
      assert.deepInclude(back, { blocked: [] })
      const isBack = yield* applied(back)
      assert.deepStrictEqual(
        yield* Effect.provide(state, lives),
        before,
        `rolled back, killed at write ${at}, which ${mode}`
      )
      kills += Number(isForward) + Number(isBack)
      if (!isForward && !isBack) return kills
    }
  })
  return yield* Effect.provideService(runs, Clock.Clock, clock)
})

describe("a promotion whose server is killed at any of its writes", () => {
  it.live("is resumed and rolled back to every field that was there before, from 1.82.3 to 2.41.1", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* promotions(["1.82.3", "2.41.1"], ["arrives", "is lost"]), 20)
    })
  )

  it.live("is resumed and rolled back to every field that was there before, from 2.41.1 to 1.82.3", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* promotions(["2.41.1", "1.82.3"], ["is lost", "arrives"]), 15)
    })
  )
})
