import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

import { type Handler, makeMiddleware, type Options, problem } from "./middleware.ts"

/** A file of the page by its path, such as `/page.js`; undefined if this build has none. */
export type ReadPageFile = (name: string) => Effect.Effect<string | undefined>

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
export const layer = (options: Options, read: ReadPageFile) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { open } = yield* makeMiddleware(options)
      yield* Effect.forEach(paths, (path) => router.add("GET", path, open(fileHandler(files[path], read))))
    })
  )

const fileHandler = ({ contentType, name }: (typeof files)[keyof typeof files], read: ReadPageFile): Handler => {
  const response = Effect.map(read(name), (text) =>
    text === undefined
      ? problem(404, "This build has no page")
      : HttpServerResponse.text(text, { contentType, headers })
  )
  return () => response
}
