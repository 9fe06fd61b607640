import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { commitsOf } from "../../../src/engine/history/commits.ts"
import { driftIn } from "../../../src/engine/history/message.ts"
import { ask } from "../../support/harness.ts"
import { engineWith, serverOf, workflowOf } from "../../support/manyWorkflows.ts"
import { folder, git, historyIn } from "./support.ts"

const count = 500
const page = 100

const subjectsIn = (directory: string) =>
  git(directory, "log", "--reverse", "--format=%s")
    .split("\n")
    .filter((subject) => /^First seen: .* workflows/.test(subject))

describe("a history of thousands of workflows", () => {
  it.live("records each page before the next one is read", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const engine = engineWith(count)
      yield* Effect.gen(function* () {
        const { data } = yield* ask("backup")
        assert.nestedPropertyVal(data, "0.workflows", count)
        assert.deepStrictEqual(
          subjectsIn(directory),
          Array.from({ length: count / page }, () => `First seen: ${page} workflows on production`)
        )
      }).pipe(Effect.provide(serverOf(engine).pipe(Layer.provide(historyIn(directory)))))
    })
  )

  it("stops after every workflow of a page", () => {
    const workflows = Array.from({ length: page }, (_, at) => workflowOf(at))
    const ledger = {
      workflows: new Map(),
      lists: new Map(),
      authors: new Map(),
      isRecordedSince: () => false,
      beforePeople: new Map(),
      copied: new Set<string>()
    }
    const event = { _tag: "Seen", instance: "production", at: 0, workflows, gone: [] } as const
    const weights = [...commitsOf([event], ledger)]
    assert.lengthOf(weights, page)
    assert.isTrue(weights.every((weight) => weight > 1))
  })

  it("reads what a commit says of thousands of workflows once", () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `production/Order.w${at}.json: first version`)
    let reads = 0
    const commit = {
      hash: "0".repeat(40),
      when: "2026-01-01T00:00:00Z",
      author: "Ann",
      committer: "ann@example.test",
      get message() {
        reads++
        return ["First seen: 1000 workflows", "", ...lines, "", "At: 2026-01-01T00:00:00.000Z"].join("\n")
      }
    }
    const drift = driftIn(commit, "production")
    assert.lengthOf(drift, 1000)
    assert.deepInclude(drift[999], { id: "w999", name: "Order", when: "2026-01-01T00:00:00.000Z", isDeletion: false })
    assert.isBelow(reads, 5)
  })
})
