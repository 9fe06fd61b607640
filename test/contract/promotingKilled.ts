import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Schema, type Scope } from "effect"
import { HttpClient } from "effect/http"

import { inMemory } from "../../src/changes/Journal.ts"
import type { Change } from "../../src/engine/plans/Change.ts"
import { WorkflowJournal } from "../../src/engine/plans/Plans.ts"
import { type Place, serverWithPlans } from "../engine/plans/support.ts"
import { passthroughTrigger } from "../support/engineNodes.ts"
import { ask, type Json } from "../support/harness.ts"
import { movedClock } from "../support/movedClock.ts"
import { decodeTags, scene } from "./twoEngines.ts"

/** Two engines, which outlive every server, and the client that reaches both. */
export interface World {
  readonly places: { readonly staging: Place; readonly production: Place }
  readonly client: HttpClient.HttpClient
}

const calling = (id: string) => ({
  name: "Call",
  type: "n8n-nodes-base.executeWorkflow",
  typeVersion: 1.2,
  position: [220, 0],
  parameters: { workflowId: { __rl: true, mode: "list", value: id, cachedResultUrl: `/workflow/${id}` } }
})

/** A workflow with a sub-workflow, two that call each other, and one that the target has in another form. */
const seeded = Effect.fnUntraced(function* (isPublishing: boolean) {
  const all = yield* scene
  const { activate, change, hook, make, tagged } = all
  const sub = yield* make("staging", "Sub", { nodes: [passthroughTrigger] })
  const main = yield* make("staging", "Main", { nodes: [hook("main"), calling(sub)], settings: { timezone: "UTC" } })
  const one = yield* make("staging", "One")
  const two = yield* make("staging", "Two", { nodes: [hook("two"), calling(one)] })
  yield* change("staging", one, { nodes: [hook("one"), calling(two)] })
  const ours = yield* make("staging", "Ours", { settings: { timezone: "UTC", errorWorkflow: main } })
  const counterpart = yield* make("production", "Ours", {
    nodes: [hook("elsewhere")],
    settings: { executionTimeout: 60 }
  })
  yield* make("production", "Bystander")
  yield* tagged("staging", main, "a", "b")
  yield* tagged("staging", ours, "a")
  yield* tagged("production", counterpart, "own", "b")
  // Newer engines only run what calls published workflows.
  if (isPublishing) yield* activate("staging", sub)
  yield* activate("staging", main)
  yield* activate("production", counterpart)
  return all
})

const decodeVersion = Schema.decodeUnknownOption(Schema.Struct({ nodes: Schema.Unknown, connections: Schema.Unknown }))

/** The parts that may be others after a plan and its rollback: moments, counters, and the names of versions. */
const changing = ["updatedAt", "versionId", "versionCounter", "activeVersionId", "triggerCount", "shared"]

/** Every field of the target's workflows, and its tags. */
const stateOf = Effect.fnUntraced(function* ({ listed }: Effect.Success<typeof scene>) {
  const workflows = yield* listed("production", "workflows")
  return {
    tags: (yield* listed("production", "tags")).map(({ name }) => name).toSorted(),
    workflows: workflows
      .map(({ activeVersion, tags, ...fields }) => ({
        ...Object.fromEntries(Object.entries(fields).filter(([field]) => !changing.includes(field))),
        id: fields.id,
        name: fields.name,
        published: decodeVersion(activeVersion),
        tags: decodeTags(tags)
          .map((tag) => tag.name)
          .toSorted()
      }))
      .toSorted((x, y) => (x.name < y.name ? -1 : 1))
  }
})
type State = Effect.Success<ReturnType<typeof stateOf>>

/** The same with names in place of ids and without moments, which differ from one promotion to the next. */
const named = ({ tags, workflows }: State): unknown => ({
  tags,
  workflows: JSON.parse(
    workflows
      .reduce((text, { id, name }) => text.replaceAll(id, `<${name}>`), JSON.stringify(workflows))
      .replace(/"createdAt":"[^"]*"/g, '"createdAt":""')
  )
})

type Mode = "arrives" | "is lost"

/** Does something on a server of its own, which shares nothing with others that run. */
const on = <A, E, R, R2>(server: Layer.Layer<R2>, work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, server, { local: true })

