import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"

import { JournalFailed } from "../../src/changes/PlanError.ts"
import { auditLog, showPlan } from "../../src/changes/tools/planTools.ts"
import { journal, journalReading, problemWith } from "../../src/cli/marketplace/configured.ts"
import { Entry, PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig } from "../../src/marketplace/client/MarketplaceConfig.ts"
import { planMinusPhrases } from "../../src/marketplace/plan/planMinusPhrases.ts"
import type { Needs } from "../../src/marketplace/tools/catalog.ts"
import { pauseCampaign } from "../../src/marketplace/tools/startPause.ts"
import type { Answer } from "../../src/mcp/Tool.ts"
import { withAdsPlans } from "./offered.ts"
import { embeddedClient, interceptedClient, inTime, plansOver, smallMarketplace } from "./support.ts"

const temporaryFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "plans-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "journal.jsonl")
)

const keepPlan = Effect.gen(function* () {
  const { guards } = yield* MarketplaceConfig
  const { adverts } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [1001] }))
  return yield* Plans.use((plans) =>
    plans.keep(planMinusPhrases({ campaigns: adverts, current: [], phrases: ["a"], mode: "merge", guards }))
  )
})

/** Whether something beside the file says that a process has it. */
const isLocked = (file: string) =>
  readdirSync(dirname(file)).some((entry) => entry.startsWith(`${basename(file)}.lock`))

const apply = (id: string) => Plans.use((plans) => plans.apply(id))

const Text = Schema.optionalKey(Schema.String)
const Log = Schema.Struct({
  entries: Schema.Array(Schema.Struct({ what: Schema.String, plan_id: Text, problem: Text }))
})
const rowsOf = ({ structured }: Answer) =>
  Effect.map(Schema.decodeUnknownEffect(Log)(structured), ({ entries }) => entries)

const readEntry = Schema.decodeUnknownSync(Schema.fromJsonString(Entry))

/** A server process with its journal in a file. */
const aProcess = (file: string) => plansOver({}, embeddedClient, journal(file))

