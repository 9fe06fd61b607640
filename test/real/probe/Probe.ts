/** Sends requests to an engine and keeps what it answers, with all that differs from run to run replaced. */
import { setTimeout as sleep } from "node:timers/promises"

import { Schema } from "effect"

import { parseJson } from "../../../src/internal/json/values.ts"

export type Json = Readonly<Record<string, unknown>>

export interface Entry {
  readonly title: string
  readonly request: unknown
  readonly status: number
  readonly type: string
  readonly body: unknown
}

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly text: string
}

interface More {
  /** In front of the path, that of the public API by default. */
  readonly base?: string
  /** `null` sends no key. */
  readonly key?: string | null
  /** Sent as it is, instead of a body as JSON. */
  readonly raw?: string
  readonly type?: string
  /** Asks again, for ten seconds at most, while the answer is of this kind; only the last answer is kept. */
  readonly again?: (answer: Answer) => boolean
  /** The part of the JSON that is kept, all of it by default. */
  readonly keep?: (json: unknown) => unknown
}

export type Method = "DELETE" | "GET" | "PATCH" | "POST" | "PUT"

export interface Probe {
  readonly entries: ReadonlyArray<Entry>
  readonly step: (title: string, method: Method, path: string, body?: unknown, more?: More) => Promise<Answer>
  /** Creates a workflow and tells its id. */
  readonly create: (title: string, workflow: Json) => Promise<string>
  /** Lets an engine that puts workflows live in the background come to rest. */
  readonly rest: () => Promise<void>
}

export interface Target {
  readonly host: string
  readonly apiKey: string
  /** Milliseconds that the engine needs for what it does in the background. */
  readonly rest: number
}

const isJson = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/** The id of what was made, or what no engine knows. */
export const idOf = ({ json }: Answer): string => (isJson(json) && typeof json["id"] === "string" ? json["id"] : "none")

export const makeProbe = ({ apiKey, host, rest }: Target): Probe => {
  const entries: Array<Entry> = []
  const tidy = makeTidy([
    [host, "<host>"],
    [new URL(host).host, "<host>"],
    [apiKey, "<key>"]
  ])

  const send = async (method: Method, path: string, payload: string | undefined, { key = apiKey, type }: More) => {
    const headers = {
      accept: "application/json",
      ...(key === null ? {} : { "X-N8N-API-KEY": key }),
      ...(payload === undefined ? {} : { "content-type": type ?? "application/json" })
    }
    const body = payload === undefined ? {} : { body: payload }
    const response = await fetch(host + path, { method, headers, redirect: "manual", ...body })
    const text = await response.text()
    const read = parseJson(text)
    return { response, status: response.status, text, json: read._tag === "Some" ? read.value : undefined }
  }

  const step: Probe["step"] = async (title, method, path, body, more = {}) => {
    const { again = () => false, base = "/api/v1", keep = (json) => json, raw } = more
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    let answer = await send(method, base + path, payload, more)
    for (let turn = 0; turn < 100 && again(answer); turn++) {
      await sleep(100)
      answer = await send(method, base + path, payload, more)
    }
    const { json, response, status, text } = answer
    tidy.learn(json)
    entries.push({
      title: tidy.text(title),
      request: tidy.value({ method, path: base + path, body: raw ?? body ?? null }),
      status,
      type: (response.headers.get("content-type") ?? "").split(";")[0] ?? "",
      body:
        json === undefined
          ? tidy.text(text.replace(/\s+/g, " ")).slice(0, 200)
          : tidy.value(keep(json), /^\/workflows\/[^/]+\/tags$/.test(path) ? "tags" : "")
    })
    return { status, json, text }
  }

  return {
    entries,
    step,
    create: async (title, workflow) => idOf(await step(title, "POST", "/workflows", workflow)),
    rest: () => sleep(rest)
  }
}

const isClock = (name: string) => /^(startTime|executionTime|establishedAt|timestamp|jsonSizeBytes)$/.test(name)

const secretOrStack = new Map([
  ["stack", "<stack>"],
  ["resumeToken", "<token>"]
])

/** Replaces ids, times and addresses by placeholders that are counted in the order in which they appear. */
const makeTidy = (fixed: ReadonlyArray<readonly [string, string]>) => {
  const ids = new Set<string>()
  const placeholders = new Map<string, string>()
  const counts = new Map<string, number>()

  const placeholder = (kind: string, value: string) => {
    const known = placeholders.get(value)
    if (known !== undefined) return known
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    placeholders.set(value, `<${kind}:${count}>`)
    return `<${kind}:${count}>`
  }

  const text = (original: string) => {
    let out = original
    for (const [value, word] of fixed) out = out.replaceAll(value, word)
    out = out
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uuid) => placeholder("uuid", uuid))
    for (const id of ids) if (out.includes(id)) out = out.replaceAll(id, placeholder("id", id))
    return out
  }

  /** Remembers the ids that the engine made. */
  const learn = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(learn)
    if (!isJson(value)) return
    for (const [name, item] of Object.entries(value)) {
      if (typeof item === "string" && /^(id|.*Id)$/.test(name) && /^[A-Za-z0-9]{16}$/.test(item)) ids.add(item)
      else learn(item)
    }
  }

  const value = (original: unknown, name = ""): unknown => {
    if (typeof original === "string") return secretOrStack.get(name) ?? text(original)
    if (typeof original === "number" && isClock(name)) return `<${name}>`
    if (Array.isArray(original)) {
      const list = original.map((item) => value(item, name))
      // The tags of a workflow come in no fixed order.
      return name === "tags" ? list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list
    }
    if (!isJson(original)) return original
    if (name === "headers") return "<headers>"
    return Object.fromEntries(Object.entries(original).map(([key, item]) => [text(key), value(item, key)]))
  }

  return { text, learn, value }
}
