import { Schema } from "effect"

import { requestsTo, start, type Start } from "../cli/built.ts"
import { dataOf, errorOf } from "../faults/servers.ts"
import { decodeAnswer } from "../support/answer.ts"

const Answer = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** The built command with the marketplace's tools over stdio, called with bare requests. */
export const command = (cwd: string, options: Pick<Start, "node">, ...args: ReadonlyArray<string>) => {
  const { child, ended } = start(["--toolsets", "marketplace", ...args], { cwd, ...options })
  const send = requestsTo({ child, ended })
  const ask = async (name: string, args: object) => decodeAnswer(await send("tools/call", { name, arguments: args }))
  const call = async (name: string, args: object) => dataOf(await ask(name, args))
  /** The words of a call that fails. */
  const fail = async (name: string, args: object) => errorOf(await ask(name, args)).message
  const request = async (method: string, params: object) => Schema.decodeUnknownSync(Answer)(await send(method, params))
  return { call, fail, request, child, ended }
}