describe("a journal in a file", () => {
  it.effect("keeps plans and their progress for the next process, also where its last line is incomplete", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { id, steps } = yield* Effect.provide(keepPlan, aProcess(file), { local: true })
      appendFileSync(file, '{"type":"begun","at":1,"plan_id":"half a li')
      const report = yield* inTime(
        Plans.use((plans) => plans.apply(id)).pipe(Effect.provide(aProcess(file), { local: true }))
      )
      assert.deepInclude(report, { state: "applied", done: 3 })
      const entries = readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => readEntry(line))
      assert.deepStrictEqual([entries[0]?.type, entries.at(-1)?.type], ["planned", "finished"])
      const about = (step: string) =>
        entries.filter((entry) => "steps" in entry && entry.steps.includes(step)).map(({ type }) => type)
      for (const { id: step } of steps) assert.deepStrictEqual(about(step), ["begun", "done"])
      const again = yield* Effect.flip(
        Plans.use((plans) => plans.apply(id)).pipe(Effect.provide(aProcess(file), { local: true }))
      )
      assert.strictEqual(again._tag, "PlanSpent")
    }).pipe(Effect.provide(smallMarketplace()))
  )

  it.effect("loses the steps of plans that expire without being begun, and of no other", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const size = () => readFileSync(file).byteLength
      const inAProcess = <A, E>(work: Effect.Effect<A, E, Needs>) =>
        inTime(Effect.provide(work, aProcess(file), { local: true }), 5)
      const manySteps = Effect.gen(function* () {
        const { guards } = yield* MarketplaceConfig
        const { adverts: campaigns } = yield* MarketplaceAds.use((ads) => ads.getAdvertsV2({ ids: [1001] }))
        const phrases = Array.from({ length: 900 }, (_, index) => `phrase number ${index}`)
        const draft = planMinusPhrases({ campaigns, current: [], phrases, mode: "merge", guards })
        return yield* Plans.use((plans) => plans.keep(draft))
      })
      const begun = yield* inAProcess(manySteps)
      yield* inAProcess(apply(begun.id))
      yield* TestClock.adjust("16 minutes")
      const expired = yield* inAProcess(Effect.replicateEffect(manySteps, 6))
      const full = size()
      assert.isAbove(full, 400_000)
      yield* TestClock.adjust("16 minutes")
      const { id: last } = yield* inAProcess(keepPlan)
      assert.isBelow(size(), full / 3)
      const [first] = expired
      const error = yield* Effect.flip(inAProcess(apply(first?.id ?? "")))
      assert.strictEqual(error._tag, "PlanExpired")
      const look = (plan_id: string) => inAProcess(withAdsPlans(showPlan.call({ plan_id })))
      assert.deepInclude((yield* look(begun.id)).structured, { state: "applied", total: 3 })
      assert.deepInclude((yield* look(last)).structured, { state: "planned" })
      const { structured } = yield* inAProcess(withAdsPlans(auditLog.call({ plans: true, limit: 20 })))
      assert.include(
        JSON.stringify(structured),
        `"what":"planned","plan_id":"${first?.id}","kind":"minus-phrases","steps":3`
      )
      const back = yield* inAProcess(Plans.use((plans) => plans.rollback(begun.id)))
      assert.lengthOf(back.steps, 3)
    }).pipe(Effect.provide(smallMarketplace()))
  )

  it.effect("keeps what it has decoded for the next reading, and nothing of it where the file is long", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const line = JSON.stringify({ type: "stopped", at: 1, plan_id: "p", problem: "x".repeat(100_000) })
      const lines = (count: number) => `${line}\n`.repeat(count)
      const first = Plans.use(({ entries }) => Effect.map(entries, ([one]) => one))
      yield* Effect.gen(function* () {
        writeFileSync(file, lines(1))
        const one = yield* first
        assert.strictEqual(yield* first, one)
        writeFileSync(file, lines(90))
        yield* first
        const again = yield* first
        assert.deepStrictEqual(again, one)
        assert.notStrictEqual(again, one)
        assert.notStrictEqual(yield* first, again)
      }).pipe(Effect.provide(aProcess(file), { local: true }))
    }).pipe(Effect.provide(smallMarketplace()))
  )

  it.effect("fails where it cannot be read, and is not begun anew", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      appendFileSync(file, "this is no journal\nand never was\n")
      const problem = yield* problemWith(file)
      assert.include(problem, `line 1 of ${file} is no entry of this journal, and neither is any other.`)
      const error = yield* Effect.flip(keepPlan.pipe(Effect.provide(aProcess(file), { local: true })))
      assert.deepStrictEqual(error, new JournalFailed({ problem: problem ?? "" }))
      assert.strictEqual(readFileSync(file, "utf8"), "this is no journal\nand never was\n")
    }).pipe(Effect.provide(smallMarketplace()))
  )

  it.effect("with a broken line is read but for that line, which is named, and is written further", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const inAProcess = <A, E>(work: Effect.Effect<A, E, Needs>) =>
        // Small steps: the disk takes real time, in which a plan would expire.
        inTime(Effect.provide(work, aProcess(file), { local: true }), 5)
      const applied = yield* inAProcess(keepPlan)
      yield* inAProcess(apply(applied.id))
      yield* TestClock.adjust("1 second")
      const planned = yield* inAProcess(keepPlan)
      const whole = readFileSync(file, "utf8").trim().split("\n")
      const broken = whole.findLastIndex((line) => line.includes('"type":"done"'))
      const of = whole.map((line, index) => (index === broken ? line.slice(0, -30) : line))
      writeFileSync(file, `${of.join("\n")}\n\0\0\0\n{"type":"begun","at":9e15,"plan_id":"another","steps":[]}\n`)
      const named = (line: number) =>
        `line ${line} of ${file} is no entry of this journal: look at it, then repair or remove it`

      const log = yield* Effect.flatMap(inAProcess(withAdsPlans(auditLog.call({ limit: 500 }))), rowsOf)
      const problems = log.flatMap(({ problem, what }) => (what === "unreadable" ? [problem] : []))
      assert.deepStrictEqual(problems, [whole.length + 2, whole.length + 1, broken + 1].map(named))
      assert.includeMembers(
        log.map(({ plan_id }) => plan_id),
        [applied.id, planned.id, "another"]
      )
      const steps = log.filter(({ what }) => what === "done").length
      assert.strictEqual(steps, 2)
      const unreadable = yield* Effect.flatMap(
        inAProcess(withAdsPlans(auditLog.call({ plan_id: applied.id, limit: 500 }))),
        rowsOf
      )
      assert.include(
        unreadable.map(({ problem }) => problem),
        named(broken + 1)
      )

      const plan = yield* inAProcess(withAdsPlans(showPlan.call({ plan_id: applied.id })))
      assert.deepInclude(plan.structured, { state: "applied", done: 2 })
      assert.include(JSON.stringify(plan.structured?.["warnings"]), named(broken + 1))

      // Nobody can know whether the lines without a plan tell that this one was begun.
      const refused = yield* Effect.flip(inAProcess(apply(planned.id)))
      assert.include(
        refused.message,
        `${named(whole.length + 1)}. It may be about plan ${planned.id}: make a new plan.`
      )
      const back = yield* inAProcess(Plans.use((plans) => plans.rollback(applied.id)))
      assert.include(back.warnings.join(), `${named(broken + 1)}: changes that only it records are not rolled back`)
      // The broken step was begun, which another line tells: it comes back as well.
      assert.deepInclude(yield* inAProcess(apply(back.id)), { state: "applied", done: 3 })
    }).pipe(Effect.provide(smallMarketplace()))
  )

  it.effect("is read where nothing may be written, and not created where it does not exist", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const readOnly = plansOver({ readOnly: true }, embeddedClient, journalReading(file))
      const look = (plan_id: string) =>
        withAdsPlans(Effect.all([showPlan.call({ plan_id }), auditLog.call({ plan_id })])).pipe(
          Effect.provide(readOnly, { local: true })
        )
      assert.strictEqual((yield* Effect.flip(look("none"))).message.slice(0, 21), "There is no plan none")
      const forgotten = yield* keepPlan.pipe(Effect.provide(readOnly, { local: true }))
      assert.isFalse(existsSync(file))
      const { id } = yield* Effect.provide(keepPlan, aProcess(file), { local: true })
      const before = readFileSync(file, "utf8")
      const [plan, log] = yield* look(id)
      assert.deepInclude(plan.structured, { plan_id: id, state: "planned" })
      assert.deepInclude(log.structured, { total: 1 })
      assert.strictEqual(readFileSync(file, "utf8"), before)
      assert.notInclude(before, `"reverses":"${forgotten.id}"`)
    }).pipe(Effect.provide(smallMarketplace()))
  )

  it.effect("is locked by its process while a plan is applied, and only then", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const locks: Array<boolean> = []
      const watched = interceptedClient((path) => {
        locks.push(isLocked(file))
        return path.endsWith("nothing") ? {} : undefined
      })
      yield* Effect.gen(function* () {
        const { id } = yield* keepPlan
        assert.deepStrictEqual([...new Set(locks.splice(0))], [false])
        yield* inTime(apply(id))
        assert.deepStrictEqual([...new Set(locks.splice(0))], [true])
        assert.isFalse(isLocked(file))
      }).pipe(Effect.provide(plansOver({}, watched, journal(file)), { local: true }))
    }).pipe(Effect.provide(smallMarketplace()))
  )

  it.effect("takes the pauses of another process at once while a plan is applied, and keeps them in their order", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const begun = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const held = Effect.gen(function* () {
        const journal = yield* PlanJournal
        yield* journal.hold(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(released)))
      }).pipe(Effect.provide(aProcess(file), { local: true }))
      const applying = yield* Effect.forkChild(held)
      yield* Deferred.await(begun)
      const other = Effect.forEach(
        [1001, 1002, 1003],
        (advert_id) => pauseCampaign.call({ advert_id, confirm: true }),
        { concurrency: "unbounded" }
      )
      const answers = yield* Effect.provide(inTime(other, 1), aProcess(file), { local: true })
      for (const { structured } of answers) {
        assert.deepInclude(structured, { done: true })
        assert.include(String(structured?.["next"]), "audit_log shows what was done")
      }
      assert.isTrue(isLocked(file))
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(applying)
      const log = yield* Effect.flatMap(withAdsPlans(auditLog.call({ limit: 500 })), rowsOf).pipe(
        Effect.provide(aProcess(file), { local: true })
      )
      assert.lengthOf(
        log.filter(({ what }) => what === "pause the campaign"),
        3
      )
    }).pipe(Effect.provide(smallMarketplace()))
  )
})
