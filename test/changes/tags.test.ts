import { assert, describe, it } from "@effect/vitest"
import { Effect, HashMap, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"

import * as Run from "../../src/changes/apply/Run.ts"
import { runPlan } from "../../src/changes/apply/runPlan.ts"
import { complete } from "../../src/changes/Driver.ts"
import { inMemory, type Journal } from "../../src/changes/Journal.ts"
import type { Draft } from "../../src/changes/Plan.ts"
import {
  ApplyStopped,
  GuardViolation,
  JournalFailed,
  NothingToRollBack,
  PlanExpired,
  type PlanError,
  PlanNotFound,
  PlanSpent
} from "../../src/changes/PlanError.ts"
import * as Plans from "../../src/changes/Plans.ts"
import * as PlanState from "../../src/changes/PlanState.ts"
import { PlanSources, make as sourceOf } from "../../src/changes/tools/PlanSource.ts"
import { applyPlan, auditLog, planRollback, showPlan } from "../../src/changes/tools/planTools.ts"
import { renderPlanError } from "../../src/changes/tools/renderPlanError.ts"
import { ApiError, OutcomeUnknown } from "../../src/engine/client/EngineError.ts"
import { Instances } from "../../src/engine/client/Instances.ts"
import { EmbeddedEngine } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { layerInstance } from "../../src/engine/toolset/embedded.ts"
import { TagId } from "../../src/engine/workflow/models.ts"
import { ToolError } from "../../src/mcp/ToolError.ts"
import { inTime } from "../support/inTime.ts"
import { type Faults, idOf, invert, make, type TagChange } from "./tagsDriver.ts"

const engine = Instances.layer.pipe(Layer.provide(layerInstance()), Layer.provide(EmbeddedEngine.layer({ seed: true })))

const draftOf = (changes: ReadonlyArray<TagChange>): Draft<TagChange> => ({
  kind: "tags",
  steps: changes.map((change) => ({ id: idOf(change), change, reason: "asked for", undo: invert(change) })),
  warnings: [],
  blocked: []
})

const client = Effect.flatMap(Instances, (instances) => instances.resolve())

/** Plans over the engine and a journal, as one process has them. */
const plansWith = (journal: Journal<TagChange>, faults: Faults = {}) =>
  Effect.flatMap(client, (engine) => Plans.make({ driver: make(engine, faults), journal, planMinutes: 15 }))

const Listed = Schema.Array(
  Schema.Struct({ id: Schema.String, tags: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String }))) })
)
const workflows = Effect.gen(function* () {
  const { data } = yield* (yield* client).listWorkflows({ limit: 250 })
  return yield* Schema.decodeUnknownEffect(Listed)(data)
})

/** The names of all tags, and of the tags of every workflow. */
const tagsNow = Effect.gen(function* () {
  const engine = yield* client
  const { data: tags } = yield* engine.listTags({ limit: 250 })
  const listed = yield* workflows
  return {
    tags: tags.map(({ name }) => name).toSorted(),
    labels: Object.fromEntries(
      listed.map(({ id, tags: labels }) => [id, (labels ?? []).map(({ name }) => name).toSorted()])
    )
  }
})

/** A tag that is there, one that is new, and three workflows to carry it. */
const changes = Effect.gen(function* () {
  const engine = yield* client
  const { id } = yield* engine.createTag("old")
  const data = (yield* workflows).slice(0, 3)
  const tag = { created_by: "create new" }
  const wanted: ReadonlyArray<TagChange> = [
    { kind: "create", name: "new" },
    { kind: "rename", tag: id, before: "old", after: "older" },
    ...data.map((workflow) => ({ kind: "label", workflow: workflow.id, tag, before: false, after: true }) as const)
  ]
  return wanted
})

const refused = new ApiError({ instance: "embedded", httpStatus: 400, problem: "not this one", apiResponse: null })
const unanswered = new OutcomeUnknown({ instance: "embedded", operation: "set tags", problem: "no answer" })

const render = (error: PlanError | { readonly message: string }) =>
  "_tag" in error && isPlanError(error)
    ? renderPlanError(error)
    : new ToolError({ blame: "upstream", code: "ENGINE", message: error.message, details: {} })
const isPlanError = (error: object): error is PlanError =>
  [ApplyStopped, GuardViolation, JournalFailed, NothingToRollBack, PlanExpired, PlanNotFound, PlanSpent].some(
    (one) => error instanceof one
  )

/** The steps that a fault is about, by the kind of their change. */
const at =
  (isAbout: (change: TagChange) => boolean, fault: Effect.Effect<void, typeof refused | typeof unanswered>) =>
  (change: TagChange) =>
    isAbout(change) ? fault : Effect.void

