import { Predicate, Redacted } from "effect"

import { secretText, something } from "../../internal/config/patterns.ts"

/** What counts for an instance where nothing is said. */
export const defaults = {
  readOnly: false,
  allowInsecureHttp: false,
  requestsPerSecond: 90,
  concurrency: 10,
  headers: {}
}

interface PlainInstance {
  readonly engine_host: string
  readonly engine_api_key: string
  readonly readOnly?: boolean
  readonly allowInsecureHttp?: boolean
}

const isText = (pattern: RegExp) => (value: unknown) => Predicate.isString(value) && pattern.test(value)
const fits: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["engine_host", isText(something)],
  ["engine_api_key", isText(secretText)],
  ["readOnly", Predicate.isBoolean],
  ["allowInsecureHttp", Predicate.isBoolean]
])

/**
 * Whether fields of an instance say where it is, and no more than whether to write to it, as nearly all do. The schema reads
 * all others, and says what is wrong with them; to load it takes longer than all else that is done with a configuration.
 */
export const isPlain = (given: unknown): given is PlainInstance =>
  Predicate.isObject(given) &&
  "engine_host" in given &&
  "engine_api_key" in given &&
  Object.entries(given).every(([name, value]) => fits.get(name)?.(value) === true)

/** What the schema would make of them. */
export const plainFields = ({ engine_api_key, ...others }: PlainInstance) => ({
  ...defaults,
  ...others,
  engine_api_key: Redacted.make(engine_api_key),
  engine_api_key_header: undefined,
  caFile: undefined,
  proxy: undefined
})
