import type { RequestListener } from "node:http"

export const key = "sk-NEVER-SHOWN-1234567890"

/** An engine that tells its version to everybody, and all else to this key. */
export const engine: RequestListener = ({ headers, url = "" }, response) => {
  const isPublic = url === "/rest/settings"
  const isAccepted = isPublic || headers["x-engine-api-key"] === key
  response.writeHead(isAccepted ? 200 : 401, { "content-type": "application/json" })
  const answer = { data: isPublic ? { versionCli: "1.82.3" } : [], nextCursor: null }
  response.end(JSON.stringify(isAccepted ? answer : { message: "unauthorized" }))
}
