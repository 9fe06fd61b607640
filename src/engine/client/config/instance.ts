import { Predicate, Result } from "effect"

import { baseUrl } from "../../../internal/config/baseUrl.ts"
import { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { decode, type UnknownField, unknownFields } from "../../../internal/config/fields.ts"
import type { VariableValue } from "../../../internal/config/variables.ts"
import { fieldAliases } from "./aliases.ts"
import type { Environment } from "./EngineConfig.ts"
import { InstanceFields } from "./instanceFields.ts"

/** Fields of a given instance that no setting has. */
export const unknownInstanceFields = (given: unknown): ReadonlyArray<UnknownField> =>
  unknownFields(InstanceFields, given, [...fieldAliases.keys()])

/** The values of variables for one instance; they go before the file. */
interface Overrides {
  readonly engine_host: VariableValue | undefined
  readonly engine_api_key: VariableValue | undefined
}

/** One checked instance from its fields as they were written. `at` names the place of a field. */
export const instance = (
  written: unknown,
  overrides: Overrides,
  at: (path: string) => string
): Result.Result<Environment, ConfigurationError> =>
  Result.gen(function* () {
    const places = new Map(Object.entries(overrides).map(([name, override]) => [name, override?.place]))
    const place = (path: string) => places.get(path) ?? at(path)
    const values = Object.entries(overrides).flatMap(([name, override]) => (override ? [[name, override.value]] : []))
    const fields = Predicate.isObject(written) ? yield* ownNames(written, at) : written
    const given = Predicate.isObject(fields) ? { ...fields, ...Object.fromEntries(values) } : fields

    const {
      engine_api_key: apiKey,
      engine_api_key_header: apiKeyHeader,
      engine_host,
      ...others
    } = yield* decode(InstanceFields, given, place)
    const host = yield* Result.mapError(
      baseUrl(engine_host, others.allowInsecureHttp),
      (problem) => new ConfigurationError({ message: `${place("engine_host")} ${problem}` })
    )
    return { ...others, host, apiKey, ...(apiKeyHeader === undefined ? {} : { apiKeyHeader }) }
  })

/** The same fields with every alias under its own name. Two values for one setting are nobody's intention. */
const ownNames = (
  written: object,
  at: (path: string) => string
): Result.Result<Readonly<Record<string, unknown>>, ConfigurationError> => {
  const twice = Object.keys(written).find((name) => Object.hasOwn(written, fieldAliases.get(name) ?? ""))
  return twice === undefined
    ? Result.succeed(
        Object.fromEntries(Object.entries(written).map(([name, value]) => [fieldAliases.get(name) ?? name, value]))
      )
    : Result.fail(
        new ConfigurationError({
          message: `${at(twice)} means the same as ${fieldAliases.get(twice)}: expected only one of them`
        })
      )
}
