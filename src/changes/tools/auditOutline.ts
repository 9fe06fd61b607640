import { Effect } from "effect"

import { grouped } from "../../internal/collections.ts"
import type { Describing } from "../Driver.ts"
import type { MapEntries } from "../Journal.ts"
import { stepsIn } from "../largePlans.ts"
import { stepRow } from "./summary.ts"

export type RowFields = Readonly<Record<string, unknown>>

/** A journal, and the words for what is in it. */
export interface Source<C> {
  readonly describing: Describing<C>
  readonly mapEntries: MapEntries<C>
}

export const sentKey = (plan: string, step: string): string => `${plan} ${step}`

/** The rows of steps by plan and step, and the digests of plans by their ids. */
export const detailsOf = <C>({ describing, mapEntries }: Source<C>, keys: ReadonlySet<string>) => {
  const { overview } = describing
  const reading = mapEntries((entry) => {
    const plan = (entry.type !== "action" && entry.plan_id) || ""
    const steps = stepsIn(entry)
    return {
      plan,
      steps: overview !== undefined && keys.has(plan) ? steps : [],
      rows: steps.flatMap((step): ReadonlyArray<readonly [string, RowFields]> => {
        const key = sentKey(plan, step.id)
        return keys.has(key) ? [[key, stepRow(describing, step)]] : []
      })
    }
  })
  return Effect.map(reading, (lines): ReadonlyMap<string, RowFields> => {
    const whole = grouped(
      lines.filter(({ steps }) => steps.length > 0),
      ({ plan }) => plan
    )
    const digests = [...whole].map(
      ([plan, parts]) => [plan, { digest: overview?.digest(parts.flatMap(({ steps }) => steps)) }] as const
    )
    return new Map([...lines.flatMap(({ rows }) => rows), ...digests])
  })
}
