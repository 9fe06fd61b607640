/** What registries, desktop programs and editors read about this package: their files in `packaging`, with what `package.json` says. */
import manifest from "../package.json" with { type: "json" }
import desktop from "../packaging/desktop/manifest.json" with { type: "json" }
import server from "../packaging/server.json" with { type: "json" }
import type { Tool } from "../src/mcp/Tool.ts"

const { description, engines, keywords, license, name, version } = manifest

/** The place of the sources: the one that names the owner is `repository` in `package.json`. */
export const repositoryUrl = manifest.repository.url.replace(/^git\+|\.git$/g, "")
const homepage = `${repositoryUrl}#readme`

/** For the registry of MCP servers. */
export const serverJson = () => ({
  ...server,
  name: `io.github.${new URL(repositoryUrl).pathname.slice(1)}`,
  version,
  repository: { url: repositoryUrl, source: "github" },
  websiteUrl: homepage,
  packages: server.packages.map((one) => ({ ...one, identifier: name, version }))
})

/** For desktop programs that install a bundle (MCPB). */
export const desktopManifest = (tools: ReadonlyArray<Pick<Tool, "description" | "name">>) => ({
  ...desktop,
  name,
  version,
  description: server.description,
  long_description: description,
  author: { ...desktop.author, url: repositoryUrl },
  repository: { type: "git", url: repositoryUrl },
  homepage,
  support: `${repositoryUrl}/issues`,
  license,
  keywords,
  tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
  compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: engines.node } }
})

/** Links that put the server into an editor; the editor asks for what is left open. */
export const installLinks = () => {
  const { engine_api_key, engine_host } = desktop.user_config
  const start = { command: "npx", args: ["-y", name, "--tools", "daily"] }
  const cursor = { ...start, env: { ENGINE_HOST: "https://n8n.example.com", ENGINE_API_KEY: "your key" } }
  const env = { ENGINE_HOST: "${input:engine_host}", ENGINE_API_KEY: "${input:engine_api_key}" }
  const inputs = [
    { type: "promptString", id: "engine_host", description: engine_host.description },
    { type: "promptString", id: "engine_api_key", description: engine_api_key.description, password: true }
  ]
  const query = Object.entries({ inputs, config: { type: "stdio", ...start, env } }).map(
    ([key, value]) => `${key}=${encodeURIComponent(JSON.stringify(value))}`
  )
  return {
    vscode: `https://insiders.vscode.dev/redirect/mcp/install?name=workflows&${query.join("&")}`,
    cursor: `https://cursor.com/en/install-mcp?name=workflows&config=${encodeURIComponent(Buffer.from(JSON.stringify(cursor)).toString("base64"))}`
  }
}
