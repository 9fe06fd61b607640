import { ByteSize, Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

import type { SecretForms } from "../protocol/elicitation/SecretForms.ts"
import { Sessions } from "../protocol/Session.ts"
import { type Handler, makeMiddleware, type Options, problem } from "./middleware.ts"

/** A file of the page by its path, such as `/page.js`; undefined if this build has none. */
export type ReadPageFile = (name: string) => Effect.Effect<string | undefined>

/** The login at an issuer of tokens, as a browser begins it. */
export interface LoginStart {
  /** The scope that a token needs to change something. */
  readonly writeScope: string
  /** The issuer's address for it; where no client is configured, people enter a token. */
  readonly authorize?: {
    readonly endpoint: string
    readonly clientId: string
    readonly scope: string
    readonly resource: string
  }
}

/** A login by authorization code, of which this server does what a browser should not; problems are words for a person. */
export interface Login {
  readonly start: Effect.Effect<LoginStart, string>
  /** Exchanges the code that came back for an access token. */
  readonly exchange: (grant: typeof Exchange.Type) => Effect.Effect<string, string>
}

/** The login of a server whose tokens are of no issuer: there is none, and no scope. */
const noLogin: Login = {
  start: Effect.succeed({ writeScope: "" }),
  exchange: () => Effect.fail("This server has no issuer of tokens at which one could log in.")
}

const part = Schema.NonEmptyString.check(Schema.isMaxLength(4000))
const Exchange = Schema.Struct({ code: part, verifier: part, redirectUri: part })
const readExchange = Schema.decodeUnknownEffect(Schema.fromJsonString(Exchange))

const Filled = Schema.Struct({ id: part, values: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) })
const readFilled = Schema.decodeUnknownEffect(Schema.fromJsonString(Filled))

/** Bytes and time for the body of a login, or of the values that a person enters. */
const largestBody = ByteSize.bytes(65_536)
const bodyTime = "10 seconds"

/** A short body, read by a schema. */
const bodyOf = <A, E>({ text }: HttpServerRequest.HttpServerRequest, read: (text: string) => Effect.Effect<A, E>) =>
  text.pipe(
    Effect.provideService(HttpServerRequest.MaxBodySize, largestBody),
    Effect.flatMap(read),
    Effect.timeout(bodyTime)
  )

const unstored = { headers: { "cache-control": "no-store" } }

/** The files of the page, by path. */
const files = {
  "/": { name: "index.html", contentType: "text/html; charset=utf-8" },
  "/page.js": { name: "page.js", contentType: "text/javascript; charset=utf-8" },
  "/page.css": { name: "page.css", contentType: "text/css; charset=utf-8" },
  "/page.svg": { name: "page.svg", contentType: "image/svg+xml" }
} as const

const paths = ["/", "/page.js", "/page.css", "/page.svg"] as const

/** The page may load its own files and call the server that it came from, and nothing else. */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-cache"
}

/**
 * Adds `GET /` with a page for people, behind the same check of Host and Origin as `/mcp`. It contains no data: the page
 * requests everything at `/mcp`, with the token that its reader enters.
 */
export const layer = (options: Options, read: ReadPageFile, login: Login = noLogin) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { authorized, open } = yield* makeMiddleware(options)
      yield* addLogin(router, login, open)
      yield* addSecrets(router, authorized, (yield* Sessions).forms)
      yield* addFiles(router, open, read)
    })
  )

/** The page with its forms for secrets alone, for clients that are not served over HTTP. */
export const formsLayer = (forms: SecretForms, read: ReadPageFile) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { open } = yield* makeMiddleware({})
      yield* addSecrets(router, open, forms)
      yield* addFiles(router, open, read)
    })
  )

type Guard = (handler: Handler) => Handler

const addFiles = (router: HttpRouter.HttpRouter, open: Guard, read: ReadPageFile) =>
  Effect.forEach(paths, (path) => router.add("GET", path, open(fileHandler(files[path], read))))

const fileHandler = ({ contentType, name }: (typeof files)[keyof typeof files], read: ReadPageFile): Handler => {
  const response = Effect.map(read(name), (text) =>
    text === undefined
      ? problem(404, "This build has no page")
      : HttpServerResponse.text(text, { contentType, headers })
  )
  return () => response
}

/** `GET /login` says where a login begins, `POST /login` ends it. Neither says anything to other origins. */
const addLogin = Effect.fnUntraced(function* (router: HttpRouter.HttpRouter, login: Login, open: Guard) {
  const answered = Effect.match({
    onFailure: (words: string) => problem(502, words),
    onSuccess: (value: object) => HttpServerResponse.jsonUnsafe(value, unstored)
  })
  const start = answered(login.start)
  yield* router.add(
    "GET",
    "/login",
    open(() => start)
  )
  const exchange: Handler = (request) =>
    Effect.matchEffect(bodyOf(request, readExchange), {
      onFailure: () => Effect.succeed(problem(400, "The login lacks its code, its verifier or its address")),
      onSuccess: (grant) => answered(Effect.map(login.exchange(grant), (token) => ({ token })))
    })
  yield* router.add("POST", "/login", open(exchange))
})

/**
 * `POST /secrets` shows a form for secrets by its id, or fills it in, once. The ids stand behind the # of an address, which goes
 * into no log; they are taken from no other origin.
 */
const addSecrets = Effect.fnUntraced(function* (
  router: HttpRouter.HttpRouter,
  authorized: Guard,
  { fill, read }: SecretForms
) {
  const handler: Handler = (request) =>
    Effect.matchEffect(bodyOf(request, readFilled), {
      onFailure: () => Effect.succeed(problem(400, "The form lacks its id, or its values are none")),
      onSuccess: ({ id, values }) =>
        values === undefined
          ? Effect.map(read(id), (form) =>
              form === undefined
                ? notOpen
                : HttpServerResponse.jsonUnsafe({ message: form.message, schema: form.schema }, unstored)
            )
          : Effect.map(fill(id, values), (isFilled) =>
              isFilled ? HttpServerResponse.jsonUnsafe({ entered: true }, unstored) : notOpen
            )
    })
  yield* router.add("POST", "/secrets", authorized(handler))
})

const notOpen = problem(
  404,
  "This form is not open: it was sent already, or has expired, or was opened for somebody else. Ask the assistant to call again."
)
