import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { HttpClient } from "effect/http"

/** The settings in which one upstream's connections differ from another's. */
export interface ConnectionOptions {
  /** PEM file with certificate authorities to trust. */
  readonly caFile?: string
  /** URL of an HTTP proxy. */
  readonly proxy?: string
}

/** The connection settings of an upstream cannot be used. */
export class UnusableConnection extends Schema.TaggedError<UnusableConnection>()("UnusableConnection", {
  message: Schema.String
}) {}

/** Makes one HttpClient per upstream. A client made here returns redirects; it never follows them. */
export class HttpClients extends Context.Service<
  HttpClients,
  {
    readonly make: (options: ConnectionOptions) => Effect.Effect<HttpClient.HttpClient, UnusableConnection, Scope.Scope>
  }
>()("workflow-tool-server/http/HttpClients") {
  /** Every upstream shares the given client: for embedders and tests. */
  static readonly layerShared: Layer.Layer<HttpClients, never, HttpClient.HttpClient> = Layer.effect(
    HttpClients,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      return HttpClients.of({
        make: ({ caFile, proxy }) =>
          caFile === undefined && proxy === undefined
            ? Effect.succeed(client)
            : Effect.fail(
                new UnusableConnection({
                  message: "caFile and proxy need the HTTP client of the command, not a shared one"
                })
              )
      })
    })
  )
}
