import { Schema } from "effect"

import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { frozenAdvice } from "../workflow/frozenTypes.ts"
import type { InvalidWorkflow } from "../workflow/models.ts"

/** The caller asked for an instance that is not configured. */
export class InstanceNotFound extends Schema.TaggedError<InstanceNotFound>()("InstanceNotFound", {
  name: Schema.String,
  available: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Instance ${this.name} not found. Available: ${this.available.join(", ")}`
  }
}

/** The engine accepts neither key header, or the key grants nothing. */
export class AuthenticationFailed extends Schema.TaggedError<AuthenticationFailed>()("AuthenticationFailed", {
  instance: Schema.String,
  apiResponse: Schema.Unknown
}) {
  override get message() {
    return `API call failed for instance ${this.instance}: Authentication failed. Check API key.`
  }
}

/** The key is valid, but may not do this. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  instance: Schema.String,
  apiResponse: Schema.Unknown,
  /** The step that was not begun, where the engine tells beforehand what the key may do. */
  reason: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const denied = `API call failed for instance ${this.instance}: Insufficient permissions.`
    return this.reason === undefined ? denied : `${denied} ${this.reason}`
  }
}

/** The engine refused. */
export class ApiError extends Schema.TaggedError<ApiError>()("ApiError", {
  instance: Schema.String,
  httpStatus: Schema.Int,
  problem: Schema.String,
  /** The thing that the engine does not have, such as `workflow 12`; only of a 404. */
  missing: Schema.optionalKey(Schema.String),
  apiResponse: Schema.Unknown
}) {
  override get message() {
    return `API error: ${this.problem}`
  }
}

/**
 * Something else than the engine answered, such as a proxy, a login page, or the page that a starting engine shows: nothing
 * follows from it about what was asked for, nor whether a change was made.
 */
export class ForeignAnswer extends Schema.TaggedError<ForeignAnswer>()("ForeignAnswer", {
  instance: Schema.String,
  httpStatus: Schema.Int,
  /** "an HTML page", "plain text", "other JSON", "an empty answer", "a redirect". */
  kind: Schema.String,
  problem: Schema.String,
  apiResponse: Schema.Unknown
}) {
  override get message() {
    return `API error: ${this.problem}`
  }
}

/** The same refusal with a more helpful message. */
export const reworded = ({ apiResponse, httpStatus, instance, missing }: ApiError, problem: string): ApiError =>
  new ApiError({ instance, httpStatus, problem, apiResponse, ...(missing === undefined ? {} : { missing }) })

/** An upstream call timed out. `outcomeUnknownOf` is a change that was sent, and may or may not have happened. */
export class Timeout extends Schema.TaggedError<Timeout>()("Timeout", {
  instance: Schema.String,
  milliseconds: Schema.Int,
  outcomeUnknownOf: Schema.optionalKey(Schema.String),
  address: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const message = `Connection timeout after ${this.milliseconds}ms. Check instance availability.`
    return this.outcomeUnknownOf === undefined
      ? message
      : `${message} ${outcomeUnknown(this.outcomeUnknownOf, this.instance)}`
  }
}

const outcomeUnknown = (operation: string, instance: string) =>
  `The outcome of ${operation} on instance ${instance} is unknown: it was sent, and not repeated. ` +
  "Read the current state before trying again."

/** No complete answer: `code` is ECONNREFUSED, ENOTFOUND, ETIMEDOUT or NETWORK_ERROR. */
export class NetworkError extends Schema.TaggedError<NetworkError>()("NetworkError", {
  instance: Schema.String,
  code: Schema.String,
  problem: Schema.String,
  /** Whether an answer had begun, but could not be used. */
  wasReached: Schema.optionalKey(Schema.Boolean),
  /** The address that was tried, unless the caller may not see it. */
  address: Schema.optionalKey(Schema.String),
  /** Advice for the person who configures the instance. */
  remedy: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const { address, instance, problem, remedy, wasReached } = this
    const failed =
      wasReached === true
        ? "answered nothing that can be used"
        : `cannot be reached${address === undefined ? "" : ` at ${address}`}`
    return `Instance ${instance} ${failed}: ${problem}${remedy === undefined ? "" : `. ${remedy}`}`
  }
}

/** The answer is larger than what may be shown; it was not read to its end. */
export class TooLargeToShow extends Schema.TaggedError<TooLargeToShow>()("TooLargeToShow", {
  instance: Schema.String,
  bytes: Schema.Int
}) {
  override get message() {
    return `The answer of instance ${this.instance} is ${this.bytes} bytes or more, which is too large to be shown`
  }
}

/** A change was sent and its answer was lost: it may or may not have happened, and was not repeated. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  instance: Schema.String,
  operation: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `No answer from the engine: ${this.problem}. ${outcomeUnknown(this.operation, this.instance)}`
  }
}

/** The instance, or the whole server, is configured as read-only. */
export class ReadOnlyInstance extends Schema.TaggedError<ReadOnlyInstance>()("ReadOnlyInstance", {
  instance: Schema.String,
  operation: Schema.String,
  /** The reason, if it is not in the configuration. */
  reason: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return `Instance ${this.instance} is read-only: ${this.operation} was not sent. ${
      this.reason ?? "Its configuration (readOnly) or the server's --read-only forbids changes."
    }`
  }
}

/** A workflow is protected by the configuration, or a tag protects workflows, and no person has agreed to its change. */
export class ProtectedWorkflow extends Schema.TaggedError<ProtectedWorkflow>()("ProtectedWorkflow", {
  instance: Schema.String,
  kind: Schema.Literals(["workflow", "tag"]),
  id: Schema.optionalKey(Schema.String),
  name: Schema.String,
  /** Other workflows that the same call would change. */
  others: Schema.Array(Schema.String),
  /** Everything that has to be agreed to, including a workflow's new name. */
  names: Schema.Array(Schema.String),
  /** A fingerprint of what would be done to each of them. */
  fingerprints: Schema.Array(Schema.String),
  /** The workflow before and after. */
  becoming: Schema.optionalKey(Schema.Struct({ before: JsonObject, after: JsonObject }))
}) {
  override get message() {
    const { instance, kind, name, others } = this
    const all = [name, ...others].map((one) => JSON.stringify(one)).join(", ")
    const what = kind === "tag" ? "Tag" : "Workflow"
    const [ending, are, were] = others.length === 0 ? ["", "is", "was"] : ["s", "are", "were"]
    return (
      `${what}${ending} ${all} on instance ${instance} ${are} protected (plans.guards.protected), and ${were} not changed. ` +
      this.advice
    )
  }

  get advice() {
    return "Ask a person; when they have agreed to exactly this change, make the same call with one more argument beside its own, confirm_protected: true."
  }
}

/** The engine lets nobody create or change nodes of types that it will lose. */
export class FrozenNodes extends Schema.TaggedError<FrozenNodes>()("FrozenNodes", {
  instance: Schema.String,
  names: Schema.Array(Schema.String),
  /** The version from which that follows, before anything was sent. */
  version: Schema.optionalKey(Schema.String),
  /** The answer of the engine, where it was sent. */
  reply: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const { instance, names, reply, version } = this
    const nodes = names.map((name) => JSON.stringify(name)).join(", ")
    const why =
      reply ??
      `The engine of instance ${instance} (${version}) lets nobody create or change nodes of this deprecated type: ${nodes}. Nothing was sent.`
    return `${why} On instance ${instance}, ${frozenAdvice}.`
  }
}

/** The workflow has changed since it was read: by the caller (`ifVersion`), or within this call. */
export class WorkflowChanged extends Schema.TaggedError<WorkflowChanged>()("WorkflowChanged", {
  instance: Schema.String,
  id: Schema.String,
  /** The changed parts, as far as they are known: "name", "nodes (Fetch changed)". */
  changed: Schema.Array(Schema.String),
  since: Schema.Literals(["ifVersion", "meanwhile"])
}) {
  override get message() {
    const when = this.since === "ifVersion" ? "since ifVersion was read" : "by someone else meanwhile"
    return (
      `Workflow ${this.id} on instance ${this.instance} was changed ${when}: ${this.changed.join(", ")}. ` +
      `Nothing was written. ${this.advice}`
    )
  }

  get advice() {
    return "Look at it with get_workflow, and repeat the change on what it is now."
  }
}

/** Earlier changes of the same workflow did not end in time, on this server or on another one that shares its locks. */
export class WorkflowBusy extends Schema.TaggedError<WorkflowBusy>()("WorkflowBusy", {
  instance: Schema.String,
  id: Schema.String,
  /** Another reason for the delay of this change. */
  problem: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const change = `workflow ${this.id} on instance ${this.instance}`
    const why =
      this.problem === undefined
        ? `Earlier changes of ${change} have not ended: this one`
        : `${this.problem}: this change of ${change}`
    return `${why} had no turn in time, and nothing of it was sent. ${this.advice}`
  }

  get advice() {
    return "Look at the workflow with get_workflow before trying again."
  }
}

/** A workflow was written, but a later step of the same tool call failed. Nothing is rolled back. */
export class StepFailed extends Schema.TaggedError<StepFailed>()("StepFailed", {
  instance: Schema.String,
  id: Schema.String,
  done: Schema.String,
  step: Schema.String,
  problem: Schema.String,
  /** The status of the engine's refusal, if it was one. */
  httpStatus: Schema.optionalKey(Schema.Int),
  apiResponse: Schema.optionalKey(Schema.Unknown)
}) {
  override get message() {
    return `Workflow ${this.id} on instance ${this.instance} was ${this.done}, but ${this.step} failed: ${this.problem}`
  }
}

/** The server is shutting down, and ends a run that would have taken longer. */
export class ServerStopping extends Schema.TaggedError<ServerStopping>()("ServerStopping", {
  instance: Schema.String,
  /** Whether something was done before. */
  isBegun: Schema.Boolean
}) {
  override get message() {
    return this.isBegun
      ? `This server was told to stop: the run on instance ${this.instance} was broken off. What its nodes had done until then stays.`
      : `This server was told to stop: nothing was run on instance ${this.instance}.`
  }
}

/** All errors of calls to engines and of rules about workflows. */
export type EngineError =
  | ApiError
  | AuthenticationFailed
  | ForeignAnswer
  | FrozenNodes
  | InstanceNotFound
  | InvalidWorkflow
  | NetworkError
  | OutcomeUnknown
  | PermissionDenied
  | ProtectedWorkflow
  | ReadOnlyInstance
  | ServerStopping
  | StepFailed
  | Timeout
  | TooLargeToShow
  | WorkflowBusy
  | WorkflowChanged
