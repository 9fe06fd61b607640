import { answers, type Step } from "../internal/http/standIn.ts"

const page = { "content-type": "text/html; charset=utf-8" }
const json = { "content-type": "application/json" }

/** The answers of something in front of an engine, in its place. */
export const foreignAnswers: Readonly<Record<string, Step>> = {
  "the 404 of an ingress without a backend": answers(404, { "content-type": "text/plain" }, "404 page not found\n"),
  "the page of an engine that starts": answers(404, page, "<!DOCTYPE html><pre>Cannot GET /api/v1/workflows</pre>"),
  "a login page": answers(200, page, "<!DOCTYPE html><title>Sign in</title>"),
  "a 403 page": answers(403, page, "<h1>Forbidden</h1>"),
  "too many requests": answers(429, { "content-type": "text/plain", "retry-after": "0" }, "Too many requests"),
  "a bad gateway": answers(502, page, "<h1>502 Bad Gateway</h1>"),
  "a gateway's JSON": answers(404, json, '{"message":"not found"}'),
  "a gateway's JSON with the engine's very words": answers(404, json, '{"message":"Not Found"}'),
  "a gateway's JSON of no route": answers(404, json, '{"message":"no Route matched with those values"}'),
  "the JSON of another protocol": answers(404, json, '{"code":5,"message":"Not Found","details":[]}'),
  "the JSON of another framework": answers(404, json, '{"message":"Not Found","error":"Not Found","statusCode":404}'),
  "an empty 404": answers(404, {}, ""),
  "JSON that says nothing": answers(200, json, "{}")
}
