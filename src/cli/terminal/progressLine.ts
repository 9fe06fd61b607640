import { Effect } from "effect"

import { Progress } from "../../mcp/Progress.ts"
import { visible } from "./terminalText.ts"

/** Shows the progress of a call on a terminal, on one line of standard error that is removed at its end. */
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
