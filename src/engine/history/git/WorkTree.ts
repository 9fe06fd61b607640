import { Effect } from "effect"

import type { Repository } from "./Repository.ts"

/** The work tree of the history, which follows the newest commit while its branch is checked out. */
export const make = (repository: Repository) => {
  /** The commit that it shows, as far as it is known: processes may be killed before they update it. */
  let shownCommit: string | undefined

  return {
    /** Updates it to the newest commit. Another process may be doing the same. */
    follow: Effect.fnUntraced(function* (from: string) {
      const at = shownCommit === from ? from : ((yield* repository.shownCommit) ?? shownCommit ?? from)
      shownCommit = at
      const { hash = at } = yield* repository.tip
      if (at !== hash) yield* repository.show(at, hash)
      shownCommit = hash
    }),
    /** Another branch was checked out. */
    left: () => {
      shownCommit = undefined
    }
  }
}
