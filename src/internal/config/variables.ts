import { ConfigProvider, Effect } from "effect"

import { ConfigurationError } from "./ConfigurationError.ts"

/** A value with the words that tell a person where it was found. */
export interface VariableValue {
  readonly value: string
  readonly place: string
  /** The file it was found in; none for the process environment. */
  readonly file?: string
}

/** Looks variables up under several names, in this order; a blank one counts as not set. */
export type Lookup = (names: ReadonlyArray<string>) => Effect.Effect<VariableValue | undefined, ConfigurationError>

const lookIn =
  (provider: ConfigProvider.ConfigProvider, file?: string): Lookup =>
  (names) =>
    Effect.gen(function* () {
      for (const name of names) {
        const value = (yield* provider.load([name]))?.value?.trim()
        if (value) return file === undefined ? { value, place: name } : { value, place: `${file}: ${name}`, file }
      }
      return undefined
    }).pipe(Effect.mapError(() => new ConfigurationError({ message: `${names.join(", ")}: cannot be read` })))

/** Looks in the process environment, that is in the ambient `ConfigProvider`. */
export const inEnvironment: Effect.Effect<Lookup> = Effect.map(ConfigProvider.ConfigProvider, (provider) =>
  lookIn(provider)
)

/** Looks in the text of a `.env` file. */
export const inDotEnv = ({ name, text }: { readonly name: string; readonly text: string }): Lookup =>
  lookIn(ConfigProvider.fromDotEnvContents(text), name)

/** Looks in the second place for what the first does not have. */
export const orElse =
  (first: Lookup, second: Lookup): Lookup =>
  (names) =>
    Effect.flatMap(first(names), (variable) => (variable === undefined ? second(names) : Effect.succeed(variable)))
