import { Effect } from "effect"

import { Progress } from "../../mcp/Progress.ts"
import { visible } from "./terminalText.ts"

/** Shows on a terminal how far a call has come, on one line of standard error that is gone when it ends. */
export const withProgressLine = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const { stderr } = process
  if (!stderr.isTTY) return self
  const show = (text: string) => Effect.sync(() => void stderr.write(`\r\u001B[K${text}`))
  return self.pipe(
    Effect.provideService(Progress, ({ message = "", progress, total }) =>
      show(visible(`${progress}${total === undefined ? "" : `/${total}`} ${message}`).replaceAll("\n", " "))
    ),
    Effect.ensuring(show(""))
  )
}
