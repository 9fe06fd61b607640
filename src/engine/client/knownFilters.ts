import { Effect } from "effect"

import type { EngineError } from "./EngineError.ts"

/**
 * Lists with filters that not every engine has. Where one is refused as unknown the list is asked for without it, then
 * and from then on: whoever asks has to check the items. `isWhole` says whether all filters are still in.
 */
export const knownFilters = () => {
  const unknown = new Set<string>()

  const isWhole = (query: object) => Object.keys(query).every((name) => !unknown.has(name))

  const ask = <Value, A>(
    query: Readonly<Record<string, Value>>,
    send: (query: Readonly<Record<string, Value>>, isWhole: boolean) => Effect.Effect<A, EngineError>
  ): Effect.Effect<A, EngineError> =>
    Effect.catch(send(without(query, unknown), isWhole(query)), (error) => {
      const name = refusedFilter(error)
      if (name === undefined || unknown.has(name) || query[name] === undefined) return Effect.fail(error)
      unknown.add(name)
      return ask(query, send)
    })

  return ask
}

/** Filters that callers of lists check by themselves, or can do without. */
const checked: ReadonlyArray<string> = ["name", "startedAfter", "startedBefore", "excludePinnedData"]

const refusedFilter = (error: EngineError): string | undefined => {
  if (error._tag !== "ApiError" || error.httpStatus !== 400) return undefined
  return checked.find((name) => error.problem === `Unknown query parameter '${name}'`)
}

const without = <Value>(query: Readonly<Record<string, Value>>, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.has(name)))
