/** The kit that toolsets are made of, for upstreams of one's own. It knows no upstream. */
export * as Annotations from "./annotations.ts"
export * as Arguments from "./Arguments.ts"
export { Elicitation, type Question, type Reply } from "./Elicitation.ts"
export { flag, optional, text } from "./parameters.ts"
export { Progress } from "./callContext.ts"
export { type Prompt, type PromptArgument, type PromptMessage, Prompts } from "./Prompt.ts"
export { Protocol } from "./protocol/Protocol.ts"
export { ServerInfo } from "./protocol/ServerInfo.ts"
export { Sessions } from "./protocol/Session.ts"
export {
  type Content,
  type Resource,
  type ResourceContents,
  ResourceNotFound,
  type ResourceProvider,
  Resources,
  type ResourceTemplate
} from "./Resources.ts"
export * as Server from "./Server.ts"
export type { Skill } from "./Skill.ts"
export * as Tool from "./Tool.ts"
export { Tools } from "./Tools.ts"
export { AnswerTooLarge, InvalidArgument, ToolError, type ToolFailure } from "./ToolError.ts"
export * as Toolset from "./Toolset.ts"
export * as McpHttp from "./transport/http.ts"
export { serveStdio } from "./transport/stdio.ts"
