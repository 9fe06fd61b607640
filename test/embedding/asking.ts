import { Effect, Layer } from "effect"
import { Elicitation } from "workflow-tool-server/mcp"

/** A way to ask of your own: for the layers of the server, or for one call. The form of plans has one field, `agree`. */
export const asking = (agrees: (message: string) => Promise<boolean>) =>
  Layer.succeed(Elicitation, {
    ask: ({ message }) =>
      Effect.map(
        Effect.promise(() => agrees(message)),
        (isAgreed) => (isAgreed ? { _tag: "Accepted", content: { agree: true } } : { _tag: "Declined" })
      )
  })
