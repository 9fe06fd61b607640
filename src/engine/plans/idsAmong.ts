import { Effect } from "effect"

import { InvalidArgument } from "../../mcp/ToolError.ts"
import type { Workflow } from "../workflow/models.ts"
import { isSameName, namedWorkflow, severalNamed } from "../workflow/names.ts"

/** The ids that stand for workflows of the whole list that were given by their id or name; what none of them has stays as it is. */
export const idsAmong = (
  argument: string,
  given: ReadonlyArray<string>,
  all: ReadonlyArray<Workflow>,
  instance: string
): Effect.Effect<ReadonlyArray<string>, InvalidArgument> => {
  const there = new Set<string>(all.map(({ id }) => id))
  return Effect.forEach(given, (one) => {
    if (there.has(one)) return Effect.succeed(one)
    const things = all.filter(({ name }) => isSameName(name, one))
    const [thing, ...others] = things
    return others.length === 0
      ? Effect.succeed(thing?.id ?? one)
      : Effect.fail(
          new InvalidArgument({
            argument,
            problem: severalNamed(one, "workflow", things.flatMap(namedWorkflow), instance)
          })
        )
  })
}
