import { Console, Deferred, Effect, Layer, Predicate } from "effect"

import { oneLine } from "../../internal/foreignText.ts"
import { noteInstance } from "../../mcp/callContext.ts"
import type { Answer, Tool } from "../../mcp/Tool.ts"
import type { ToolFailure } from "../../mcp/ToolError.ts"
import { calledAtOnce } from "../audit/calledAtOnce.ts"
import type { Launch } from "../configuration/Launch.ts"
import { stopRequested } from "../stopRequested.ts"
import { watching } from "../telemetry/watching.ts"
import { audit } from "../toolsets/toolsets.ts"

/** Makes a task observable, and records its calls. What calls engines has to be made inside. */
export const watched =
  (launch: Launch) =>
  <A, E, R>(task: Effect.Effect<A, E, R>) =>
    Effect.flatMap(watching(launch), ({ layer }) => Effect.provide(task, Layer.merge(audit(launch, "command"), layer)))

/** A task, or 130 once it is to stop. */
export const untilStopped = <A, E, R>(task: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(task, Effect.as(stopRequested, 130))

/** Failures reported in one line; usage errors are left to the command. */
export const isOfEngines = (error: unknown): error is { readonly message: string } =>
  Predicate.hasProperty(error, "message") && !Predicate.isTagged(error, "UsageError")

export const reported = ({ message }: { readonly message: string }) => Effect.as(Console.error(oneLine(message)), 1)

/** A part of a task that does what a tool does. */
interface Part<A, E> {
  readonly tool: Pick<Tool, "annotations" | "name">
  readonly instance: string
  /** Arguments with which the tool would be called, as far as they are ids. */
  readonly input?: object
  /** The error of the tool. */
  readonly render: (error: E) => ToolFailure
  readonly work: Effect.Effect<A, E>
}

/** Does a part of a task as a call of the tool that does the same, and ends as the work does. */
export const asCall = Effect.fnUntraced(function* <A, E>({ input = {}, instance, render, tool, work }: Part<A, E>) {
  const ended = yield* Deferred.make<A, E>()
  const call = () =>
    Effect.flatMap(noteInstance, (note) => note(instance)).pipe(
      Effect.andThen(work),
      Effect.tap((done) => Deferred.succeed(ended, done)),
      Effect.tapError((error) => Deferred.fail(ended, error)),
      Effect.mapBoth({ onSuccess: (): Answer => ({ content: [] }), onFailure: render })
    )
  yield* Effect.ignore(calledAtOnce({ ...tool, call }, input))
  return yield* Deferred.await(ended)
})
