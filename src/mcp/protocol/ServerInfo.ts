import { Context } from "effect"

/** How this server introduces itself to clients. */
export class ServerInfo extends Context.Service<
  ServerInfo,
  {
    /** For programs: short, without spaces. */
    readonly name: string
    /** For people. */
    readonly title: string
    readonly version: string
    /** What a model should know before it uses the tools. */
    readonly instructions: string
  }
>()("workflow-tool-server/protocol/ServerInfo") {}
