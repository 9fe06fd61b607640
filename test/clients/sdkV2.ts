import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

import { type Endpoint, type OfficialClient, onlyJson, type Session, texts } from "./Session.ts"

/** The second generation of the official TypeScript client, in one of its ways to settle on a revision. */
export const sdkV2 = (name: string, revision: string, options: ClientOptions): OfficialClient => ({
  name: `SDK v2 ${name}`,
  revision,
  connect: async (endpoint, person) => {
    const capabilities = person === undefined ? {} : { elicitation: { form: {} } }
    const client = new Client({ name: "sdk-v2", version: "2.0.0" }, { ...options, capabilities })
    if (person !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => person(params.message))
    await client.connect(open(endpoint))
    return session(client)
  }
})

const open = (endpoint: Endpoint) =>
  endpoint.kind === "http"
    ? new StreamableHTTPClientTransport(endpoint.url)
    : new StdioClientTransport({ command: endpoint.command, args: [...endpoint.args], stderr: "ignore" })

const session = (client: Client): Session => ({
  revision: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion()?.name,
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args = {}, options = {}) => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: { ...args } }, options)
    return { content: texts(content), structured: structuredContent, isError: isError === true }
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
  subscribe: async (uris) => {
    const updated = new Promise<unknown>((resolve) => {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri))
    })
    const { closed, honoredFilter, ...subscription } = await client.listen({
      toolsListChanged: true,
      resourceSubscriptions: [...uris]
    })
    return { honored: honoredFilter, updated, closed, close: () => subscription.close() }
  },
  close: () => client.close()
})
