import type { RequestListener } from "node:http"

export const key = "sk-NEVER-SHOWN-1234567890"

/** An engine that tells its version to everybody, and all else to this key. */
export const engine: RequestListener = ({ headers, url = "" }, response) => {
  const isPublic = url === "/rest/settings"
  response.writeHead(isPublic || headers["x-engine-api-key"] === key ? 200 : 401, {
    "content-type": "application/json"
  })
  response.end(JSON.stringify({ data: isPublic ? { versionCli: "1.82.3" } : [], nextCursor: null }))
}
