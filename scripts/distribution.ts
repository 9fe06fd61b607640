/** What registries, desktop programs and editors read about this package, all of it from `package.json` and the tools. */
import manifest from "../package.json" with { type: "json" }
import { flags } from "../src/cli/configuration/flags.ts"
import type { Tool } from "../src/mcp/Tool.ts"

const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "")
const toolsets = "engine,operator"
const about = "Manage workflows on several n8n instances, safely: nothing lost, little context"

/** The settings that a user has to give, by their environment variables. */
const settings = {
  ENGINE_HOST: "Address of your engine, such as https://n8n.example.com",
  ENGINE_API_KEY: "API key of that engine (Settings, n8n API)",
  [flags["read-only"].variable]: flags["read-only"].help
} as const

/** For the registry of MCP servers. */
export const serverJson = () => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: manifest.mcpName,
  title: "Workflow Tool Server",
  description: about,
  version: manifest.version,
  repository: { url: repository, source: "github" },
  websiteUrl: manifest.homepage,
  packages: [
    {
      registryType: "npm",
      identifier: manifest.name,
      version: manifest.version,
      runtimeHint: "npx",
      transport: { type: "stdio" },
      packageArguments: [{ type: "named", name: "--toolsets", value: toolsets }],
      environmentVariables: Object.entries(settings).map(([name, description]) => ({
        name,
        description,
        isRequired: name !== flags["read-only"].variable,
        isSecret: name === "ENGINE_API_KEY",
        format: name === flags["read-only"].variable ? "boolean" : "string"
      }))
    }
  ]
})

/** For desktop programs that install a bundle (MCPB). */
export const desktopManifest = (tools: ReadonlyArray<Pick<Tool, "description" | "name">>) => ({
  manifest_version: "0.3",
  name: manifest.name,
  display_name: "Workflow Tool Server",
  version: manifest.version,
  description: about,
  long_description: manifest.description,
  author: { name: "The maintainers of workflow-tool-server", url: repository },
  repository: { type: "git", url: repository },
  homepage: manifest.homepage,
  support: manifest.bugs,
  license: manifest.license,
  keywords: manifest.keywords,
  server: {
    type: "node",
    entry_point: "server/main.js",
    mcp_config: {
      command: "node",
      args: ["${__dirname}/server/main.js", "--toolsets", toolsets],
      env: {
        ENGINE_HOST: "${user_config.engine_host}",
        ENGINE_API_KEY: "${user_config.engine_api_key}",
        [flags["read-only"].variable]: "${user_config.read_only}"
      }
    }
  },
  tools: tools.map(({ description, name }) => ({ name, description })),
  compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: manifest.engines.node } },
  user_config: {
    engine_host: { type: "string", title: "Address", description: settings.ENGINE_HOST, required: true },
    engine_api_key: {
      type: "string",
      title: "API key",
      description: settings.ENGINE_API_KEY,
      required: true,
      sensitive: true
    },
    read_only: {
      type: "boolean",
      title: "Read only",
      description: flags["read-only"].help,
      required: false,
      default: false
    }
  }
})

/** Links that put the server into an editor; the editor asks for what is left open. */
export const installLinks = () => {
  const args = ["-y", manifest.name, "--toolsets", toolsets]
  const cursor = {
    command: "npx",
    args,
    env: { ENGINE_HOST: "https://n8n.example.com", ENGINE_API_KEY: "your key" }
  }
  const vscode = {
    name: "workflows",
    type: "stdio",
    command: "npx",
    args,
    env: { ENGINE_HOST: "${input:engine_host}", ENGINE_API_KEY: "${input:engine_api_key}" },
    inputs: [
      { type: "promptString", id: "engine_host", description: settings.ENGINE_HOST },
      { type: "promptString", id: "engine_api_key", description: settings.ENGINE_API_KEY, password: true }
    ]
  }
  const { inputs, name, ...config } = vscode
  const query = [
    ["name", name],
    ["inputs", JSON.stringify(inputs)],
    ["config", JSON.stringify(config)]
  ] as const
  return {
    vscode: `https://insiders.vscode.dev/redirect/mcp/install?${query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`,
    cursor: `https://cursor.com/en/install-mcp?name=workflows&config=${encodeURIComponent(Buffer.from(JSON.stringify(cursor)).toString("base64"))}`
  }
}
