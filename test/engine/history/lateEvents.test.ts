import { readFileSync } from "node:fs"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"

import { History } from "../../../src/engine/client/History.ts"
import { commitsOf } from "../../../src/engine/history/commits.ts"
import { externalVersionsIn } from "../../../src/engine/history/externalVersions.ts"
import { ourselves } from "../../../src/engine/history/git/fastImport.ts"
import { gathered, type HistoryEvent, sinceOf } from "../../../src/engine/history/HistoryEvent.ts"
import { overtaken, recordedAgain } from "../../../src/engine/history/lateEvents.ts"
import { filesOf } from "../../../src/engine/history/layout.ts"
import { makeDeduplicate } from "../../../src/engine/history/sift.ts"
import { atOnce } from "../../../src/internal/Sliced.ts"
import { fakeGit } from "./processes.ts"
import { folder, git, historyIn } from "./support.ts"

const instance = "production"
const key = "production/w"
const workflow = (name: string, updatedAt: string, versionId = "v") => ({
  id: "w",
  name,
  updatedAt,
  versionId,
  nodes: [],
  connections: {},
  pinData: null
})
const seenSince = (since: number, at: number, ...workflows: ReadonlyArray<object>): HistoryEvent => ({
  _tag: "Seen",
  instance,
  since,
  at,
  workflows: workflows.map((one) => ({ ...one })),
  gone: []
})
const seen = (at: number, ...workflows: ReadonlyArray<object>) => seenSince(at, at, ...workflows)
const wrote = (at: number, before: object | undefined, after: object, more: object = {}): HistoryEvent => ({
  _tag: "Wrote",
  instance,
  since: at,
  at,
  id: "w",
  origin: { tool: "update_workflow", client: "Ann's client" },
  ...(before === undefined ? {} : { before: { ...before } }),
  after: { _tag: "Present", seen: { ...after } },
  ...more
})
const ledgerWith = (record: object, recordedAt: number) => ({
  workflows: new Map([[key, { base: "production/W.w", paths: ["production/W.w.json"], record: { ...record } }]]),
  lists: new Map<string, string>(),
  authors: new Map<string, string>(),
  isRecordedSince: (event: HistoryEvent) => sinceOf(event) <= recordedAt,
  beforePeople: new Map(),
  copied: new Set<string>()
})

/** Another process records a reading of a workflow. */
const seenElsewhere = (directory: string, record: object) =>
  History.use((history) => {
    const { drained, recordReading: saw } = history.of(instance, [], () => Effect.undefined)
    return Effect.andThen(saw({ since: 0, workflows: [{ ...record }] }), drained)
  }).pipe(Effect.provide(historyIn(directory)))

/** Another process records that a workflow is gone. */
const goneElsewhere = (directory: string) =>
  History.use((history) => {
    const { drained, recordReading: saw } = history.of(instance, [], () => Effect.undefined)
    return Effect.andThen(saw({ since: 0, gone: ["w"] }), drained)
  }).pipe(Effect.provide(historyIn(directory)))

const [one, two, three] = [workflow("1", "T1"), workflow("2", "T2"), workflow("3", "T3")]

