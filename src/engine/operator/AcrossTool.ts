import { Effect, Predicate, Result, Schema } from "effect"

import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { monotonicMillis } from "../../internal/time.ts"
import * as Arguments from "../../mcp/Arguments.ts"
import { Arrival, callSeconds } from "../../mcp/callContext.ts"
import * as Tool from "../../mcp/Tool.ts"
import { Deadline } from "../client/Deadline.ts"
import type { EngineClient } from "../client/EngineClient.ts"
import type { InstanceNotFound } from "../client/EngineError.ts"
import { Instances } from "../client/Instances.ts"
import { type Failure, toToolFailure } from "../tools/errors.ts"

/** The argument of tools that read several instances, in the place of `instance`. */
const instancesArgument = Arguments.make(
  {
    instances: Schema.optionalKey(
      Schema.Union([Schema.Array(Schema.String), Schema.String]).annotate({
        inputSchema: {
          type: "array",
          items: { type: "string" },
          description: "Names (*: all); else the default"
        }
      })
    )
  },
  { aliases: { instance: "instances" } }
)

/** A tool that reads several instances in one call. */
export interface Definition<Fields extends Arguments.Fields> extends Omit<
  Tool.Definition<Fields, Instances, Failure>,
  "result" | "run"
> {
  /** Whether one instance that cannot be used is a failure of the whole. */
  readonly needsAll?: boolean
  /** `engines` are the clients of the requested instances, each once. */
  readonly run: (
    args: Arguments.Decoded<Fields>,
    engines: ReadonlyArray<EngineClient["Service"]>
  ) => Effect.Effect<Readonly<Record<string, unknown>>, Failure, Instances>
}

/**
 * A tool whose program gets the clients of all instances that the caller names in `instances`, of the default one where
 * none is named, as long as callers wait. The program itself reports the failure of a single instance.
 */
export const make = <const Fields extends Arguments.Fields>(
  name: string,
  definition: Definition<Fields>
): Tool.Tool<Instances> => {
  const parameters = Arguments.make(definition.arguments, { aliases: definition.aliases, others: ["instances"] })
  return {
    ...Tool.describe(name, definition),
    inputSchema: () => {
      const schema = parameters.jsonSchema()
      const { properties } = instancesArgument.jsonSchema()
      return { ...schema, properties: Object.assign({}, schema.properties, properties) }
    },
    call: Effect.fn(name)(function* (input) {
      const { given, rest } = takeInstances(input)
      const args = yield* parameters.decode(rest)
      const { instances } = yield* instancesArgument.decode(given)
      const { names, resolve } = yield* Instances
      const chosen = requestedNames(instances, names)
      const { engines, unusable } = yield* usable(
        yield* Effect.forEach(chosen, (name) => Effect.result(resolve(name))),
        chosen,
        definition.needsAll ?? false
      )
      const run = (given: Arguments.Decoded<Fields>) =>
        Effect.map(definition.run(given, engines), (answer) =>
          unusable.length === 0 ? answer : { ...answer, unusable }
        )
      const since = (yield* Arrival) ?? (yield* monotonicMillis)
      return yield* Tool.run({ ...definition, run }, args).pipe(
        Effect.provideService(Deadline, since + callSeconds * 1000)
      )
    }, Effect.mapError(toToolFailure))
  }
}

type Client = EngineClient["Service"]

/** The clients of the instances that can be used at all, and why the others cannot; an unknown name is a failure. */
const usable = Effect.fnUntraced(function* (
  resolved: ReadonlyArray<Result.Result<Client, ConfigurationError | InstanceNotFound>>,
  names: ReadonlyArray<string | undefined>,
  needsAll: boolean
) {
  const failures = resolved.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
  const fatal = failures.find(({ _tag }) => _tag === "InstanceNotFound") ?? failures[needsAll ? 0 : resolved.length - 1]
  if (fatal !== undefined) return yield* fatal
  return {
    engines: resolved.flatMap((result) => (Result.isSuccess(result) ? [result.success] : [])),
    unusable: resolved.flatMap((result, place) =>
      Result.isFailure(result) ? [{ instance: names[place], error: result.failure.message }] : []
    )
  }
})

/** The names of the requested instances, each once; `undefined` stands for the default one. */
export const requestedNames = (
  requested: string | ReadonlyArray<string> | undefined,
  all: ReadonlyArray<string>
): ReadonlyArray<string | undefined> => {
  if (requested === undefined) return [undefined]
  const given = Predicate.isString(requested) ? [requested] : requested
  if (given.includes("*")) return all
  return given.length === 0 ? [undefined] : [...new Set(given)]
}

const takeInstances = (input: unknown): { readonly given: unknown; readonly rest: unknown } => {
  if (!Predicate.isObject(input)) return { given: {}, rest: input }
  const { instance, instances, ...rest } = { instance: undefined, instances: undefined, ...input }
  return { given: { instances: instances ?? instance }, rest }
}
