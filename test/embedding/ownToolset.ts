import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { EngineToolset, Instances, McpHttp, Server } from "workflow-tool-server"
import { EmbeddedEngine, layerInstance } from "workflow-tool-server/embedded"
import { Annotations, text, Tool, ToolError, type Toolset } from "workflow-tool-server/mcp"

const Rates = Schema.Struct({ rates: Schema.Record(Schema.String, Schema.Finite) })

const getRate = Tool.make("get_rate", {
  title: "Get rate",
  description: "Exchange rate of a currency to the euro",
  annotations: Annotations.reads,
  arguments: { currency: text("Code of three letters") },
  run: ({ currency }) =>
    HttpClient.get("https://rates.example.com/latest").pipe(
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Rates)),
      Effect.map(({ rates }) => ({ currency, rate: rates[currency] ?? null })),
      Effect.mapError(({ message }) => new ToolError({ blame: "upstream", code: "RATES_FAILED", message, details: {} }))
    )
})

const RatesToolset: Toolset.Toolset<HttpClient.HttpClient> = {
  name: "rates",
  instructions: "get_rate tells exchange rates.",
  tools: [getRate]
}

/** Workflows of an engine in this process; Configuration.layer({ environments }) and HttpClients.layerShared reach real ones. */
export const Engines = Instances.layer.pipe(Layer.provide(layerInstance()), Layer.provide(EmbeddedEngine.layer()))

export const RatesServer = Server.layer({ name: "rates-server", toolsets: [EngineToolset, RatesToolset] })

/** `POST /mcp` and `GET /health` for your `HttpRouter`. */
export const Routes = McpHttp.layer().pipe(Layer.provide(RatesServer), Layer.provide([Engines, FetchHttpClient.layer]))
