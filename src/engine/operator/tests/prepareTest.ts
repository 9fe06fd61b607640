import { Result } from "effect"

import { listed } from "../../../internal/foreignText.ts"
import { nearest } from "../../../internal/texts.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { type Mock, type Mocks, mockable } from "../run/mocks.ts"
import { type Part, partOf, runningOf, unmockable } from "../run/Part.ts"
import { sideEffectsOf } from "../run/sideEffects.ts"
import { type NodeOutput, isForEveryRun, sourceItemsOf, runsOf } from "./NodeOutput.ts"
import type { TestFile } from "./TestFile.ts"

/** What it takes to run a test. */
export interface PreparedTest {
  readonly part: Part
  readonly mocks: Mocks
}

/** Checks a test against the workflow that it is to run on; the failure says why it cannot or must not run. */
export const prepareTest = (workflow: Workflow, { allow, expect, failsAt, mocks: given, trigger }: TestFile) =>
  Result.gen(function* () {
    const names = workflow.nodes.map(nameOf)
    const stranger = [
      trigger.node,
      ...Object.keys(given),
      ...Object.keys(expect),
      failsAt ?? trigger.node,
      ...allow
    ].find((name) => !names.includes(name))
    if (stranger !== undefined) return yield* Result.fail(gone(stranger, names))
    const mocks: Mocks = new Map(Object.entries(given).map(([name, one]) => [name, mockOf(one)]))
    for (const name of mocks.keys()) yield* mockable(workflow, name)
    const unfit = unmockable(workflow, mocks)
    if (unfit !== undefined) return yield* Result.fail(unfit)
    const part = yield* Result.mapError(partOf(workflow, mocks, { from: trigger.node }), ({ problem }) => problem)
    const outside = sideEffectsOf(runningOf(part, mocks)).filter(({ node }) => !allow.includes(node))
    if (outside.length > 0) return yield* Result.fail(reaching(outside))
    return { mocks, part } satisfies PreparedTest
  })

const mockOf = (given: NodeOutput): Mock => {
  const from = sourceItemsOf(given)
  return {
    runs: runsOf(given),
    repeats: isForEveryRun(given),
    ...(from.some((one) => one !== undefined) ? { from } : {})
  }
}

const gone = (name: string, names: ReadonlyArray<string>): string => {
  const guess = nearest(name, names)
  return `the workflow has no node ${name}${guess === undefined ? "" : `: is it ${guess} now?`}`
}

const reaching = (outside: ReturnType<typeof sideEffectsOf>): string => {
  const told = outside.map(({ does, node, type }) => `${node} (${type}${does === undefined ? "" : `: ${does}`})`)
  return (
    `${listed(told, 5)} would really act outside. ` +
    "Give what it gives out under mocks, or, if a person wants that, name it under allow"
  )
}
