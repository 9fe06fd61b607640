import { HttpServerResponse } from "effect/http"

/** An answer of the API. */
export const json = (status: number, body: unknown) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json; charset=utf-8" })

/** What the web framework under an engine says before the API has seen the request. */
export const page = (status: number, text: string) =>
  HttpServerResponse.text(
    [
      "<!DOCTYPE html>",
      `<html lang="en">`,
      "<head>",
      `<meta charset="utf-8">`,
      "<title>Error</title>",
      "</head>",
      "<body>",
      `<pre>${text}</pre>`,
      "</body>",
      "</html>",
      ""
    ].join("\n"),
    { status, contentType: "text/html; charset=utf-8" }
  )
