import { createServer, request as forward } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

import { Schema } from "effect"

import { directory, requestsTo, start } from "../../cli/built.ts"
import type { Json } from "../../support/harness.ts"
import type { Place } from "./support.ts"

const Reply = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.Struct({ content: Schema.Array(Schema.Struct({ text: Schema.String })) })
  })
)
const Answer = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** The built command with the tools of operators and of the engine's API over stdio, called with bare requests. */
export const operatorCommand = (
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  within: ReadonlyArray<string> = []
) => {
  const { child, ended, says } = start(["--config", ".config.json", "--toolsets", "operator,api"], { cwd, env, within })
  const send = requestsTo({ child, ended })
  const call = async (name: string, args: object): Promise<Json> => {
    const value = await send("tools/call", { name, arguments: args })
    if (value.includes('"error":{"code"')) throw new Error(value)
    return Schema.decodeUnknownSync(Answer)(Schema.decodeUnknownSync(Reply)(value).result.content[0]?.text)
  }
  const leave = async () => {
    child.stdin.end()
    await ended
  }
  return { call, child, ended, leave, says }
}

/**
 * The same command, started anew in the same folder whenever it was killed: a call whose process dies is made again. It dies at the
 * nth moment of its requests, of which those that only read have one.
 */
export const killedAt = async (turn: number, { apiKey, host }: Place) => {
  let moments = 0
  let kills = 0
  const dies = () => {
    if (++moments !== turn) return undefined
    kills++
    current.child.kill("SIGKILL")
    // Neither the request nor its answer goes on.
    return new Promise(() => {})
  }
  const way = await watched(host, dies, (method) => (method === "GET" ? undefined : dies()))
  const environments = { local: { engine_host: way.host, engine_api_key: apiKey } }
  const cwd = await directory({ ".config.json": { environments } })
  let current = operatorCommand(cwd)
  const call = async (name: string, args: object): Promise<Json> => {
    const calledAt = kills
    try {
      return await current.call(name, args)
    } catch (error) {
      if (kills === calledAt) throw error
      await current.ended
      current = operatorCommand(cwd)
      return call(name, args)
    }
  }
  const leave = async () => {
    await current.leave()
    await way.close()
  }
  return { call, leave, kills: () => kills }
}

/** Deletes a workflow that may be active, as soon as the engine lets it: newer ones take it out of service first. */
export const removed = async (send: Send, instance: string, id: string) => {
  await send(instance, "POST", `/workflows/${id}/deactivate`, {})
  const tried = (): Promise<unknown> =>
    send(instance, "DELETE", `/workflows/${id}`).catch(async (error: Error) => {
      if (!/: (409|500) /.test(error.message)) throw error
      await sleep(50)
      return tried()
    })
  await tried()
}

/** Once the engine has carried out a request, and once its answer is sent. */
type Moment = "answered" | "carried out"

/** A way to an engine on which a test sees every request, and may keep it or its answer waiting. */
export const watched = async (
  host: string,
  see: (method: string, path: string) => unknown,
  seeAfterwards: (method: string, moment: Moment) => unknown = () => undefined
) => {
  const server = createServer(async (incoming, outgoing) => {
    const { headers, method = "", url: path = "" } = incoming
    await see(method, path)
    const { hostname, port } = new URL(host)
    const closing = { ...headers, connection: "close" }
    const onward = forward({ hostname, port, method, path, headers: closing, agent: false }, async (reply) => {
      await seeAfterwards(method, "carried out")
      outgoing.on("finish", () => seeAfterwards(method, "answered"))
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    onward.on("error", () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return { host: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) }
}

/** One call of an engine past our server, by the name of the instance; a refusal rejects. */
export type Send = (instance: string, method: string, path: string, body?: unknown) => Promise<Json>

/**
 * Calls engines past our server, each time over a connection of its own: an engine may close one that is kept just as a busy machine
 * comes to send over it again.
 */
export const sender =
  (places: Readonly<Record<string, Place>>) =>
  async (instance: string, method: string, path: string, body?: unknown): Promise<Json> => {
    const { apiKey = "", host = "" } = places[instance] ?? {}
    const reply = await fetch(`${host}/api/v1${path}`, {
      method,
      headers: {
        connection: "close",
        "X-N8N-API-KEY": apiKey,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await reply.text()
    if (reply.status >= 300) return Promise.reject(new Error(`${method} ${path}: ${reply.status} ${text}`))
    if (text === "") return {}
    return text.startsWith("[") ? { data: JSON.parse(text) } : JSON.parse(text)
  }
