import { assert } from "vitest"

import { everyTool, idIn } from "../support/everyTool.ts"

/** Where a client finds the server. */
export type Endpoint =
  | { readonly kind: "stdio"; readonly command: string; readonly args: ReadonlyArray<string> }
  | { readonly kind: "http"; readonly url: URL }

export interface Answer {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text: string }>
  readonly structured: unknown
  readonly isError: boolean
}

export type Arguments = Readonly<Record<string, unknown>>
export type Call = (name: string, args?: Arguments) => Promise<Answer>

export interface CallOptions {
  readonly onprogress?: (step: { readonly progress: number; readonly total?: number | undefined }) => void
  readonly signal?: AbortSignal
}

/** A thing that can be completed, and its place. */
export type Of =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string }

/** A connected client, whichever official client it is underneath. */
export interface Session {
  readonly revision: string | undefined
  readonly server: string | undefined
  readonly tools: () => Promise<ReadonlyArray<string>>
  readonly call: (name: string, args?: Arguments, options?: CallOptions) => Promise<Answer>
  readonly resources: () => Promise<ReadonlyArray<string>>
  readonly templates: () => Promise<ReadonlyArray<string>>
  readonly read: (uri: string) => Promise<unknown>
  readonly prompts: () => Promise<ReadonlyArray<string>>
  /** The texts of the messages that the prompt is made of. */
  readonly prompt: (name: string, args: Readonly<Record<string, string>>) => Promise<ReadonlyArray<string>>
  readonly complete: (of: Of, name: string, value: string) => Promise<ReadonlyArray<string>>
  readonly ping: () => Promise<unknown>
  /** Subscribes to resources and the list of tools; only the newest revision can. */
  readonly subscribe?: (uris: ReadonlyArray<string>) => Promise<Subscription>
  readonly close: () => Promise<void>
}

/** An open subscription. */
export interface Subscription {
  /** The subscriptions that the server has agreed to. */
  readonly honored: unknown
  /** The next resource that has changed. */
  readonly updated: Promise<unknown>
  /** Its end, once there is one. */
  readonly closed: Promise<string>
  readonly close: () => Promise<void>
}

/** One official client, set up in one way. */
export interface OfficialClient {
  readonly name: string
  /** The revision it has to end up with. */
  readonly revision: string
  /** A client that can ask its person says so. */
  readonly connect: (endpoint: Endpoint, person?: Person) => Promise<Session>
}

/** The reaction of the person at a client to a question. */
export type Person = (message: string) => Promise<{
  readonly action: "accept" | "cancel" | "decline"
  readonly content?: Record<string, boolean>
}>

type Json = Readonly<Record<string, unknown>>

/** The answer for a client that shows only its text. */
export const dataOf = ({ content }: Answer): Json => JSON.parse(content.map(({ text }) => text).join(""))

/** The answers to every tool, by its name, when all succeed. */
export const callEveryTool = async (call: Call, name = "life"): Promise<ReadonlyMap<string, Answer>> => {
  const answers = new Map<string, Answer>()
  const ids: Record<string, unknown> = {}
  for (const [tool, args] of everyTool(name)) {
    const answer = await call(tool, args(ids))
    answers.set(tool, answer)
    if (answer.isError) throw new Error(`${tool}: ${answer.content.map(({ text }) => text).join(" ")}`)
    ids[tool] = idIn(dataOf(answer))
  }
  return answers
}

/** The error of a call that is rejected; that it went well is a failure of the test. */
export const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("it went well"),
    (error: unknown) => error
  )

interface Block {
  readonly type: string
}

/** The text blocks of an answer; any other kind is shown by its name, so that a test that wants text fails. */
export const texts = (content: ReadonlyArray<Block>) =>
  content.map((block) => ({
    type: block.type,
    text: "text" in block && typeof block.text === "string" ? block.text : block.type
  }))

/** The JSON in the one text that a resource consists of. */
export const onlyJson = (contents: ReadonlyArray<object>): unknown => {
  const [only, ...others] = contents
  if (only === undefined || others.length > 0 || !("text" in only)) throw new Error("not one text")
  return JSON.parse(String(only.text))
}
