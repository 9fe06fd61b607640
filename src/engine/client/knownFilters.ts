import { Effect } from "effect"

import type { EngineError } from "./EngineError.ts"

/**
 * Lists with filters that not every engine has. If one is refused as unknown, the list is requested without it, now and later:
 * callers then have to check the items. `isWhole` tells whether all filters are still in use.
 */
export const knownFilters = () => {
  const unknown = new Set<string>()

  const isWhole = (query: object) => Object.keys(query).every((name) => !unknown.has(name))

  const ask = <Value, A>(
    query: Readonly<Record<string, Value>>,
    send: (query: Readonly<Record<string, Value>>, isWhole: boolean) => Effect.Effect<A, EngineError>
  ): Effect.Effect<A, EngineError> =>
    Effect.suspend(() => {
      const accepted = without(query, unknown)
      return Effect.catch(send(accepted, isWhole(query)), (error) => {
        const name = refusedFilter(error)
        // A list that was asked for at the same time may have learnt it meanwhile.
        if (name === undefined || accepted[name] === undefined) return Effect.fail(error)
        unknown.add(name)
        return ask(query, send)
      })
    })

  return ask
}

/** Filters that callers of lists check themselves, or can do without. */
const checked: ReadonlyArray<string> = ["name", "startedAfter", "startedBefore", "excludePinnedData"]

const refusedFilter = (error: EngineError): string | undefined => {
  if (error._tag !== "ApiError" || error.httpStatus !== 400) return undefined
  return checked.find((name) => error.problem === `Unknown query parameter '${name}'`)
}

const without = <Value>(query: Readonly<Record<string, Value>>, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.has(name)))
