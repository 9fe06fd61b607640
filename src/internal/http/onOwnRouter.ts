import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"

/** The answers of routes on a router of their own. A program around them may build one as well, which must not get them. */
export const onOwnRouter = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Effect.provideServiceEffect(HttpRouter.toHttpEffect(routes), Layer.CurrentMemoMap, Layer.makeMemoMap)
