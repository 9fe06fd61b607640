import { Effect } from "effect"

import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import { callSeconds } from "../../mcp/callContext.ts"
import { Elicitation } from "../../mcp/Elicitation.ts"
import { InvalidArgument, ToolError } from "../../mcp/ToolError.ts"
import { within } from "../client/Deadline.ts"
import { EngineClient } from "../client/EngineClient.ts"
import type { CredentialType } from "../workflow/models.ts"
import { inQuotes } from "../workflow/names.ts"
import { engineName } from "../workflow/naming.ts"

/** A credential whose values a call does not hold. */
interface Valueless {
  readonly tool: "create_credential" | "plan_rotation" | "update_credential"
  readonly name: string
  readonly type: CredentialType
}

const inTerminal = (tool: Valueless["tool"]) =>
  `let a person run \`workflow-tool-server call ${tool}\` with \`--data @FILE\` in a terminal, or enter them in the engine UI. ` +
  "Do not ask for secrets in the conversation"

/**
 * Goes on with the values of a credential that a person enters on the page of this server. No model and no client sees them.
 * What comes after that has all the time of a call.
 */
export const withEnteredValues = <A, E, R>(
  { name, tool, type }: Valueless,
  then: (data: JsonObject) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const engine = yield* EngineClient
    yield* engine.requireRights([tool === "update_credential" ? "PATCH /credentials/{}" : "POST /credentials"])
    const { enter } = yield* Elicitation
    if (enter === undefined) {
      const problem = `is required, as no person can be asked for the values here: ${inTerminal(tool)}`
      return yield* new InvalidArgument({ argument: "data", problem })
    }
    const schema = yield* engine.getCredentialSchema(type)
    const subject = `${tool === "update_credential" ? "credential" : "the new credential"} ${inQuotes(name)} (${type}) on instance ${engine.instance}`
    const reply = yield* enter({
      key: "values",
      message: `Enter the values of ${subject}. They go from this page to ${engineName} alone; the assistant does not see them.`,
      schema
    })
    if (reply._tag === "Accepted" && isJsonObject(reply.content)) {
      return yield* within(`${callSeconds} seconds`)(then(reply.content))
    }
    const reason =
      reply._tag === "Unanswered"
        ? `${reply.problem}. Calling again asks again; or ${inTerminal(tool)}`
        : "the person who was asked declined. Ask them what they want instead"
    return yield* new ToolError({
      blame: "caller",
      code: "NOT_ENTERED",
      message: `The values of ${subject} were not entered: ${reason}. Nothing was changed.`,
      details: { instance: engine.instance, answer: reply._tag.toLowerCase() }
    })
  })
