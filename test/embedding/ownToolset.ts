import { Effect, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { EngineToolset, Server } from "workflow-tool-server"
import { Tool, ToolError, type Toolset } from "workflow-tool-server/mcp"

const Rates = Schema.Struct({ rates: Schema.Record(Schema.String, Schema.Finite) })

const getRate = Tool.make("get_rate", {
  title: "Get rate",
  description: "Exchange rate of a currency to the euro",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  arguments: { currency: Schema.String.annotate({ description: "Code of three letters" }) },
  run: ({ currency }) =>
    HttpClient.get("https://rates.example.com/latest").pipe(
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Rates)),
      Effect.map(({ rates }) => ({ currency, rate: rates[currency] ?? null })),
      Effect.mapError(
        ({ message }) => new ToolError({ blame: "upstream", code: "RATES_FAILED", message, details: { currency } })
      )
    )
})

const RatesToolset: Toolset.Toolset<HttpClient.HttpClient> = {
  name: "rates",
  instructions: "get_rate tells exchange rates.",
  tools: [getRate]
}

/** The server with the tools of an upstream that this package does not know. */
export const server = Server.layer({ toolsets: [EngineToolset, RatesToolset] })
