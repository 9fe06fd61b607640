import { createContext } from "preact"
import { useContext } from "preact/hooks"

import { type JsonObject, objectOf, objectsOf } from "../internal/schema/JsonObject.ts"
import { type Outcome, request, wholeSelection } from "./client.ts"
import { textOf, textsOf } from "./json.ts"

export interface ToolInfo {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly schema: JsonObject
  readonly isReading: boolean
}

/** The offer of this server, requested once. */
export interface ServerInfo {
  readonly tools: ReadonlyArray<ToolInfo>
  readonly has: (tool: string) => boolean
  readonly instances: ReadonlyArray<string>
  /** Whether calls are recorded, and shown to those who may change something. */
  readonly hasCallLog: boolean
}

export const Server = createContext<ServerInfo>({ tools: [], has: () => false, instances: [], hasCallLog: false })

export const useServer = () => useContext(Server)

const toolOf = (tool: JsonObject): ToolInfo => ({
  name: textOf(tool.name),
  title: textOf(tool.title) || textOf(tool.name),
  description: textOf(tool.description),
  schema: objectOf(tool.inputSchema),
  isReading: objectOf(tool.annotations).readOnlyHint === true
})

/** The names of instances are what completes the address of one. */
const ofInstances = {
  ref: { type: "ref/resource", uri: "engine://workflows?instance={instance}" },
  argument: { name: "instance", value: "" }
}

export const readServer = (): Promise<Outcome<ServerInfo>> =>
  request("tools/list", { _meta: wholeSelection }).then((listed) => {
    if (!listed.ok) return listed
    const tools = objectsOf(listed.value.tools).map(toolOf)
    const names = new Set(tools.map(({ name }) => name))
    return request("completion/complete", ofInstances).then((completed) =>
      request("resources/list", {}).then((resources) => ({
        ok: true,
        value: {
          tools,
          has: (name) => names.has(name),
          instances: completed.ok ? textsOf(objectOf(completed.value.completion).values) : [],
          hasCallLog: resources.ok && objectsOf(resources.value.resources).some(({ uri }) => uri === callLog)
        }
      }))
    )
  })

/** The address at which the server shows its audit log. */
export const callLog = "audit://calls"
