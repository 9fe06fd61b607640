import { createInterface } from "node:readline"

import { type Answer, decodeAnswer } from "../support/answer.ts"
import { key } from "./engine.ts"
import { start } from "./server.ts"

/** A client with a server of its own. */
export interface Client {
  readonly name: string
  readonly server: Awaited<ReturnType<typeof start>>
  /** Sends a request and waits for its one answer; nothing where it was cancelled and stays without one. */
  readonly ask: (method: string, params: object, cancelAfter?: number) => Promise<Answer | undefined>
  /** Sends bytes that are no request; the answer to them has no id. */
  readonly babble: () => Promise<void>
  /** Requests that were never answered. */
  readonly unanswered: () => number
}

/** Longer than any answer may take. */
const longest = 70_000

const read = (text: string, problems: Array<string>): Answer => {
  if (text.includes(key)) problems.push(`the key is in an answer: ${text.slice(0, 200)}`)
  return decodeAnswer(text)
}

export const overStdio = async (hosts: Readonly<Record<string, string>>): Promise<Client> => {
  const server = await start(hosts, [])
  const { child, problems } = server
  const pending = new Map<unknown, (answer: Answer | undefined) => void>()
  const cancelled = new Set<unknown>()
  let ids = 0
  let nameless = () => {}
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = read(line, problems)
    if (answer.id === null || answer.id === undefined) return nameless()
    const resolve = pending.get(answer.id)
    pending.delete(answer.id)
    // An answer may have left before the cancellation came, but only once.
    if (resolve === undefined && !cancelled.delete(answer.id)) problems.push(`answered twice: ${line.slice(0, 200)}`)
    resolve?.(answer)
  })
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

  return {
    name: "stdio",
    server,
    unanswered: () => pending.size,
    ask: (method, params, cancelAfter) =>
      new Promise((resolve) => {
        const id = `${++ids}`
        const deadline = setTimeout(() => {
          problems.push(`never answered: ${method} ${JSON.stringify(params).slice(0, 200)}`)
          resolve(undefined)
        }, longest)
        pending.set(id, (answer) => {
          clearTimeout(deadline)
          resolve(answer)
        })
        write({ id, method, params })
        if (cancelAfter === undefined) return
        setTimeout(() => {
          const settle = pending.get(id)
          if (settle === undefined) return
          pending.delete(id)
          cancelled.add(id)
          write({ method: "notifications/cancelled", params: { requestId: id } })
          settle(undefined)
        }, cancelAfter)
      }),
    babble: () =>
      new Promise((resolve) => {
        nameless = resolve
        child.stdin.write('{"jsonrpc":"2.0", "id": 1, "method"\n')
      })
  }
}

export const overHttp = async (hosts: Readonly<Record<string, string>>): Promise<Client> => {
  const server = await start(hosts, ["--http", "--port", "0"])
  const url = /Serving (\S+\/mcp)/.exec(await server.says(/Serving \S+\/mcp/))?.[1] ?? ""
  let ids = 0
  let open = 0
  const post = (body: string, signal: AbortSignal) => fetch(url, { method: "POST", body, signal })
  return {
    name: "HTTP",
    server,
    unanswered: () => open,
    ask: async (method, params, cancelAfter) => {
      const id = ++ids
      const leave = new AbortController()
      const timer = setTimeout(() => leave.abort(), cancelAfter ?? longest)
      open++
      try {
        const response = await post(JSON.stringify({ jsonrpc: "2.0", id, method, params }), leave.signal)
        const answer = read(await response.text(), server.problems)
        if (answer.id !== id) server.problems.push(`an answer with the id ${String(answer.id)} instead of ${id}`)
        return answer
      } catch (error) {
        if (cancelAfter === undefined) server.problems.push(`no answer to ${method}: ${String(error)}`)
        return undefined
      } finally {
        open--
        clearTimeout(timer)
      }
    },
    babble: async () => {
      const { status } = await post('{"jsonrpc":"2.0", "id": 1, "method"', AbortSignal.timeout(longest))
      if (status !== 400) server.problems.push(`half a JSON was answered with ${status}`)
    }
  }
}
