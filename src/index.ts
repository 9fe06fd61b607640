// The server as layers, and what its toolsets are made of.
export * as Server from "./mcp/Server.ts"
export * as McpHttp from "./mcp/transport/http.ts"
export { serveStdio } from "./mcp/transport/stdio.ts"
export { version } from "./version.ts"
export * as Toolset from "./mcp/Toolset.ts"
export * as Tool from "./mcp/Tool.ts"
export { Progress } from "./mcp/callContext.ts"
export { AnswerTooLarge, InvalidArgument, ToolError, type ToolFailure } from "./mcp/ToolError.ts"

// Services that the layers of a server give and take: with their names, programs can export such layers.
export { Prompts } from "./mcp/Prompt.ts"
export { Protocol } from "./mcp/protocol/Protocol.ts"
export { ServerInfo } from "./mcp/protocol/ServerInfo.ts"
export { Sessions } from "./mcp/protocol/Session.ts"
export { Resources } from "./mcp/Resources.ts"
export { Tools } from "./mcp/Tools.ts"

// The engine's toolset.
export { EngineToolset } from "./engine/toolset/toolset.ts"
export { engineTools } from "./engine/tools/catalog.ts"
export * as EngineTool from "./engine/tools/EngineTool.ts"

// Instances and their clients.
export { ConfigurationError } from "./internal/config/ConfigurationError.ts"
export { EngineConfig, type Environment } from "./engine/client/config/EngineConfig.ts"
export * as Configuration from "./engine/client/config/layer.ts"
export { type ConnectionOptions, HttpClients, UnusableConnection } from "./internal/http/HttpClients.ts"
export { Instances } from "./engine/client/Instances.ts"
export { EngineClient } from "./engine/client/EngineClient.ts"
export * from "./engine/client/EngineError.ts"
export { InvalidWorkflow } from "./engine/workflow/models.ts"

// What a client is given, and what it answers.
export {
  Connections,
  CredentialId,
  CredentialType,
  Execution,
  ExecutionId,
  type ExecutionQuery,
  ExecutionStatus,
  Link,
  Node,
  type Page,
  type PageQuery,
  Tag,
  TagId,
  Target,
  Workflow,
  WorkflowId,
  type WorkflowQuery
} from "./engine/workflow/models.ts"
export type { Changes, Creation } from "./engine/client/body.ts"
export type { Capabilities } from "./engine/client/capabilities.ts"
export type { InstanceHistory } from "./engine/client/History.ts"
export type { Changed } from "./engine/client/Protection.ts"
export type { SeenVersions } from "./engine/workflow/versions.ts"
export type { Written } from "./engine/client/writeWithFallback.ts"
export type { Reply as UpstreamReply, UpstreamRequest } from "./internal/http/Upstream.ts"
export type { Selection } from "./internal/json/Selection.ts"
export { JsonObject } from "./internal/schema/JsonObject.ts"

// Rules about workflows.
export { toConnections, toLinks } from "./engine/workflow/connections.ts"
export { validate } from "./engine/workflow/validate.ts"
