import { Option, Result, Schema } from "effect"

import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import { Campaign } from "./Campaign.ts"

/** A campaign of the list that is not as campaigns are known to be: which, and what is odd about it. */
export interface Unreadable {
  /** Null where not even that can be read. */
  readonly advert_id: number | null
  readonly problem: string
  /** Its name, where that can be read: names must not repeat. */
  readonly name?: string
}

const decode = Schema.decodeUnknownResult(Campaign)
const idOf = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.Int }))
const namedOf = Schema.decodeUnknownOption(Schema.Struct({ settings: Schema.Struct({ name: Schema.String }) }))

/** Each campaign of a list by itself: an odd one does not hide the others, and is not passed over in silence. */
export const readEach = (list: ReadonlyArray<unknown>) => {
  const adverts: Array<Campaign> = []
  const unreadable: Array<Unreadable> = []
  for (const one of list) {
    const read = decode(one)
    if (Result.isSuccess(read)) adverts.push(read.success)
    else {
      const advert_id = Option.match(idOf(one), { onNone: () => null, onSome: ({ id }) => id })
      const name = Option.match(namedOf(one), { onNone: () => ({}), onSome: ({ settings }) => settings })
      unreadable.push({ advert_id, problem: firstIssueOf(read.failure), ...name })
    }
  }
  return { adverts, unreadable }
}

/** In words, for lists and refusals. */
export const whyUnreadable = ({ problem }: Unreadable): string => `the campaign cannot be read: ${problem}`

/** Why a campaign is not among those that were read. */
export const whyAbsent = (unreadable: ReadonlyArray<Unreadable>, id: number): string => {
  const odd = unreadable.find(({ advert_id }) => advert_id === id)
  return odd === undefined ? "there is no such campaign" : whyUnreadable(odd)
}
