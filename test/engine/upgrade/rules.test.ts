import { Parser } from "acorn"
import { assert, describe, it } from "vitest"

import { boundedParser } from "../../../src/engine/nodes/check/javaScript.ts"
import { collectNodeTypes } from "../../../src/engine/nodes/collectNodeTypes.ts"
import { codeReader } from "../../../src/engine/upgrade/code.ts"
import { typeChange } from "../../../src/engine/upgrade/compareTypes.ts"
import type { Facts, Sample } from "../../../src/engine/upgrade/Rule.ts"
import { isBeyondRules, rules, severityOf, stageOf } from "../../../src/engine/upgrade/rules.ts"
import { compareVersions } from "../../../src/engine/workflow/releases.ts"
import { described } from "../../cli/nodes/packages.ts"
import { factIds } from "./factIds.ts"

const code = codeReader(boundedParser({ Parser }))

const factsOf = ({ outlines = [], seconds = {} }: Sample): Facts => ({
  code,
  outlines: new Map(outlines.map((one) => [one.id, one])),
  seconds: new Map(Object.entries(seconds))
})

describe("rules of upgrades", () => {
  it("are about the changes of the fact sheet, all of them and no others", () => {
    assert.deepStrictEqual(rules.map(({ id }) => id).toSorted(), factIds.toSorted())
  })

  it.each(rules)("$id finds its sample, and nothing in its counter-sample", (rule) => {
    const [finding, ...others] = rule.find(rule.sample, factsOf(rule.sample))
    assert.strictEqual(finding && severityOf(finding), rule.severity)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(rule.find(rule.counterSample, factsOf(rule.counterSample)), [])
  })

  it.each(rules)(
    "$id is the only one of its severity that finds its sample, but for files and modes of agents",
    (rule) => {
      const ids = rules.filter((other) => other.find(rule.sample, factsOf(rule.sample)).length > 0).map(({ id }) => id)
      assert.deepStrictEqual(
        ids.filter((id) => id !== rule.id && id !== "U2-files"),
        []
      )
    }
  )

  it.each<[id: string, from: string | undefined, to: string, stage: string | undefined]>([
    ["U3-function", "1.82.3", "2.42.5", undefined],
    ["U3-function", "1.82.3", "2.42.6", "frozen"],
    ["U3-function", "2.48.5", "3.0", "changed"],
    ["U3-function", undefined, "3.1.2", "changed"],
    ["U2-env", "1.82.3", "2.0", "changed"],
    ["U2-env", "1.82.3", "1.123.4", undefined],
    ["U2-env", "2.41.1", "3.0", undefined],
    ["U2-start", "2.41.1", "3.0", "changed"],
    ["U2-env", undefined, "3.0", "changed"]
  ])("%s on the way from %s to %s is %s", (id, from, to, stage) => {
    const rule = rules.find((one) => one.id === id)
    assert.strictEqual(rule && stageOf(rule, { from, to }), stage)
  })

  it("compare versions by their numbers", () => {
    assert.isBelow(compareVersions("2.9", "2.10"), 0)
    assert.strictEqual(compareVersions("3.0", "3.0.0-rc.1"), 0)
    assert.isAbove(compareVersions("2.42.10", "2.42.6"), 0)
    assert.deepStrictEqual(["3.0", "3.0.7", "3.1", "4.0", "2.99"].map(isBeyondRules), [false, false, true, true, false])
  })

  it("leave to the node types of the target which versions of a type are deprecated", () => {
    const target = collectNodeTypes([
      described("merge", { version: [2], deprecated: true, replacedByNodeType: "n8n-nodes-base.set" }),
      described("merge", { version: [3] })
    ]).flatMap(({ versions }) => versions)
    const old = typeChange(2, { present: undefined, target })
    assert.deepInclude(old, { isDeprecated: true, isGone: false, replacedBy: "n8n-nodes-base.set" })
    assert.isUndefined(typeChange(3, { present: undefined, target }))
  })
})
