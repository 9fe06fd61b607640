import { Match } from "effect"

import type { Change } from "../../plan/Change.ts"
import type { Step } from "../../plan/Plan.ts"
import { amount } from "../shown.ts"

const phrases = (list: ReadonlyArray<string>) => ({ count: list.length, phrases: list.slice(0, 10) })

/** What a change leads from and to; money in both units, lists of phrases cut. */
const beforeAndAfter = Match.type<Change>().pipe(
  Match.withReturnType<{ readonly before: unknown; readonly after: unknown }>(),
  Match.discriminatorsExhaustive("kind")({
    create: ({ name, nms, placement_types }) => ({
      before: null,
      after: { name, articles: nms.length, placements: placement_types }
    }),
    delete: ({ name }) => ({ before: { name }, after: null }),
    product: ({ after, before }) => ({ before: membership(before), after: membership(after) }),
    bid: ({ after, before }) => ({ before: amount(before), after: amount(after) }),
    cluster: ({ after, before }) => ({ before: amount(before), after: amount(after) }),
    phrases: ({ after, before }) => ({ before: phrases(before), after: phrases(after) })
  })
)

const membership = (isIn: boolean): string => (isIn ? "in the campaign" : "not in it")

/** A step in one row. */
export const stepRow = ({ change, id, reason }: Step) => ({ step: id, ...beforeAndAfter(change), reason })
