import { Effect } from "effect"

import { listed } from "../../internal/foreignText.ts"
import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import { callSeconds } from "../../mcp/callContext.ts"
import { Elicitation } from "../../mcp/Elicitation.ts"
import { InvalidArgument, ToolError } from "../../mcp/ToolError.ts"
import { within } from "../client/Deadline.ts"
import { EngineClient } from "../client/EngineClient.ts"
import type { CredentialType } from "../workflow/models.ts"
import { inQuotes } from "../workflow/names.ts"
import { engineName } from "../workflow/naming.ts"
import { type CredentialSource, CredentialSources } from "./CredentialSources.ts"

/** A credential whose values a call does not hold. */
interface Valueless {
  readonly tool: "create_credential" | "plan_rotation" | "update_credential"
  readonly name: string
  readonly type: CredentialType
}

const inTerminal = (tool: Valueless["tool"]) =>
  `name a source of the configuration, let a person run \`workflow-tool-server call ${tool}\` with \`--data @FILE\` in a terminal, or enter them in the engine UI. ` +
  "Do not ask for secrets in the conversation"

interface Values {
  readonly data?: JsonObject | undefined
  readonly source?: string | undefined
}

/** The values that a caller gives, with those of a source that it names; `undefined` where it does neither. */
export const givenValues = Effect.fnUntraced(function* (
  { data, source }: Values,
  use: CredentialSource["use"] = "credentials"
) {
  if (source === undefined) return data
  const sources = yield* CredentialSources
  const named = Object.hasOwn(sources, source) ? sources[source] : undefined
  if (named?.use === use) return { ...data, ...(yield* named.values) }
  const names = Object.keys(sources).filter((name) => sources[name]?.use === use)
  const problem =
    named === undefined
      ? `is no name in credentialSources of the configuration: ${listed(names, mostSources) || "there are none"}`
      : `is for ${named.use} alone, by "for" in credentialSources of the configuration`
  return yield* new InvalidArgument({ argument: "source", problem })
})

const mostSources = 20

/** Values that a person is asked to enter. */
interface Form<E> {
  readonly instance: string
  /** The argument that asks for them, and what can be done where nobody can be asked. */
  readonly argument: string
  readonly instead: string
  readonly subject: string
  /** The way of the values, as a sentence without its end. */
  readonly way: string
  readonly schema: Effect.Effect<JsonObject, E>
}

/**
 * Goes on with values that a person enters on the page of this server. No model and no client sees them. What comes after that
 * has all the time of a call.
 */
export const withEntered = <A, E, R, E2>(
  { argument, instance, instead, schema, subject, way }: Form<E2>,
  then: (data: JsonObject) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const { enter } = yield* Elicitation
    if (enter === undefined) {
      const problem = `is required, as no person can be asked for the values here: ${instead}`
      return yield* new InvalidArgument({ argument, problem })
    }
    const reply = yield* enter({
      key: "values",
      message: `Enter the values of ${subject}. ${way}; the assistant does not see them.`,
      schema: yield* schema
    })
    if (reply._tag === "Accepted" && isJsonObject(reply.content)) {
      return yield* within(`${callSeconds} seconds`)(then(reply.content))
    }
    const reason =
      reply._tag === "Unanswered"
        ? `${reply.problem}. Calling again asks again; or ${instead}`
        : "the person who was asked declined. Ask them what they want instead"
    return yield* new ToolError({
      blame: "caller",
      code: "NOT_ENTERED",
      message: `The values of ${subject} were not entered: ${reason}. Nothing was changed.`,
      details: { instance, answer: reply._tag.toLowerCase() }
    })
  })

/** Goes on with the values of a credential that a person enters. */
export const withEnteredValues = <A, E, R>(
  { name, tool, type }: Valueless,
  then: (data: JsonObject) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const engine = yield* EngineClient
    yield* engine.requireRights([tool === "update_credential" ? "PATCH /credentials/{}" : "POST /credentials"])
    const noun = tool === "update_credential" ? "credential" : "the new credential"
    const form = {
      instance: engine.instance,
      argument: "data",
      instead: inTerminal(tool),
      subject: `${noun} ${inQuotes(name)} (${type}) on instance ${engine.instance}`,
      way: `They go from this page to ${engineName} alone`,
      schema: engine.getCredentialSchema(type)
    }
    return yield* withEntered(form, then)
  })
