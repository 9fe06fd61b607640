import { Effect, Layer } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"

import type { Environment } from "../../../src/engine/client/config/EngineConfig.ts"
import type { Instances } from "../../../src/engine/client/Instances.ts"
import { EngineToolset } from "../../../src/engine/toolset/toolset.ts"
import type { Toolset } from "../../../src/mcp/Toolset.ts"
import { answers, type Step } from "../../internal/http/standIn.ts"
import { environment, serverOver } from "../../support/harness.ts"

/** A request as an engine receives it. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** Whether a request was one of the API, and not for the public facts of an engine. */
export const isOfTheApi = ({ path }: ReceivedRequest) => path.startsWith("/api/v1")

export const host = "http://127.0.0.1:5678"
export const key = "canary+key/of the=test"

/** An engine that answers as the test says, and records its requests. */
export const engineThat = (step: (request: ReceivedRequest) => Step) => {
  const requests: Array<ReceivedRequest> = []
  const client = HttpClient.make((request, url) =>
    Effect.suspend(() => {
      const { headers, method } = request
      const call = { method, path: url.pathname + url.search, headers, body: textOf(request) }
      requests.push(call)
      return step(call)(request)
    })
  )
  return { requests, client }
}

const textOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** An answer of an engine, in JSON. */
export const json = (body: unknown, status = 200): Step =>
  answers(status, { "content-type": "application/json" }, JSON.stringify(body))

/** The whole server over this client, as the instance `production` alone, unpaced. */
export const serving = (
  client: HttpClient.HttpClient,
  more: Partial<Environment> = {},
  toolsets: ReadonlyArray<Toolset<Instances>> = [EngineToolset]
) =>
  serverOver(
    { production: environment(host, key, { requestsPerSecond: Infinity, ...more }) },
    Layer.succeed(HttpClient.HttpClient, client),
    toolsets
  )
