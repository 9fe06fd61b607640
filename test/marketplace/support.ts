import { Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

import { PlanJournal, Plans } from "../../src/marketplace/apply/Plans.ts"
import { MarketplaceAds } from "../../src/marketplace/client/MarketplaceAds.ts"
import { MarketplaceConfig, MarketplaceSettings } from "../../src/marketplace/client/MarketplaceConfig.ts"
import {
  defaultKey,
  EmbeddedMarketplace,
  type EmbeddedMarketplaceOptions
} from "../../src/marketplace/embedded/EmbeddedMarketplace.ts"
import { LowestBids } from "../../src/marketplace/report/LowestBids.ts"
import { smallAccount } from "./accounts.ts"

export { inTime } from "../support/inTime.ts"

export type Given = Partial<typeof MarketplaceSettings.Encoded> & Pick<MarketplaceSettings, "serverReadOnly">

/** Most tests are about something else than the largest change. */
const anyChange = { maxChangePercent: 1e15, maxDailyChangePercent: 1e15 }

/** Settings of a writable marketplace at the embedded one's address. */
export const settings = ({ serverReadOnly = false, ...given }: Given = {}): MarketplaceSettings => ({
  ...Schema.decodeUnknownSync(MarketplaceSettings)({
    baseUrl: "http://127.0.0.1:5679",
    apiKey: defaultKey,
    readOnly: false,
    ...given,
    guards: { ...anyChange, ...given.guards }
  }),
  serverReadOnly
})

/** One request that reached the stand-in. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
}

export interface Canned {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a `text` is sent as it is. */
  readonly body?: unknown
  readonly text?: string
}

/** A marketplace that notes what it is sent and answers what the test says. */
export const standIn = (answer: (seen: Seen, index: number) => Canned) => {
  const requests: Array<Seen> = []
  const client = HttpClient.make((request, url) =>
    Effect.sync(() => {
      const sent = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const body: unknown = sent === "" ? undefined : JSON.parse(sent)
      const query = Object.fromEntries(url.searchParams)
      const seen: Seen = { method: request.method, path: url.pathname, query, headers: request.headers, body }
      const { body: reply, headers = {}, status = 200, text } = answer(seen, requests.push(seen) - 1)
      const written = text ?? (reply === undefined ? "" : JSON.stringify(reply))
      return HttpClientResponse.fromWeb(request, new Response(written, { status, headers }))
    })
  )
  return { requests, client }
}

/** The client over a stand-in. */
export const adsOver = (client: HttpClient.HttpClient, given: Given = {}) =>
  MarketplaceAds.layer.pipe(
    Layer.provideMerge(Layer.succeed(MarketplaceConfig, settings(given))),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )

export const embeddedClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(EmbeddedMarketplace, ({ httpClient }) => httpClient)
)

/** The way to the embedded marketplace, with every status that comes back told to the test. */
export const watchedClient = (onStatus: (status: number) => void) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
      HttpClient.tap(httpClient, ({ status }) => Effect.sync(() => onStatus(status)))
    )
  )

/** The client and the plans over whatever answers HTTP, with a journal that is given. */
export const plansOver = (
  given: Given,
  client: Layer.Layer<HttpClient.HttpClient, never, EmbeddedMarketplace>,
  store: Layer.Layer<PlanJournal> = PlanJournal.layerMemory
) =>
  Layer.merge(Plans.layer, LowestBids.layer).pipe(
    Layer.provideMerge(MarketplaceAds.layer),
    Layer.provideMerge(Layer.mergeAll(Layer.succeed(MarketplaceConfig, settings(given)), store)),
    Layer.provide(client)
  )

/** The embedded marketplace, by default with a small account. */
export const smallMarketplace = (options: EmbeddedMarketplaceOptions = {}) =>
  EmbeddedMarketplace.layer({ account: smallAccount, ...options })

/** The client and the plans over an embedded marketplace. */
export const marketplace = (given: Given = {}, options: EmbeddedMarketplaceOptions = {}) =>
  plansOver(given, embeddedClient).pipe(Layer.provideMerge(smallMarketplace(options)))

/** The way to the embedded marketplace, on which the test answers some requests itself. */
export const interceptedClient = (answer: (path: string, body: string, method: string) => Canned | undefined) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(EmbeddedMarketplace, ({ httpClient }) =>
      HttpClient.make((request, url) => {
        const sent = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
        const canned = answer(url.pathname, sent, request.method)
        if (canned === undefined) return httpClient.execute(request)
        const { body = {}, headers = {}, status = 200, text = JSON.stringify(body) } = canned
        return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(text, { status, headers })))
      })
    )
  )

/** The client and the plans over an embedded marketplace on which the test answers some requests itself. */
export const intercepted = (
  answer: (path: string, body: string, method: string) => Canned | undefined,
  given: Given = {},
  options: EmbeddedMarketplaceOptions = {}
) => plansOver(given, interceptedClient(answer)).pipe(Layer.provideMerge(smallMarketplace(options)))
