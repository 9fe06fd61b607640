import { Effect, Result } from "effect"

import { byNode, type RunData } from "../../operator/explain/runData.ts"
import { itemsOf } from "../../operator/tests/NodeOutput.ts"
import { shapeOf } from "../../operator/tests/shape.ts"
import { fileName, printTest, type TestFile } from "../../operator/tests/TestFile.ts"
import { TestFolder } from "../../operator/tests/TestFolder.ts"
import { keptTest } from "../../operator/tests/testFromExecution.ts"
import type { Execution } from "../../workflow/models.ts"

/** A failed run that passes with a fix. */
interface Passed {
  readonly test: TestFile
  readonly after: RunData
  /** Names of the nodes that only the temporary copy had. */
  readonly helpers: ReadonlySet<string>
  readonly execution: Execution
}

/** Keeps a failed run that passes now as a recorded test: every node that ran gives as many items, of the same shape. */
export const keepTest = Effect.fnUntraced(function* ({ after, execution, helpers, test }: Passed) {
  const others = new Set([...helpers, ...Object.keys(test.mocks), test.trigger.node])
  const expect = [...byNode(after)]
    .filter(([node]) => !others.has(node))
    .map(([node, runs]) => {
      const items = runs.flatMap((one) => itemsOf(one).flat())
      return [node, { shape: shapeOf(items), items: items.length }] as const
    })
  const name = `${test.workflow.name ?? "Workflow"} (failed run ${execution.id})`
  const files = yield* TestFolder
  if (files?.write === undefined) return notKept("there is no folder of tests that may be written to")
  const kept = keptTest({ ...test, name, expect: Object.fromEntries(expect) })
  if (Result.isFailure(kept)) return notKept(kept.failure)
  const written = yield* Effect.result(files.write(fileName(name), printTest(kept.success.test), { overwrite: false }))
  return Result.isFailure(written) ? notKept(written.failure.message) : { file: written.success }
})

const notKept = (why: string) => ({ guidance: `No test was kept: ${why}` })
