import { createInterface } from "node:readline"

import { Schema } from "effect"

import { directory, start, startHttp, type Start } from "../cli/built.ts"
import { type Answer, decodeAnswer } from "../support/answer.ts"
import { modernHeaders, modernMeta } from "../support/fixtures/messages.ts"

export { directory, once as moment, run, useCommand } from "../cli/built.ts"

export type Arguments = Readonly<Record<string, unknown>>
export type Server = Awaited<ReturnType<typeof overStdio>>
export type HttpServer = Awaited<ReturnType<typeof overHttp>>

/** A configuration of these instances; the first one is the default. */
export const configurationOf = (hosts: Readonly<Record<string, string>>, more: object = {}) => ({
  environments: Object.fromEntries(
    Object.entries(hosts).map(([name, engine_host]) => [name, { engine_host, engine_api_key: key, ...more }])
  ),
  defaultEnv: Object.keys(hosts)[0]
})

/** The key of every instance; nobody but its engine may see it. */
export const key = "canary-0f4d9c27"

const request = (id: unknown, method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id, method, params })
const toolCall = (name: string, args: Arguments) => ({ name, arguments: args })

export const overStdio = async (configuration: object, options: Start = {}) => {
  const cwd = await directory({ ".config.json": configuration })
  const started = start(["--config", ".config.json"], { cwd, ...options })
  const { child } = started
  const pending = new Map<unknown, (answer: Answer) => void>()
  const strays: Array<unknown> = []
  let ids = 0
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = decodeAnswer(line)
    const resolve = pending.get(answer.id)
    pending.delete(answer.id)
    if (resolve === undefined) strays.push(answer)
    else resolve(answer)
  })
  const ask = (method: string, params: object = {}, id: unknown = `${++ids}`) =>
    new Promise<Answer>((resolve) => {
      pending.set(id, resolve)
      child.stdin.write(`${request(id, method, params)}\n`)
    })
  return {
    ...started,
    cwd,
    ask,
    call: (name: string, args: Arguments = {}) => ask("tools/call", toolCall(name, args)),
    /** Answers that nobody waits for: to no request, or a second one. */
    strays
  }
}

/** The parameters that make a request one of the modern revision. */
export const modern = { _meta: modernMeta }

export const overHttp = async (configuration: object, options: Start = {}) => {
  const cwd = await directory({ ".config.json": configuration })
  const started = await startHttp(["--config", ".config.json"], { cwd, ...options })
  let ids = 0
  const ask = async (method: string, params: object = {}, id: unknown = `${++ids}`) => {
    const name = "name" in params ? String(params.name) : undefined
    const headers = "_meta" in params ? modernHeaders(method, name) : {}
    const response = await fetch(`${started.url}/mcp`, { method: "POST", headers, body: request(id, method, params) })
    return decodeAnswer(await response.text())
  }
  return {
    ...started,
    cwd,
    ask,
    call: (name: string, args: Arguments = {}) => ask("tools/call", toolCall(name, args)),
    strays: new Array<unknown>()
  }
}

export const transports = [
  ["stdio", overStdio],
  ["HTTP", overHttp]
] as const

/** The text of an answer that must be a success. */
export const textOf = ({ error, result }: Answer): string => {
  const content = result?.["content"]
  if (error !== undefined || !Array.isArray(content)) throw new Error(`refused: ${error?.message}`)
  return String(content[0].text)
}

const readObject = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

export const dataOf = (answer: Answer) => readObject(textOf(answer))

/** The error of an answer that must be one. */
export const errorOf = ({ error, result }: Answer) => {
  if (error === undefined) throw new Error(`no error, but ${JSON.stringify(result).slice(0, 500)}`)
  return error
}

/** One call that reads, and every kind of call that changes something in one request. */
export const read = ["get_workflow", { id: "1" }] as const
export const create = [
  "create_workflow",
  {
    name: "New",
    nodes: [{ name: "Hook", type: "engine-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }]
  }
] as const
export const remove = ["delete_tag", { id: "1" }] as const
