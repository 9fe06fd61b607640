/** Where a client finds the server. */
export type Door =
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

/** What can be completed, and where. */
export type Of =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string }

/** What a connected client can do, whichever official client it is underneath. */
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
  readonly close: () => Promise<void>
}

/** One official client, set up in one way. */
export interface OfficialClient {
  readonly name: string
  /** The revision it has to end up with. */
  readonly revision: string
  readonly connect: (door: Door) => Promise<Session>
}