describe("what another process was faster with", () => {
  it("is not undone by an older reading", () => {
    assert.deepStrictEqual(atOnce(commitsOf([seen(5, one)], ledgerWith(two, 6))), [])
  })

  it("is undone by a newer reading, as where an engine was put back to a backup of its own", () => {
    const [commit] = atOnce(commitsOf([seen(7, one)], ledgerWith(two, 6)))
    assert.include(commit?.message, "Changed elsewhere")
  })

  it("leaves no file of a name or a workflow that was there only between two readings that are recorded at once", () => {
    const filesAfter = (event: HistoryEvent) => {
      const files = new Set<string>()
      for (const { remove, write } of atOnce(commitsOf([event], ledgerWith(workflow("W", "T0"), 6)))) {
        for (const path of remove) files.delete(path)
        for (const path of write.keys()) files.add(path)
      }
      return [...files]
    }
    assert.deepStrictEqual(filesAfter(seen(7, one, two)), ["production/2.w.json"])
    const gone: HistoryEvent = { _tag: "Seen", instance, since: 7, at: 7, workflows: [{ ...one }], gone: ["w"] }
    assert.deepStrictEqual(filesAfter(gone), [])
  })

  it.live("is a row of its own for each version, to be read alone, where several are recorded at once", () =>
    Effect.gen(function* () {
      const {
        drained,
        read,
        recordReading: saw,
        together,
        versions
      } = (yield* History).of(instance, [], () => Effect.undefined)
      const names = ["First", "Second", "Third", "Fourth"]
      const all = names.map((name, place) => workflow(name, `T${place}`))
      yield* together(Effect.forEach(all, (record) => saw({ since: 0, workflows: [record, { ...record, id: "x" }] })))
      yield* drained
      const rows = (yield* versions("w", { limit: 10 })).data
      assert.deepStrictEqual(
        rows.map(({ change }) => change),
        ['name "Third" → "Fourth"', 'name "Second" → "Third"', 'name "First" → "Second"', "first seen"]
      )
      const records = yield* Effect.forEach(rows, ({ version }) => read("w", version, "after"))
      assert.deepStrictEqual(
        records.map((record) => record?.["name"]),
        names.toReversed()
      )
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(folder, historyIn))))
  )

  it("ends in the last of several versions of one reading, whoever made them and whatever they change", () => {
    const versions = [
      workflow("W", "T1", "a"),
      workflow("W", "T2", "b"),
      workflow("W", "T3", "c"),
      workflow("W", "T4", "d")
    ]
    const changed = versions.map((version, place) => {
      const node = { id: place === 3 ? "other" : "node", name: `Node ${Math.min(place, 2)}`, type: "t", parameters: {} }
      return { ...version, nodes: [node] }
    })
    const authors = new Map(
      versions.map(({ versionId }, place) => [`${key} ${versionId}`, ["Ann", "Bob"][place % 2] ?? ""])
    )
    const ledger = { ...ledgerWith(workflow("W", "T0"), 6), authors }
    const commits = atOnce(commitsOf([seen(7, ...changed)], ledger))
    assert.deepStrictEqual(
      commits.map(({ author, message }) => `${author}, ${message.split(":", 1)[0]}`),
      ["Ann, Changed elsewhere", "Bob, Changed elsewhere", "Ann, Changed elsewhere", `${ourselves}, Other ids of nodes`]
    )
    const record = ledger.workflows.get(key)?.record ?? {}
    assert.deepStrictEqual(commits.at(-1)?.write, filesOf("production/W.w", record))
  })

  it.live(
    "is undone by a reading that was begun later, and by none that was under way then, whatever an engine's clock says",
    () =>
      Effect.gen(function* () {
        const directory = yield* folder
        const sees = (since: number, record: object) =>
          History.use((history) =>
            Effect.gen(function* () {
              const { drained, recordReading: saw } = history.of(instance, [], () => Effect.undefined)
              yield* saw({ since, workflows: [{ ...record }] })
              yield* drained
            })
          ).pipe(Effect.provide(historyIn(directory)))
        const begun = yield* Clock.currentTimeMillis
        yield* sees(begun, workflow("2", "2026-01-01T00:00:02.000Z"))
        yield* sees(begun, workflow("1", "2026-01-01T00:00:01.000Z"))
        assert.strictEqual(git(directory, "log", "-1", "--format=%s"), "First seen: 2 on production\n")
        const later = 1 + (yield* Clock.currentTimeMillis)
        yield* sees(later, workflow("1", "2026-01-01T00:00:01.000Z"))
        assert.strictEqual(git(directory, "log", "-1", "--format=%s"), "Changed elsewhere: 1 on production\n")
      })
  )

  it.live("is told by the commits that were known when the engine was asked, however wrong all clocks are", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const [day, later] = ["2026-01-01T00:00:01.000Z", "2026-01-02T00:00:02.000Z"]
      const process = yield* Layer.build(historyIn(directory))
      const here = Context.get(process, History).of(instance, [], () => Effect.undefined)
      const elsewhere = (record: object) => seenElsewhere(directory, record)
      yield* elsewhere(workflow("2", later))
      yield* here.drained
      const { tip } = yield* here.mark
      yield* here.recordReading({ since: 0, tip, workflows: [workflow("1", day)] })
      yield* here.drained
      assert.strictEqual(git(directory, "log", "-1", "--format=%s"), "Changed elsewhere: 1 on production\n")

      const before = yield* here.mark
      yield* elsewhere(workflow("3", later))
      yield* here.recordReading({ ...before, since: Infinity, workflows: [workflow("1", day)] })
      yield* here.drained
      assert.strictEqual(git(directory, "log", "-1", "--format=%s"), "Changed elsewhere: 3 on production\n")
    })
  )

  it("stands in the end, after our own change that is recorded late, in its own words", () => {
    const ledger = ledgerWith(three, 6)
    const contents = { workflows: new Map(ledger.workflows), isRecordedSince: ledger.isRecordedSince }
    const all = [wrote(5, one, two)]
    assert.deepStrictEqual(overtaken(all, contents.workflows), [key])
    const messages = [...all, ...recordedAgain(all, contents, 8)].flatMap((event) =>
      atOnce(commitsOf([event], ledger)).map(({ author, message }) => `${author}: ${message.split("\n")[2]}`)
    )
    assert.deepStrictEqual(messages, [
      'Ann\'s client: production/2.w.json: name "1" → "2" (recorded late) [v]',
      'somebody else: production/3.w.json: name "2" → "3" [v]'
    ])
  })

  it("leaves our own creation in its own words, also where it has seen less of the workflow", () => {
    const pinned = { ...one, pinData: { Start: [] } }
    const { pinData: _, ...listedOnly } = pinned
    for (const [record, files] of [
      [pinned, 0],
      [listedOnly, 1]
    ] as const) {
      const ledger = ledgerWith(record, 6)
      const commits = atOnce(commitsOf([wrote(5, undefined, pinned, { isNew: true })], ledger))
      assert.deepStrictEqual(
        commits.map(({ author, message, write }) => [author, message.split("\n")[2], write.size]),
        [["Ann's client", "production/W.w.json: first version [v]", files]]
      )
      assert.deepStrictEqual(ledger.workflows.get(key)?.record, pinned)
    }
  })

  it("leaves our own change of a workflow of which it has seen only a list in its own words", () => {
    const [before, after] = [one, two].map((version) => ({ ...version, pinData: { Start: [] } }))
    const { pinData: _, ...listedOnly } = { ...after }
    const messages = atOnce(commitsOf([wrote(5, before, { ...after })], ledgerWith(listedOnly, 6)))
    assert.deepStrictEqual(
      messages.map(({ message }) => message.split("\n")[2]),
      ['production/W.w.json: name "1" → "2" [v]']
    )
  })

  it.live("leaves our own change in its own words whose answer does not show the workflow before", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const process = yield* Layer.build(historyIn(directory))
      const here = Context.get(process, History).of(instance, [], () => Effect.undefined)
      const elsewhere = (record: object) => seenElsewhere(directory, record)
      const off = { ...workflow("1", "T1"), active: false }
      const on = { ...off, updatedAt: "T2", active: true }
      const origin = { tool: "activate_workflow", client: "Ann's client", reason: undefined, id: undefined }
      const activated = (seen: object) => ({
        origin,
        at: 5,
        id: "w",
        touched: ["active"],
        after: Effect.succeed({ _tag: "Present" as const, seen: { ...seen } })
      })
      yield* here.recordReading({ since: 0, workflows: [{ ...off }] })
      yield* here.drained
      const mark = yield* here.mark
      yield* elsewhere({ ...on })
      yield* here.recordChange({ ...activated(on), ...mark })
      yield* here.drained
      assert.strictEqual(git(directory, "log", "-1", "--format=%s"), "activate_workflow: 1 on production\n")
      // A change of what was so already is none, whoever else has recorded the workflow meanwhile.
      const again = yield* here.mark
      const renamed = { ...on, name: "2", updatedAt: "T3" }
      yield* elsewhere(renamed)
      yield* here.recordChange({ ...activated(renamed), ...again })
      yield* here.drained
      assert.strictEqual(git(directory, "log", "-1", "--format=%s"), "Changed elsewhere: 2 on production\n")
    })
  )

  it.live.each(["of unknown outcome", "that showed the workflow"] as const)(
    "leaves our own deletion in its own words: one %s",
    (kind) =>
      Effect.gen(function* () {
        const directory = yield* folder
        const process = yield* Layer.build(historyIn(directory))
        const here = Context.get(process, History).of(instance, [], () => Effect.undefined)
        yield* here.recordReading({ since: 0, workflows: [{ ...one }] })
        yield* here.drained
        const mark = yield* here.mark
        yield* goneElsewhere(directory)
        assert.strictEqual(git(directory, "log", "-1", "--format=%s"), "Changed elsewhere: 1 on production\n")
        const state = kind === "of unknown outcome" ? {} : { before: { ...one } }
        const origin = { tool: "delete_workflow", client: "Ann's client", reason: undefined, id: undefined }
        const after = Effect.succeed({ _tag: "Deleted" as const })
        yield* here.recordChange({ origin, at: 5, id: "w", ...state, ...mark, after })
        yield* here.drained
        assert.strictEqual(
          git(directory, "log", "-1", "--format=%an: %s"),
          "Ann's client: delete_workflow: 1 on production\n"
        )
        const { data } = yield* here.versions("w", { limit: 1 })
        assert.deepStrictEqual(
          data.map(({ by, isDeletion }) => [by, isDeletion]),
          [["Ann's client", true]]
        )
        assert.deepInclude(yield* here.read("w", data[0]?.version ?? "", "before"), { name: "1" })
        assert.deepStrictEqual([...(yield* here.recordedIds)], [])
      })
  )

  it("is recorded again behind older changes alone: a newer reading of something older stays the last word", () => {
    const contents = ledgerWith(three, 6)
    assert.lengthOf(recordedAgain([seen(5, one)], contents, 8), 1)
    assert.deepStrictEqual(recordedAgain([seen(7, one)], contents, 8), [])
  })
})

