import { Context, Effect, Layer, Redacted, Schema, Semaphore } from "effect"
import { HttpClientRequest } from "effect/http"

import { EmbeddedEngine, type Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import type { Group, Schedule } from "./schedule.ts"

/** A workflow as people would compare it: without what every write changes. */
export const State = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  active: Schema.Boolean,
  isArchived: Schema.optionalKey(Schema.Boolean),
  nodes: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  connections: Schema.Record(Schema.String, Schema.Unknown),
  settings: Schema.optionalKey(Schema.Unknown),
  tags: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String })))
})
export type State = typeof State.Type
const readState = Schema.decodeUnknownOption(Schema.fromJsonString(State))
const Listed = Schema.fromJsonString(
  Schema.Struct({ data: Schema.Array(State), nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })
)
const readCreated = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** A change of a workflow that an engine was asked for, as it has arrived there. */
export interface Write {
  readonly at: number
  /** The server or the person that sent it. */
  readonly by: string
  /** The call of a tool that it was part of. */
  readonly call: number | undefined
  readonly method: string
  readonly path: string
  readonly status: number
  readonly id: string | undefined
  readonly before: State | undefined
  readonly after: State | undefined
}

/** Who sends a request. */
export type Sender = Pick<Write, "by" | "call">

/** An answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const ofWorkflow = /\/api\/v1\/workflows(?:\/([^/?]+))?/

/** An engine, and everything that was really changed on it. */
export class Instance {
  readonly writes: Array<Write> = []
  /** When calls have read workflows. */
  readonly reads: Array<Pick<Write, "at" | "call" | "id">> = []
  readonly name: string
  readonly version: Version
  readonly host: string
  readonly apiKey: string
  private readonly engine: EmbeddedEngine["Service"]
  private readonly schedule: Schedule
  private readonly oneWrite = Semaphore.makeUnsafe(1)

  private constructor(name: string, version: Version, engine: EmbeddedEngine["Service"], schedule: Schedule) {
    this.name = name
    this.version = version
    this.host = `http://${name}.test`
    this.engine = engine
    this.schedule = schedule
    this.apiKey = Redacted.value(engine.apiKey)
  }

  static readonly make = (name: string, version: Version, schedule: Schedule) =>
    Effect.map(
      Layer.build(Layer.fresh(EmbeddedEngine.layer({ version }))),
      (context) => new Instance(name, version, Context.get(context, EmbeddedEngine), schedule)
    )

  /** What the engine does with a request; changes of workflows are looked at before and after, one by one. */
  deliver(request: HttpClientRequest.HttpClientRequest, sender: Sender): Effect.Effect<Reply> {
    const { method } = request
    const { pathname: path } = new URL(request.url)
    const [, named] = ofWorkflow.exec(path) ?? []
    if (method === "GET" || !ofWorkflow.test(path)) {
      const read = { at: this.schedule.now, call: sender.call, id: named }
      return Effect.tap(
        this.exchange(request),
        Effect.sync(() => this.reads.push(read))
      )
    }
    return this.oneWrite.withPermit(
      Effect.gen({ self: this }, function* () {
        const before = named === undefined ? undefined : yield* this.state(named)
        const reply = yield* this.exchange(request)
        const created = readCreated(reply.text)
        const id = named ?? (reply.status < 300 && created._tag === "Some" ? created.value.id : undefined)
        const after = id === undefined ? undefined : yield* this.state(id)
        this.writes.push({ ...sender, at: this.schedule.now, method, path, status: reply.status, id, before, after })
        return reply
      })
    )
  }

  /** Answers a change of a workflow with what it is, as if that were what it has become. */
  pretend(request: HttpClientRequest.HttpClientRequest): Effect.Effect<Reply> {
    const [at = "", named] = ofWorkflow.exec(new URL(request.url).pathname) ?? []
    return named === undefined
      ? this.deliver(request, { by: "a liar", call: undefined })
      : this.send("", "GET", at.replace("/api/v1", ""))
  }

  /** Sends a request past all servers, as people do who use the editor. */
  send(by: string, method: "DELETE" | "GET" | "POST" | "PUT", path: string, body?: unknown): Effect.Effect<Reply> {
    const bare = HttpClientRequest.make(method)(`${this.host}/api/v1${path}`, {
      headers: { "X-N8N-API-KEY": this.apiKey }
    })
    const request = body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body)
    return this.deliver(request, { by, call: undefined })
  }

  /** A workflow as it is now; undefined if there is none with this id. */
  state(id: string): Effect.Effect<State | undefined> {
    return Effect.map(this.send("", "GET", `/workflows/${id}`), ({ status, text }) => {
      const read = status === 200 ? readState(text) : undefined
      return read?._tag === "Some" ? read.value : undefined
    })
  }

  /** All workflows. */
  get all(): Effect.Effect<ReadonlyArray<State>> {
    const page = (cursor: string): Effect.Effect<ReadonlyArray<State>> =>
      Effect.flatMap(this.send("", "GET", `/workflows?limit=250${cursor}`), ({ text }) => {
        const { data, nextCursor } = Schema.decodeUnknownSync(Listed)(text)
        return typeof nextCursor === "string"
          ? Effect.map(page(`&cursor=${nextCursor}`), (more) => [...data, ...more])
          : Effect.succeed(data)
      })
    return page("")
  }

  private exchange(request: HttpClientRequest.HttpClientRequest): Effect.Effect<Reply> {
    return this.engine.httpClient.execute(request).pipe(
      Effect.flatMap((response) =>
        Effect.map(response.text, (text) => ({ status: response.status, headers: { ...response.headers }, text }))
      ),
      Effect.orDie
    )
  }
}

/** The group of everything that is no server: engines, people and callers. */
export const world: Group = { name: "world", isAlive: true, wall: { ahead: 0 } }
