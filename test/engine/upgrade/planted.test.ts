import { Parser } from "acorn"
import { assert, describe, it } from "vitest"

import { boundedParser } from "../../../src/engine/nodes/check/javaScript.ts"
import { codeReader } from "../../../src/engine/upgrade/code.ts"
import { outlineOf } from "../../../src/engine/upgrade/Outline.ts"
import { findingsIn, rules, rulesOn, severityOf } from "../../../src/engine/upgrade/rules.ts"
import { formsOf, planted } from "./planted.ts"

const facts = {
  code: codeReader(boundedParser({ Parser })),
  outlines: new Map(planted.map(({ workflow }) => [workflow.id, outlineOf(workflow)])),
  seconds: new Map<string, number>()
}

const textOf = ({
  node = "",
  rule,
  severity
}: {
  readonly node?: string
  readonly rule: string
  readonly severity: string
}) => `${rule} ${node}: ${severity}`

const results = planted.map(({ expected, workflow }) => ({
  workflow: workflow.id,
  expected: expected.map(textOf).toSorted(),
  actual: findingsIn(workflow, facts, rulesOn({ from: "1.82.3", to: "3.0" }))
    .map((finding) => textOf({ ...finding, severity: severityOf(finding) }))
    .toSorted()
}))

describe("the planted workflows", () => {
  it("are more than 400, with five forms and more of every rule that is not about past runs", () => {
    assert.isAtLeast(planted.length, 400)
    const few = rules.filter(({ id }) => (formsOf.get(id) ?? 0) < 5).map(({ id }) => id)
    assert.deepStrictEqual(few, ["U3-minute"])
  })

  it("are all found, with the right effect", () => {
    const missed = results.flatMap(({ actual, expected, workflow }) =>
      expected.filter((one) => !actual.includes(one)).map((one) => `${workflow} ${one}`)
    )
    assert.deepStrictEqual(missed, [])
  })

  it("are not said to stop where nothing stops, and hardly anything else is found in them", () => {
    const wrong = results.flatMap(({ actual, expected, workflow }) =>
      actual.filter((one) => !expected.includes(one)).map((one) => `${workflow} ${one}`)
    )
    assert.deepStrictEqual(
      wrong.filter((one) => one.endsWith(": stops")),
      []
    )
    assert.isBelow(wrong.length / results.flatMap(({ actual }) => actual).length, 0.01, wrong.join("\n"))
  })
})
