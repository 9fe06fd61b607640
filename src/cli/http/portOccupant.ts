import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"

const Health = Schema.Struct({
  status: Schema.String,
  version: Schema.String.check(Schema.isPattern(/^[\w.+-]{1,40}$/)),
  engineVersion: Schema.String
})

/** The version of the workflow-tool-server that uses the port, if it is one. */
export const occupantOf = (host: string, port: number): Effect.Effect<string | undefined> => {
  const reached = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host
  return HttpClient.get(`http://${reached.includes(":") ? `[${reached}]` : reached}:${port}/health`).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Health)),
    Effect.map(({ version }) => version),
    Effect.timeout("1 second"),
    Effect.orElseSucceed(() => undefined),
    Effect.provide(FetchHttpClient.layer)
  )
}