/** A state in a form that can be compared. */
const comparable = (state: PlanState.PlanState<TagChange> | undefined) => ({
  ...state,
  steps: Object.fromEntries(state === undefined ? [] : HashMap.toEntries(state.steps))
})

it("a journal that cannot be used is told in whole sentences", () => {
  const messageOf = (problem: string) => new JournalFailed({ problem }).message
  const end = "Nothing further was changed."
  assert.strictEqual(messageOf("it is full"), `The journal of plans cannot be used: it is full. ${end}`)
  assert.strictEqual(messageOf("It is full."), `The journal of plans cannot be used: It is full. ${end}`)
  assert.strictEqual(messageOf("Is it there?"), `The journal of plans cannot be used: Is it there? ${end}`)
})

describe("plans of tags over an engine", () => {
  it.effect("are applied, told, and rolled back by the tools of plans", () =>
    Effect.gen(function* () {
      const plans = yield* plansWith(yield* inMemory<TagChange>())
      const wanted = yield* changes
      const before = yield* tagsNow
      const source = sourceOf(plans, render)
      const call = <A, E>(program: Effect.Effect<A, E, PlanSources>) =>
        inTime(Effect.provideService(program, PlanSources, [source]))
      const { id: plan_id } = yield* plans.keep(draftOf(wanted))
      assert.deepStrictEqual(yield* tagsNow, before)
      const applied = yield* call(applyPlan.call({ plan_id, confirm: true }))
      assert.deepInclude(applied.structured, { state: "applied", done: 5, total: 5 })
      assert.include((yield* tagsNow).tags.join(), "new,older")
      const shownPlan = yield* call(showPlan.call({ plan_id }))
      assert.deepInclude(shownPlan.structured, { state: "applied", done: 5 })
      const back = yield* call(planRollback.call({ plan_id }))
      const undone = yield* call(applyPlan.call({ plan_id: back.structured?.["plan_id"], confirm: true }))
      assert.deepInclude(undone.structured, { state: "applied" })
      assert.deepStrictEqual(yield* tagsNow, before)
      const log = yield* call(auditLog.call({ plan_id }))
      assert.deepInclude(log.structured, { total: 7 })
    }).pipe(Effect.provide(engine))
  )

  it.effect("go on where a killed process left off, and roll back what both have done", () =>
    Effect.gen(function* () {
      const journal = yield* inMemory<TagChange>()
      let labelled = 0
      const after = at(({ kind }) => kind === "label" && ++labelled === 2, Effect.die("killed"))
      const doomed = yield* plansWith(journal, { after })
      const wanted = yield* changes
      const before = yield* tagsNow
      const { id } = yield* doomed.keep(draftOf(wanted))
      yield* Effect.exit(inTime(doomed.apply(id)))
      const next = yield* plansWith(journal)
      assert.deepInclude(yield* next.state(id), { done: 2, isBegun: true, isFinished: false })
      const report = yield* inTime(next.apply(id))
      assert.deepInclude(report, { state: "applied", done: 5 })
      assert.strictEqual(report.found, 2)
      const back = yield* inTime(next.rollback(id))
      assert.deepInclude(yield* inTime(next.apply(back.id)), { state: "applied" })
      assert.deepStrictEqual(yield* tagsNow, before)
      assert.deepInclude(yield* next.state(id), { isRolledBack: true })
    }).pipe(Effect.provide(engine))
  )

  it.effect("are rolled back after the clock was set back", () =>
    Effect.gen(function* () {
      const plans = yield* plansWith(yield* inMemory<TagChange>())
      const wanted = yield* changes
      const before = yield* tagsNow
      yield* TestClock.setTime(7_200_000)
      const { id } = yield* plans.keep(draftOf(wanted))
      assert.deepInclude(yield* inTime(plans.apply(id)), { state: "applied" })
      yield* TestClock.setTime(3_600_000)
      const back = yield* inTime(plans.rollback(id))
      assert.deepInclude(yield* inTime(plans.apply(back.id)), { state: "applied" })
      assert.deepStrictEqual(yield* tagsNow, before)
    }).pipe(Effect.provide(engine))
  )

  it.effect("are bisected down to the step that the engine refuses, which is tried again by the next apply", () =>
    Effect.gen(function* () {
      const wanted = yield* changes
      const [, , , odd] = wanted
      let isClosed = true
      const isOdd = (change: TagChange) =>
        isClosed && change.kind === "label" && odd?.kind === "label" && change.workflow === odd.workflow
      const plans = yield* plansWith(yield* inMemory<TagChange>(), { before: at(isOdd, Effect.fail(refused)) })
      const { id } = yield* plans.keep(draftOf(wanted))
      const report = yield* inTime(plans.apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 4 })
      assert.deepStrictEqual(
        report.refused.map(({ step }) => step),
        odd === undefined ? [] : [idOf(odd)]
      )
      isClosed = false
      assert.deepInclude(yield* inTime(plans.apply(id)), { state: "applied", done: 5, refused: [] })
    }).pipe(Effect.provide(engine))
  )

  it.effect("read what became of a change whose answer was lost, and do not repeat what shows", () =>
    Effect.gen(function* () {
      let lost = 0
      const after = at(({ kind }) => kind === "create" && ++lost === 1, Effect.fail(unanswered))
      const plans = yield* plansWith(yield* inMemory<TagChange>(), { after })
      const { id } = yield* plans.keep(draftOf(yield* changes))
      assert.deepInclude(yield* inTime(plans.apply(id)), { state: "applied", done: 5 })
      assert.lengthOf(
        (yield* tagsNow).tags.filter((name) => name === "new"),
        1
      )
    }).pipe(Effect.provide(engine))
  )

  it.effect("leave alone what someone else has changed since, in an apply and in a rollback", () =>
    Effect.gen(function* () {
      const plans = yield* plansWith(yield* inMemory<TagChange>())
      const engine = yield* client
      const wanted = yield* changes
      const rename = (name: string) =>
        Effect.forEach(wanted, (change) =>
          change.kind === "rename" && typeof change.tag === "string"
            ? engine.updateTag(TagId.make(change.tag), name)
            : Effect.void
        )
      const { id } = yield* plans.keep(draftOf(wanted))
      yield* rename("theirs")
      const report = yield* inTime(plans.apply(id))
      assert.deepInclude(report, { state: "partly applied", done: 4 })
      assert.include(report.refused[0]?.problem, "someone else has changed it")
      yield* rename("old")
      assert.deepInclude(yield* inTime(plans.apply(id)), { state: "applied", done: 5 })
      yield* rename("theirs again")
      const back = yield* inTime(plans.rollback(id))
      assert.deepInclude(back.blocked[0], { reason: "someone else has changed it since, and it stays as it is" })
      yield* inTime(plans.apply(back.id))
      assert.include((yield* tagsNow).tags, "theirs again")
    }).pipe(Effect.provide(engine))
  )

  it.effect("are not applied where the upstream says no more than why nothing may be changed", () =>
    Effect.gen(function* () {
      const driver = { ...make(yield* client), readOnly: () => ({ reason: "tags are closed" }) }
      const plans = yield* Plans.make({ driver, journal: yield* inMemory<TagChange>(), planMinutes: 15 })
      const before = yield* tagsNow
      const { id } = yield* plans.keep(draftOf(yield* changes))
      const created = yield* tagsNow
      const refusal = yield* Effect.flip(plans.apply(id))
      assert.include(refusal.message, "tags are closed")
      assert.deepStrictEqual(yield* tagsNow, created)
      assert.notDeepEqual(created, before)
    }).pipe(Effect.provide(engine))
  )
})

