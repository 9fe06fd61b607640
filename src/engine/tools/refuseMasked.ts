import { Effect, Result } from "effect"

import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import { maskStandsForSecret, masksIn, orWhereRead } from "../../internal/secrets/maskSecrets.ts"
import { unmasked } from "../../internal/secrets/unmasked.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { nameOf, type Workflow } from "../workflow/models.ts"

/**
 * Fails where an argument would write `[masked]` where none was `before`: views show it in place of secrets, and what is
 * taken from one would replace them.
 */
export const refuseMasked = (given: object, before?: object): Effect.Effect<void, InvalidArgument> => {
  const was = new Map(Object.entries(before ?? {}))
  const [argument] = Object.entries(given).find(([name, value]) => masksIn(value) > masksIn(was.get(name))) ?? []
  return argument === undefined
    ? Effect.void
    : Effect.fail(
        new InvalidArgument({
          argument,
          problem: `${maskStandsForSecret}${before === undefined ? "" : orWhereRead}. Nothing was changed`
        })
      )
}

interface Written {
  readonly nodes?: ReadonlyArray<JsonObject> | undefined
  readonly settings?: JsonObject | undefined
}

type Stored = Pick<Workflow, "nodes" | "settings">

/**
 * An update with the stored secrets in place of its masks. A mask is only replaced at the node and path that it was read
 * from, in the version that the workflow still has.
 */
export const withSecrets = <A extends Written>(given: A, stored: Stored): A => {
  const { nodes, settings } = given
  const whole = (value: JsonObject, was: unknown, name: string): JsonObject =>
    Result.getOrElse(
      Result.filterOrFail(unmasked(value, was, name), isJsonObject, () => undefined),
      () => value
    )
  const byName = new Map(stored.nodes.map((node) => [nameOf(node), node]))
  return {
    ...given,
    ...(nodes === undefined ? {} : { nodes: nodes.map((node) => whole(node, byName.get(nameOf(node)), "nodes")) }),
    ...(settings === undefined ? {} : { settings: whole(settings, stored.settings, "settings") })
  }
}
