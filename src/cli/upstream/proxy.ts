import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"

import { UnusableConnection } from "../../internal/http/HttpClients.ts"

/** An HTTP proxy, and what it wants to know of who asks. */
export interface Proxy {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** Reads the address of a proxy; a name and password in it are for the proxy alone. */
export const parseProxy = (text: string): Effect.Effect<Proxy, UnusableConnection> =>
  Effect.fromResult(
    Result.try({
      try: () => {
        const url = new URL(text)
        const login = [url.username, url.password].map(decodeURIComponent)
        url.username = url.password = ""
        return {
          url,
          headers: login.join("") === "" ? {} : { "proxy-authorization": `Basic ${Base64.encode(login.join(":"))}` }
        }
      },
      catch: unusable
    })
  ).pipe(Effect.filterOrFail(({ url }) => /^https?:$/.test(url.protocol), unusable))

const unusable = () => new UnusableConnection({ message: "proxy: expected the URL of an HTTP proxy" })
