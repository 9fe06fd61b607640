import { Effect, Predicate } from "effect"

import { Deadline } from "../engine/Deadline.ts"
import { EngineClient } from "../engine/EngineClient.ts"
import { Instances } from "../engine/Instances.ts"
import { monotonicMillis } from "../http/monotonicMillis.ts"
import * as Arguments from "./Arguments.ts"
import { Arrival, patienceSeconds } from "./patience.ts"
import * as Tool from "./Tool.ts"

const instanceSchema = { type: "string", description: "Instance name" }

/**
 * A tool whose program runs against the instance that the caller asks for, as long as callers wait. First all arguments
 * are checked, then the instance is found, then the engine is called.
 */
export const make = <const Fields extends Arguments.Fields>(
  name: string,
  definition: Tool.Definition<Fields, EngineClient>
): Tool.Tool<Instances> => {
  const parameters = Arguments.make(definition.arguments, { aliases: definition.aliases, others: ["instance"] })
  return {
    ...Tool.describe(name, definition),
    inputSchema: () => {
      const schema = parameters.jsonSchema()
      return { ...schema, properties: Object.assign({}, schema.properties, { instance: instanceSchema }) }
    },
    call: Effect.fn(name)(function* (input) {
      const { instance, rest } = takeInstance(input)
      const args = yield* parameters.decode(rest)
      const client = yield* (yield* Instances).resolve(instance)
      const since = (yield* Arrival) ?? (yield* monotonicMillis)
      return yield* Tool.run(definition, args).pipe(
        Effect.provideService(EngineClient, client),
        Effect.provideService(Deadline, since + patienceSeconds * 1000)
      )
    })
  }
}

/** The lane of calls to an instance, by what was given as its name; those of a name that is none share one. */
export const laneOf = (given: unknown, { defaultName, names }: Instances["Service"]): string => {
  const name = given === undefined ? defaultName : names.find((known) => known === given)
  return name === undefined ? "This server" : `Instance ${name}`
}

/** The lane of a call with these arguments. */
export const laneFor = (instances: Instances["Service"]) => (input: unknown) =>
  laneOf(takeInstance(input).instance, instances)

/** Whatever is given as the instance is looked up as a name; only what is left out means the default one. */
const takeInstance = (input: unknown): { readonly instance?: unknown; readonly rest: unknown } => {
  if (!Predicate.isObject(input)) return { rest: input }
  const { instance, ...rest } = { instance: undefined, ...input }
  return { instance, rest }
}
