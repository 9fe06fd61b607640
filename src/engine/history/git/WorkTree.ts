import { Effect } from "effect"

import type { Repository } from "./Repository.ts"

/** The work tree of the history, which follows the newest commit where its branch is checked out. */
export const make = (repository: Repository) => {
  /** The commit that it shows, as far as that is known: processes may be killed before they bring it forward. */
  let shown: string | undefined

  return {
    /** Brings it from what it shows to the newest commit. Another process may be at the same. */
    follow: Effect.fnUntraced(function* (from: string) {
      const at = shown === from ? from : ((yield* repository.shown) ?? shown ?? from)
      shown = at
      const { hash = at } = yield* repository.tip
      if (at !== hash) yield* repository.show(at, hash)
      shown = hash
    }),
    /** It shows another branch. */
    left: () => {
      shown = undefined
    }
  }
}