describe("the state of an apply", () => {
  const fault = fc.constantFrom("refused", "lost", "lost but done", "killed", "none")
  const runs = fc.sample(fc.array(fc.array(fault, { maxLength: 8 }), { minLength: 1, maxLength: 3 }), {
    numRuns: 40,
    seed: 7
  })

  /** Faults in the order in which changes are sent. */
  const faultsOf = (kinds: ReadonlyArray<string>): Faults => {
    let count = 0
    const of = (kind: string | undefined, ...kindsAt: ReadonlyArray<string>) => {
      if (kind === undefined || !kindsAt.includes(kind)) return Effect.void
      return kind === "killed" ? Effect.die(kind) : Effect.fail(kind === "refused" ? refused : unanswered)
    }
    return {
      before: () => Effect.suspend(() => of(kinds[count], "refused", "lost")),
      after: () => Effect.suspend(() => of(kinds[count++], "lost but done", "killed"))
    }
  }

  it.effect.each(runs)("equals at its end what the journal folds to: %j", (kinds) =>
    Effect.gen(function* () {
      const journal = yield* inMemory<TagChange>()
      const { id } = yield* (yield* plansWith(journal)).keep(draftOf(yield* changes))
      let types = new Set<string>()
      for (const some of kinds) {
        const state = PlanState.fold(yield* journal.entries, id)
        if (state === undefined || state.isFinished) continue
        const driver = complete(make(yield* client, faultsOf(some)))
        const run = yield* Run.make({
          driver,
          journal,
          original: undefined,
          overtaken: new Map(),
          sentTimes: new Map(),
          until: Infinity,
          state
        })
        yield* Effect.exit(inTime(runPlan(run, () => Effect.void)))
        assert.deepStrictEqual(comparable(PlanState.fold(yield* journal.entries, id)), comparable(run.state))
        types = new Set((yield* journal.entries).map(({ type }) => type))
      }
      assert.include([...types], "begun")
    }).pipe(Effect.provide(engine))
  )
})
