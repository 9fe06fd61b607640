import { Context, Effect, Result } from "effect"

import { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { inSlices } from "../../../internal/effects.ts"
import { within } from "../../client/Deadline.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { readCases, runCases, type TestResult } from "../../operator/tests/runTests.ts"
import { usualConcurrency } from "../../operator/tests/runTestsTool.ts"
import type { TestFile } from "../../operator/tests/TestFile.ts"
import { TestFolder } from "../../operator/tests/TestFolder.ts"
import { problemText } from "../../operator/tests/testReport.ts"
import type { Workflow } from "../../workflow/models.ts"
import type { PromotionSettings } from "../settings.ts"
import { draftPromotion } from "./draftPromotion.ts"
import type { Input } from "./Input.ts"

/** Seconds for all tests of a plan together; as long as they take where nobody waits for an answer. */
export const TestSeconds = Context.Reference<number | undefined>("workflow-tool-server/engine/TestSeconds", {
  defaultValue: () => undefined
})

/**
 * A promotion with what blocks workflows that it would create or change: a recorded test that does not pass on the source,
 * or, where tests are required, none. They run on exactly what would be promoted.
 */
export const tested = Effect.fn("tested")(function* (
  source: EngineClient["Service"],
  tests: PromotionSettings["tests"],
  input: Input
): Effect.fn.Return<Input, ConfigurationError> {
  if (tests === "off") return input
  const { outcomes } = yield* inSlices(() => draftPromotion(input))
  const wanted = outcomes.flatMap(({ action, id }) => {
    const workflow = action === "create" || action === "update" ? input.source.get(id) : undefined
    return workflow === undefined ? [] : [workflow]
  })
  return wanted.length === 0
    ? input
    : {
        ...input,
        untested: new Map([...(yield* reasons(source, tests, input, wanted)), ...(input.untested ?? [])])
      }
})

/** The reasons for which workflows may not be promoted, by their ids. */
const reasons = Effect.fnUntraced(function* (
  source: EngineClient["Service"],
  tests: PromotionSettings["tests"],
  input: Input,
  wanted: ReadonlyArray<Workflow>
) {
  const files = yield* TestFolder
  if (files === undefined)
    return yield* unable("there is no folder: name it as tests in the configuration, or as --tests")
  if (source.isReadOnly) return yield* unable(`${source.instance}, where tests would run, is read-only`)
  const cases = yield* Effect.catchTag(readCases(files), "InvalidArgument", ({ message }) => unable(message))
  const [broken] = cases.flatMap(({ file, test }) => (Result.isFailure(test) ? [`${file}: ${test.failure}`] : []))
  if (broken !== undefined) return yield* unable(broken)

  const meant = (test: TestFile) => {
    const { id = "", name } = test.workflow
    const [only = id, ...others] = [...input.source.values()].flatMap((one) => (one.name === name ? [one.id] : []))
    const meantId = input.source.has(id) || others.length > 0 ? id : only
    return wanted.find((one) => one.id === meantId)
  }
  const chosen = cases.flatMap((one) => {
    const workflow = Result.isSuccess(one.test) ? meant(one.test.success) : undefined
    return workflow === undefined ? [] : [{ ...one, id: workflow.id }]
  })
  const seconds = yield* TestSeconds
  const results = yield* runCases(chosen, (test) => Effect.fromNullishOr(meant(test)), usualConcurrency).pipe(
    seconds === undefined ? (self) => self : within(`${seconds} seconds`),
    Effect.provideService(EngineClient, source)
  )
  return new Map(
    wanted.flatMap(({ id }) => {
      const ofWorkflow = results.filter((_, index) => chosen[index]?.id === id)
      const bad = ofWorkflow.find(({ verdict }) => verdict.outcome !== "passed")
      if (bad !== undefined) return [[id, failing(source.instance, bad)] as const]
      return ofWorkflow.length === 0 && tests === "required"
        ? [[id, `it has no test in ${files.folder}, and promotion.tests is "required"`] as const]
        : []
    })
  )
})

const failing = (instance: string, { file, verdict: { problems } }: TestResult): string => {
  const [first] = problems
  return `its test ${file} does not pass on ${instance}${first === undefined ? "" : ` (${problemText(first)})`}`
}

const unable = (problem: string) =>
  new ConfigurationError({ message: `promotion.tests asks for tests, which cannot be run: ${problem}` })
