import { Effect, Option } from "effect"

import { maskText } from "../../../internal/secrets/maskSecrets.ts"
import { reads } from "../../../mcp/annotations.ts"
import { noTest } from "../../client/credentialCalls.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import * as EngineTool from "../../tools/EngineTool.ts"
import { credentialId } from "../../tools/parameters.ts"
import { unsupportedReason, unsupportedText } from "../routeSupport.ts"

/** The call that tests a credential. */
export const testRoute = {
  call: "POST /credentials/{credentialId}/test",
  scope: "credential:read",
  since: "2.20.0",
  verb: "test credentials",
  instead: "Open the credential in the engine UI, which tests it, or run a workflow that uses it."
}

export const testCredential = EngineTool.make("test_credential", {
  title: "Test credential",
  description: "Let the engine try a stored credential at its service",
  annotations: { ...reads, openWorldHint: true },
  arguments: { id: credentialId },
  run: Effect.fnUntraced(function* ({ id }) {
    const lack = yield* unsupportedReason(testRoute)
    if (lack !== undefined) return { guidance: lack }
    const tested = yield* EngineClient.use((engine) => engine.testCredentialIfSupported(id))
    return Option.match(tested, {
      onNone: () => ({ guidance: unsupportedText(testRoute) }),
      onSome: (result) => ({ id, ...outcomeOf(result) })
    })
  })
})

/** The outcome of a test; `works` is null where the engine has no test for the type. */
export const outcomeOf = ({ message, status }: { readonly status: string; readonly message: string }) => {
  const words = maskText(message.slice(0, 2000)).slice(0, 500)
  if (status === "OK") return { works: true, message: words }
  return message.startsWith(noTest)
    ? { works: null, message: "The engine has no test for this type of credential." }
    : { works: false, message: words }
}
