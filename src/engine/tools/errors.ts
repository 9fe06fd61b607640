import { Effect, Match } from "effect"

import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { AnswerTooLarge, InvalidArgument, ToolError, type ToolFailure } from "../../mcp/ToolError.ts"
import type { EngineError } from "../client/EngineError.ts"

/** Everything that the program of an engine tool can fail with. */
export type Failure = ConfigurationError | EngineError | ToolFailure

type Rendering = Pick<ToolError, "blame" | "code" | "details">

const caller = (code: string, details: Rendering["details"]): Rendering => ({ blame: "caller", code, details })
const upstream = (code: string, details: Rendering["details"]): Rendering => ({ blame: "upstream", code, details })

/** A new kind of error does not compile until it has its row here. */
const render: (error: ConfigurationError | EngineError) => Rendering = Match.type<
  ConfigurationError | EngineError
>().pipe(
  Match.tagsExhaustive({
    ApiError: ({ apiResponse, httpStatus, instance }) => upstream("API_ERROR", { instance, httpStatus, apiResponse }),
    AuthenticationFailed: ({ apiResponse, instance }) =>
      upstream("AUTHENTICATION_ERROR", { instance, httpStatus: 401, apiResponse }),
    ForeignAnswer: ({ apiResponse, httpStatus, instance, kind }) =>
      upstream("API_ERROR", { instance, httpStatus, apiResponse, foreign: kind }),
    FrozenNodes: ({ instance, names, version }) =>
      caller("FROZEN_NODES", { instance, nodes: names, ...(version === undefined ? {} : { version }) }),
    ConfigurationError: () => upstream("CONFIGURATION_ERROR", {}),
    InstanceNotFound: ({ available }) => caller("INSTANCE_NOT_FOUND", { availableInstances: available }),
    InvalidWorkflow: ({ details = {} }) => caller("VALIDATION_ERROR", details),
    NetworkError: ({ address, code, instance }) =>
      upstream(code, { instance, ...(address === undefined ? {} : { address }) }),
    OutcomeUnknown: ({ instance, operation }) => upstream("OUTCOME_UNKNOWN", { instance, operation }),
    PermissionDenied: ({ apiResponse, instance }) => upstream("API_ERROR", { instance, httpStatus: 403, apiResponse }),
    ProtectedWorkflow: ({ id, instance, kind, name, others }) =>
      caller("PROTECTED", {
        instance,
        kind,
        ...(id === undefined ? {} : { id }),
        name,
        ...(others.length === 0 ? {} : { others })
      }),
    ReadOnlyInstance: ({ instance, operation }) => caller("READ_ONLY", { instance, operation }),
    ServerStopping: ({ instance }) => upstream("SERVER_STOPPING", { instance }),
    StepFailed: ({ apiResponse, done, httpStatus, id, instance, step }) =>
      upstream("STEP_FAILED", {
        instance,
        id,
        done,
        step,
        ...(httpStatus === undefined ? {} : { httpStatus, apiResponse })
      }),
    Timeout: ({ address, instance, milliseconds, outcomeUnknownOf }) =>
      upstream("TIMEOUT", {
        instance,
        ...(address === undefined ? {} : { address }),
        milliseconds,
        // Clients read `unsettled`; it keeps that name.
        ...(outcomeUnknownOf === undefined ? {} : { unsettled: outcomeUnknownOf })
      }),
    TooLargeToShow: ({ bytes, instance }) => upstream("ANSWER_TOO_LARGE", { instance, bytes }),
    WorkflowBusy: ({ id, instance }) => upstream("TIMEOUT", { instance, id }),
    WorkflowChanged: ({ changed, id, instance }) => upstream("CONFLICT", { instance, id, changed })
  })
)

/** The one place where an error about an engine becomes a tool's error. */
export const toToolError = (error: ConfigurationError | EngineError): ToolError =>
  new ToolError({ message: error.message, ...("advice" in error ? { advice: error.advice } : {}), ...render(error) })

/** Any failure of a program around engines as a tool's failure; one that is a tool's failure already stays as it is. */
export const toToolFailure = (error: Failure): ToolFailure => (isToolFailure(error) ? error : toToolError(error))

const isToolFailure = (error: Failure): error is ToolFailure =>
  ["ToolError", "InvalidArgument", "AnswerTooLarge", "AnswerUnwritable"].includes(error._tag)

/** Adds the instance of a call to failures that do not name it. */
export const onInstance = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  instance: string
): Effect.Effect<A, AnswerTooLarge | E | InvalidArgument, R> =>
  Effect.mapError(self, (failure) => {
    if (failure instanceof InvalidArgument && !failure.message.includes(`instance ${instance}`)) {
      const { advice, argument, problem } = failure
      const place = ` (instance ${instance})`
      return advice === undefined
        ? new InvalidArgument({ argument, problem: `${problem}${place}` })
        : new InvalidArgument({ argument, problem, advice: `${advice}${place}` })
    }
    if (failure instanceof AnswerTooLarge) {
      const { advice, bytes, limit, orMore = false } = failure
      return new AnswerTooLarge({ bytes, limit, orMore, advice: `${advice} (instance ${instance})` })
    }
    return failure
  })
