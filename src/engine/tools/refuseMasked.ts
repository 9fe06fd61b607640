import { Effect } from "effect"

import { InvalidArgument } from "../../mcp/ToolError.ts"
import { maskStandsForSecret, masksIn } from "../workflow/maskSecrets.ts"

/**
 * Fails where an argument would write `[masked]` where none was `before`: views show it in place of secrets, and what is
 * taken from one would replace them.
 */
export const refuseMasked = (given: object, before: object = {}): Effect.Effect<void, InvalidArgument> => {
  const was = new Map(Object.entries(before))
  const [argument] = Object.entries(given).find(([name, value]) => masksIn(value) > masksIn(was.get(name))) ?? []
  return argument === undefined
    ? Effect.void
    : Effect.fail(new InvalidArgument({ argument, problem: `${maskStandsForSecret}. Nothing was changed` }))
}
