import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { checkWorkflow } from "../../../src/engine/nodes/check/checkWorkflow.ts"
import { inWords } from "../../../src/engine/nodes/check/Finding.ts"
import { brokenDrafts } from "./broken.ts"
import { catalog } from "./catalog.ts"
import type { Draft } from "./drafts.ts"
import { soundDrafts } from "./sound.ts"

/** Whether the embedded engine describes every node of a draft; real engines are held against all of them. */
const isDescribed = ({ nodes }: Draft) =>
  nodes.every(({ type, typeVersion }) => {
    const entry = catalog.find(String(type))
    return entry !== undefined && entry.isBare !== true && entry.versions.includes(Number(typeVersion))
  })

const linesOf = (draft: Draft) => Effect.map(checkWorkflow(draft, catalog), (findings) => findings.map(inWords))

describe("check_workflow with the nodes of the embedded engine", () => {
  const broken = brokenDrafts.filter(({ draft }) => isDescribed(draft))
  const sound = soundDrafts.filter(([, draft]) => isDescribed(draft))

  for (const { draft, said, title } of broken) {
    it.effect(`finds ${title}, and nothing else`, () =>
      Effect.gen(function* () {
        const lines = yield* linesOf(draft)
        for (const one of said)
          assert.isTrue(one.test("") || lines.some((line) => one.test(line)), `${one}\n${lines.join("\n")}`)
        for (const line of lines)
          assert.isTrue(
            said.some((one) => one.test(line)),
            line
          )
      })
    )
  }

  for (const [title, draft] of sound) {
    it.effect(`finds nothing in ${title}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* linesOf(draft), [])
      })
    )
  }

  it("has some of each to look at", () => {
    assert.isAtLeast(broken.length, 30)
    assert.isAtLeast(sound.length, 10)
  })
})