describe("what waits for the repository", () => {
  it("is kept once for each state, and again after a change", () => {
    const fresh = makeDeduplicate()
    assert.lengthOf(fresh([seen(1, one), seen(2, one)]), 1)
    assert.lengthOf(fresh([seen(3, one)]), 0)
    assert.lengthOf(fresh([seen(4, two), wrote(5, two, one), seen(6, two)]), 3)
  })

  it("makes one commit of readings that follow on each other", () => {
    assert.deepStrictEqual(gathered([seen(1, one), seen(2, two), wrote(3, two, three), seen(4, three)]), [
      seenSince(1, 2, one, two),
      wrote(3, two, three),
      seen(4, three)
    ])
  })

  it("makes a commit of its own of a workflow that is there again after it was gone", () => {
    const gone: HistoryEvent = { _tag: "Seen", instance, since: 1, at: 1, workflows: [], gone: ["w"] }
    assert.deepStrictEqual(gathered([gone, seen(2, one)]), [gone, seen(2, one)])
  })
})

describe("the newest commit of a history", () => {
  it.live("is read from its file, without git, and asked of git where that has packed its refs", () =>
    Effect.gen(function* () {
      const [directory, elsewhere] = [yield* folder, yield* folder]
      const calls = path.join(elsewhere, "calls")
      const questions = () => (readFileSync(calls, "utf8").match(/for-each-ref/g) ?? []).length
      const layer = historyIn(directory, fakeGit(elsewhere, `echo "$*" >> '${calls}'`))
      yield* Effect.gen(function* () {
        const { drained, recordedIds, recordReading: saw } = (yield* History).of(instance, [], () => Effect.undefined)
        yield* saw({ since: 0, workflows: [one] })
        yield* drained
        const atFirst = questions()
        for (const record of [two, three]) {
          yield* saw({ since: 0, workflows: [record] })
          yield* drained
          assert.deepStrictEqual(yield* recordedIds, ["w"])
        }
        assert.strictEqual(questions(), atFirst)
        git(directory, "pack-refs", "--all")
        assert.deepStrictEqual(yield* recordedIds, ["w"])
        assert.strictEqual(questions(), atFirst + 1)
        assert.strictEqual(git(directory, "log", "-1", "--format=%s"), "Changed elsewhere: 3 on production\n")
      }).pipe(Effect.provide(layer))
    })
  )
})

describe("who made a version", () => {
  const recorded = new Map([[key, { record: workflow("1", "T1", "a") }]])

  it("is asked for one that none of our changes has made", () => {
    assert.deepStrictEqual(externalVersionsIn([seen(1, workflow("2", "T2", "b"))], recorded), [
      { instance, id: "w", since: "a", version: "b" }
    ])
  })

  it("is not asked for our own, nor for the first one", () => {
    const ours = workflow("2", "T2", "b")
    assert.deepStrictEqual(externalVersionsIn([wrote(1, workflow("1", "T1", "a"), ours), seen(2, ours)], recorded), [])
    assert.deepStrictEqual(externalVersionsIn([seen(1, ours)], new Map()), [])
  })
})
