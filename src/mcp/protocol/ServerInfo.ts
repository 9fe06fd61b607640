import { Context } from "effect"
import { encode as encodeBase64 } from "effect/encoding/Base64"

import type { ProtocolVersion } from "./ProtocolVersion.ts"

/** The introduction of this server to clients. */
export class ServerInfo extends Context.Service<
  ServerInfo,
  {
    /** For programs: short, without spaces. */
    readonly name: string
    /** For people. */
    readonly title: string
    readonly version: string
    /** Instructions for models that use the tools. */
    readonly instructions: string
    /** An SVG drawing for people; absent if there is none. */
    readonly icon?: string | undefined
  }
>()("workflow-tool-server/protocol/ServerInfo") {}

/** The field of `_meta` with the introduction, in modern results. */
export const serverInfoKey = "io.modelcontextprotocol/serverInfo"

/** The introduction as a revision has it. */
export const introduction = (
  { icon, name, title, version }: ServerInfo["Service"],
  { icons, structure }: Pick<ProtocolVersion, "icons" | "structure">
) => {
  if (!structure) return { name, version }
  if (!icons || icon === undefined) return { name, title, version }
  const src = `data:image/svg+xml;base64,${encodeBase64(icon)}`
  return { name, title, version, icons: [{ src, mimeType: "image/svg+xml", sizes: ["any"] }] }
}

/** The icon of this server: the one of its page. */
export const ownIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3730a3"/><path d="M8 16h5l4-6h7M13 16l4 6h7" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/><circle cx="8" cy="16" r="2.6" fill="#fff"/></svg>'
