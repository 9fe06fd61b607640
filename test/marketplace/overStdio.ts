import { createInterface } from "node:readline"

import { Schema } from "effect"

import { start, type Start } from "../cli/built.ts"

const Reply = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.Struct({
      isError: Schema.optionalKey(Schema.Boolean),
      content: Schema.Array(Schema.Struct({ text: Schema.String }))
    })
  })
)
const Failure = Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }))
const Answer = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** The built command with the marketplace's tools over stdio, called with bare requests. */
export const command = (cwd: string, options: Pick<Start, "node">, ...args: ReadonlyArray<string>) => {
  const { child, ended } = start(["--toolsets", "marketplace", ...args], { cwd, ...options })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const send = async (method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`)
    return (await lines.next()).value
  }
  const ask = (name: string, args: object) => send("tools/call", { name, arguments: args })
  const call = async (name: string, args: object) => {
    const value = await ask(name, args)
    const { result } = Schema.decodeUnknownSync(Reply)(value)
    return Schema.decodeUnknownSync(Answer)(result.content[0]?.text)
  }
  /** The words of a call that fails. */
  const fail = async (name: string, args: object) =>
    Schema.decodeUnknownSync(Failure)(await ask(name, args)).error.message
  const request = async (method: string, params: object) => Schema.decodeUnknownSync(Answer)(await send(method, params))
  return { call, fail, request, child, ended }
}
