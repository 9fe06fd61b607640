import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"

import { type Endpoint, type OfficialClient, onlyJson, type Session, texts } from "./Session.ts"

/** The first generation of the official TypeScript client, which most programs have. */
export const sdkV1: OfficialClient = {
  name: "SDK v1",
  revision: "2025-11-25",
  connect: async (endpoint, person) => {
    const capabilities = person === undefined ? {} : { elicitation: {} }
    const client = new Client({ name: "sdk-v1", version: "1.0.0" }, { capabilities })
    if (person !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message))
    const settled: { revision?: string } = {}
    await connect(client, endpoint, (revision) => {
      settled.revision = revision
    })
    return session(client, settled.revision)
  }
}

const connect = async (client: Client, endpoint: Endpoint, onRevision: (revision: string) => void) => {
  if (endpoint.kind === "stdio") {
    const transport = new StdioClientTransport({
      command: endpoint.command,
      args: [...endpoint.args],
      stderr: "ignore"
    })
    await client.connect(Object.assign(transport, { setProtocolVersion: onRevision }))
  } else {
    const transport = new StreamableHTTPClientTransport(endpoint.url)
    await client.connect(transport)
    onRevision(transport.protocolVersion ?? "none")
  }
}

const session = (client: Client, revision: string | undefined): Session => ({
  revision,
  server: client.getServerVersion()?.name,
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args = {}, options = {}) => {
    const result = await client.callTool({ name, arguments: { ...args } }, undefined, options)
    if (!Array.isArray(result.content)) throw new Error("an answer without content")
    return { content: texts(result.content), structured: result.structuredContent, isError: result.isError === true }
  },
  resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
  templates: async () => (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  read: async (uri) => onlyJson((await client.readResource({ uri })).contents),
  prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
  prompt: async (name, args) => {
    const { messages } = await client.getPrompt({ name, arguments: { ...args } })
    return texts(messages.map(({ content }) => content)).map(({ text }) => text)
  },
  complete: async (ref, name, value) => {
    const { completion } = await client.complete({ ref, argument: { name, value } })
    return completion.values
  },
  ping: () => client.ping(),
  close: () => client.close()
})
