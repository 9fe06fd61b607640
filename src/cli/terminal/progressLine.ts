import { Effect } from "effect"

import { oneLine } from "../../internal/foreignText.ts"
import { Progress } from "../../mcp/callTime.ts"

/** Shows the progress of a call on a terminal, on one line of standard error that is removed at its end. */
export const withProgressLine = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const { stderr } = process
  if (!stderr.isTTY) return self
  const show = (text: string) => Effect.sync(() => void stderr.write(`\r\u001B[K${text}`))
  return self.pipe(
    Effect.provideService(Progress, ({ message = "", progress, total }) =>
      show(oneLine(`${progress}${total === undefined ? "" : `/${total}`} ${message}`))
    ),
    Effect.ensuring(show(""))
  )
}
