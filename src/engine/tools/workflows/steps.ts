import { Effect } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { type EngineError, StepFailed } from "../../client/EngineError.ts"

interface Story {
  readonly id: string
  /** What has already happened to the workflow: "created". */
  readonly done: string
  /** What is tried now: "its activation". */
  readonly step: string
}

/** A later step of a tool call: when it fails, the error says what has already happened. */
export const whileDone = <A, R>(
  self: Effect.Effect<A, EngineError, R>,
  story: Story
): Effect.Effect<A, StepFailed, R | EngineClient> =>
  Effect.catch(self, (error) =>
    EngineClient.use(({ instance }) => Effect.fail(stepFailed(error, { ...story, instance })))
  )

/** The failure of one step, with what is already done, and the engine's own answer where there was one. */
export const stepFailed = (error: EngineError, story: Story & { readonly instance: string }): StepFailed =>
  new StepFailed({
    ...story,
    problem: error.message,
    ...(error._tag === "ApiError" ? { httpStatus: error.httpStatus, apiResponse: error.apiResponse } : {})
  })
