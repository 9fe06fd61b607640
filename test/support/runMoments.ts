import type { IncomingMessage } from "node:http"

const base = "/api/v1/workflows"

/** The moments on the way to an engine, and back, where a process may die in the middle of a run. */
export const runMoments = [
  `before POST ${base}`,
  `after POST ${base}`,
  `before POST ${base}/:id/activate`,
  `after POST ${base}/:id/activate`,
  "before POST /webhook/:id",
  "after POST /webhook/:id",
  "after GET /api/v1/executions",
  `before DELETE ${base}/:id`,
  `after POST ${base}/:id/deactivate`
]

/** A request in the words of these moments. */
export const requestWords = ({ method = "", url = "" }: IncomingMessage) =>
  `${method} ${(url.split("?")[0] ?? "").replace(/[A-Za-z0-9]{16}|[\da-f-]{36}/, ":id")}`
