import { createContext } from "preact"
import { useContext } from "preact/hooks"

import { type JsonObject, objectOf, objectsOf } from "../internal/schema/JsonObject.ts"
import { together } from "./browser.ts"
import { type Outcome, request, wholeSelection } from "./client.ts"
import { textOf } from "./json.ts"
import { mayChange } from "./login.ts"
import { readJson } from "./readJson.ts"

export interface ToolInfo {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly schema: JsonObject
  readonly isReading: boolean
}

/** An instance as it is configured. */
export interface InstanceInfo {
  readonly name: string
  /** The address of its editor; an embedded one has none. */
  readonly url: string | undefined
  readonly isReadOnly: boolean
}

/** The offer of this server, requested once. */
export interface ServerInfo {
  readonly tools: ReadonlyArray<ToolInfo>
  readonly has: (tool: string) => boolean
  readonly instances: ReadonlyArray<string>
  readonly infoOf: (instance: string) => InstanceInfo | undefined
  /** Whether a tool that changes something is offered, and its instance takes changes. */
  readonly canChange: (tool: string, instance: string) => boolean
  /** Whether calls are recorded, and shown to those who may change something. */
  readonly hasCallLog: boolean
}

export const Server = createContext<ServerInfo>({
  tools: [],
  has: () => false,
  instances: [],
  infoOf: () => undefined,
  canChange: () => false,
  hasCallLog: false
})

export const useServer = () => useContext(Server)

const toolOf = (tool: JsonObject): ToolInfo => ({
  name: textOf(tool.name),
  title: textOf(tool.title) || textOf(tool.name),
  description: textOf(tool.description),
  schema: objectOf(tool.inputSchema),
  isReading: objectOf(tool.annotations).readOnlyHint === true
})

/** The resource that tells of the instances. */
const instancesUri = "engine://instances"

const instanceOf = ({ name, readOnly, url }: JsonObject): InstanceInfo => ({
  name: textOf(name),
  url: textOf(url) || undefined,
  isReadOnly: readOnly === true
})

export const readServer = (): Promise<Outcome<ServerInfo>> =>
  request("tools/list", { _meta: wholeSelection }).then((listed) => {
    if (!listed.ok) return listed
    const all = objectsOf(listed.value.tools).map(toolOf)
    return together([
      request("resources/read", { uri: instancesUri }),
      request("resources/list", {}),
      mayChange()
    ]).then(([read, resources, canChange]) => {
      const text = read.ok ? textOf(objectsOf(read.value.contents)[0]?.text) : ""
      const tools = all.filter(({ isReading }) => canChange || isReading)
      const names = new Set(tools.map(({ name }) => name))
      const infos = objectsOf(readJson(text)?.value).map(instanceOf)
      const infoOf = (instance: string) => infos.find(({ name }) => name === instance)
      return {
        ok: true,
        value: {
          tools,
          has: (name) => names.has(name),
          instances: infos.map(({ name }) => name),
          infoOf,
          canChange: (tool, instance) => names.has(tool) && infoOf(instance)?.isReadOnly !== true,
          hasCallLog: resources.ok && objectsOf(resources.value.resources).some(({ uri }) => uri === callLog)
        }
      }
    })
  })

/** The address at which the server shows its audit log. */
export const callLog = "audit://calls"
