import { Effect } from "effect"

import { listed } from "../../../internal/foreignText.ts"
import type { SetAside } from "../../client/History.ts"
import type { HistoryEvent } from "../HistoryEvent.ts"
import { sift } from "../sift.ts"

/** Most entries of an instance that are remembered: an engine may invent new ids with every answer. */
const most = 100

/** Most entries in a line of the log. */
const mostLogged = 5

/** Takes out of events what the history cannot hold, and remembers and logs it. */
export const make = () => {
  const entries = new Map<string, Map<string, string>>()

  const of = (instance: string): ReadonlyArray<SetAside> =>
    [...(entries.get(instance) ?? [])].map(([id, problem]) => ({ id, problem }))

  /** The event as it can be recorded. */
  const recordable = Effect.fnUntraced(function* (given: HistoryEvent) {
    const { event, setAside } = sift(given)
    const { instance } = event
    // The next backup tells what it meets itself.
    if (event._tag === "BackedUp") entries.delete(instance)
    const previous = entries.get(instance) ?? new Map<string, string>()
    const added = setAside.filter(({ id }) => !previous.has(id)).slice(0, most - previous.size)
    if (added.length === 0) return event
    entries.set(instance, new Map([...previous, ...added.map(({ id, problem }) => [id, problem] as const)]))
    const words = added.map(({ id, problem }) => `${id} (${problem})`)
    yield* Effect.logWarning(
      `The history leaves out what instance ${instance} shows as ${listed(words, mostLogged)}; all else is recorded`
    )
    return event
  })

  return { of, recordable }
}