/** How often a promotion and its rollback were killed: each at every so many of its writes. */
const promotions = Effect.fnUntraced(function* (
  { client, places }: World,
  { first, isPublishing, modes, stride }: Omit<Kills, "worldOf">
) {
  const { clock, putForward, setRight } = yield* movedClock

  /** A server that dies at its nth write, whether that arrives or not: from then on nothing of it is heard. */
  const doomed = Effect.fnUntraced(function* (
    journal: WorkflowJournal["Service"],
    { at, mode }: { readonly at: number; readonly mode: Mode }
  ) {
    const died = yield* Deferred.make<void>()
    let writes = 0
    const underWay: Array<Effect.Effect<void>> = []
    const gone = Effect.suspend(() => (writes >= at ? Effect.never : Effect.void))
    const killable = HttpClient.transform(client, (proceed, request) => {
      if (request.method === "GET")
        return Effect.andThen(
          gone,
          Effect.tap(proceed, () => gone)
        )
      return Effect.suspend(() => {
        const mine = ++writes
        if (mine < at) {
          const settled = Deferred.makeUnsafe<void>()
          underWay.push(Deferred.await(settled))
          return proceed.pipe(
            Effect.ensuring(Deferred.succeed(settled, undefined)),
            Effect.tap(() => gone)
          )
        }
        if (mine > at) return Effect.never
        const last = mode === "arrives" ? Effect.exit(proceed) : Effect.void
        // It and the writes before it arrive long before anybody goes on: the clock is only put forward for that.
        return last.pipe(
          Effect.andThen(Effect.all(underWay)),
          Effect.andThen(Deferred.succeed(died, undefined)),
          Effect.andThen(Effect.never)
        )
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

  const healthy = (journal: WorkflowJournal["Service"]) =>
    serverWithPlans(places, client, {}, Layer.succeed(WorkflowJournal, journal))

  const runs = Effect.gen(function* () {
    const all = yield* seeded(isPublishing)
    const before = yield* stateOf(all)
    let after: unknown
    let kills = 0
    for (let at = first; ; at += stride) {
      setRight()
      const mode = modes[kills % 2] ?? "arrives"
      const journal = yield* inMemory<Change>()
      const lives = healthy(journal)

      const applied = Effect.fnUntraced(function* (plan: Json) {
        const { died, server, wasKilled } = yield* doomed(journal, { at, mode })
        const args = { plan_id: plan["plan_id"], confirm: true }
        const fiber = yield* Effect.forkDetach(on(server, ask("apply_plan", args)))
        yield* Effect.raceFirst(died, Effect.asVoid(Fiber.await(fiber)))
        // What was lost may still be under way for a while, which the next call waits for.
        const time = Effect.sync(() => putForward(11_000))
        const resumed = (kills === 0 ? Effect.forkChild(Effect.delay(time, "200 millis")) : time).pipe(
          Effect.andThen(on(lives, ask("apply_plan", args)))
        )
        const report = yield* wasKilled() ? resumed : Fiber.join(fiber)
        assert.deepInclude(report, { state: "applied", refused: [] }, `killed at write ${at}, which ${mode}`)
        return wasKilled()
      })

      const plan = yield* on(lives, all.plan())
      assert.deepInclude(plan, { blocked: [] })
      const isForward = yield* applied(plan)
      const now = named(yield* stateOf(all))
      after ??= now
      assert.deepStrictEqual(now, after, `promoted, killed at write ${at}, which ${mode}`)
      const back = yield* on(lives, ask("plan_rollback", { plan_id: plan["plan_id"] }))
      assert.deepInclude(back, { blocked: [] })
      const isBack = yield* applied(back)
      assert.deepStrictEqual(yield* stateOf(all), before, `rolled back, killed at write ${at}, which ${mode}`)
      kills += Number(isForward) + Number(isBack)
      if (!isForward && !isBack) return kills
    }
  })
  return yield* runs.pipe(
    Effect.provide(healthy(yield* inMemory<Change>())),
    Effect.provideService(Clock.Clock, clock),
    Effect.scoped
  )
})

interface Kills {
  readonly worldOf: Effect.Effect<World, never, Scope.Scope>
  /** Whether the source only runs what calls published workflows. */
  readonly isPublishing: boolean
  /** How the first, the third, … kill strikes, and how the others do. */
  readonly modes: readonly [Mode, Mode]
  /** The first write at which it strikes, and how many there are from one to the next. */
  readonly first: number
  readonly stride: number
}

/** Tests of promotions whose server is killed, embedded or real. */
export const killedSuite = (title: string, { worldOf, ...kills }: Kills) => {
  describe(`A promotion ${title} whose server is killed in the middle`, () => {
    it.live(
      "is resumed and rolled back to every field that was there before",
      () =>
        Effect.gen(function* () {
          const struck = yield* promotions(yield* worldOf, kills)
          assert.isAbove(struck, 15 / kills.stride)
        }),
      180_000
    )
  })
}
