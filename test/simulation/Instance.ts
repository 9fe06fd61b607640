import { Context, Effect, Layer, Redacted, Schema, Scope, Semaphore } from "effect"
import { HttpClientRequest } from "effect/http"

import { EmbeddedEngine, type Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import type { Group, Schedule } from "./schedule.ts"
import type { Remote, Reply, Sender } from "./Upstream.ts"

/** A workflow as people would compare it: without what every write changes. */
export const State = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  active: Schema.Boolean,
  isArchived: Schema.optionalKey(Schema.Boolean),
  nodes: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  connections: Schema.Record(Schema.String, Schema.Unknown),
  settings: Schema.optionalKey(Schema.Unknown),
  staticData: Schema.optionalKey(Schema.Unknown),
  pinData: Schema.optionalKey(Schema.Unknown),
  tags: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String })))
})
export type State = typeof State.Type
const readState = Schema.decodeUnknownOption(Schema.fromJsonString(State))
const Listed = Schema.fromJsonString(
  Schema.Struct({ data: Schema.Array(State), nextCursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })
)
const readCreated = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** A change that an engine was asked for, as it has arrived there; of a workflow, with what that was before and after. */
export interface Write extends Sender {
  readonly at: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: string
  readonly id: string | undefined
  readonly before: State | undefined
  readonly after: State | undefined
}

const ofWorkflow = /^\/api\/v1\/workflows(?:\/([^/?]+))?/

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** An engine, and everything that was really changed on it. */
export class Instance implements Remote {
  readonly writes: Array<Write> = []
  /** When calls have read workflows. */
  readonly reads: Array<Pick<Write, "at" | "call" | "id">> = []
  readonly group: Group
  readonly name: string
  readonly version: Version
  readonly host: string
  readonly apiKey: string
  private readonly engine: EmbeddedEngine["Service"]
  private readonly schedule: Schedule
  private readonly oneWrite = Semaphore.makeUnsafe(1)

  private constructor(group: Group, version: Version, engine: EmbeddedEngine["Service"], schedule: Schedule) {
    this.group = group
    this.name = group.name
    this.version = version
    this.host = `http://${group.name}.test`
    this.engine = engine
    this.schedule = schedule
    this.apiKey = Redacted.value(engine.apiKey)
  }

  /** Starts an engine with a clock of its own. */
  static readonly make = (name: string, version: Version, schedule: Schedule): Effect.Effect<Instance> => {
    const group: Group = { name, isAlive: true, wall: { ahead: 0 } }
    const engine = Layer.fresh(EmbeddedEngine.layer({ version }))
    const built = Effect.provideService(Layer.build(engine), Scope.Scope, Scope.makeUnsafe())
    return Effect.map(
      schedule.within(group, built),
      (context) => new Instance(group, version, Context.get(context, EmbeddedEngine), schedule)
    )
  }

  /** Delivers a request to the engine; changes are looked at before and after, one by one. */
  deliver(request: HttpClientRequest.HttpClientRequest, sender: Sender): Effect.Effect<Reply> {
    const { method } = request
    const { pathname: path } = new URL(request.url)
    const [isOfWorkflow, named] = ofWorkflow.exec(path) ?? []
    const work =
      method === "GET"
        ? this.exchange(request)
        : isOfWorkflow === undefined
          ? Effect.tap(this.exchange(request), ({ status }) =>
              Effect.sync(() =>
                this.noteWrite(request, sender, { status, id: undefined, before: undefined, after: undefined })
              )
            )
          : this.oneWrite.withPermit(this.change(request, sender, named))
    const read = { at: this.schedule.now, call: sender.call, id: named }
    return Effect.tap(
      this.schedule.within(this.group, work),
      Effect.sync(() => method === "GET" && isOfWorkflow !== undefined && this.reads.push(read))
    )
  }

  private readonly change = Effect.fnUntraced(function* (
    this: Instance,
    request: HttpClientRequest.HttpClientRequest,
    sender: Sender,
    named: string | undefined
  ) {
    const before = named === undefined ? undefined : yield* this.state(named)
    const reply = yield* this.exchange(request)
    const created = readCreated(reply.text)
    const id = named ?? (reply.status < 300 && created._tag === "Some" ? created.value.id : undefined)
    const after = id === undefined ? undefined : yield* this.state(id)
    this.noteWrite(request, sender, { status: reply.status, id, before, after })
    return reply
  })

  private noteWrite(
    request: HttpClientRequest.HttpClientRequest,
    sender: Sender,
    seen: Pick<Write, "after" | "before" | "id" | "status">
  ) {
    const { method, url } = request
    const path = new URL(url).pathname.replace("/api/v1", "")
    this.writes.push({ ...sender, ...seen, at: this.schedule.now, method, path, body: bodyOf(request) })
  }

  /** Answers a change of a workflow with what it is, as if that were what it has become. */
  pretend(request: HttpClientRequest.HttpClientRequest, sender: Sender): Effect.Effect<Reply> {
    const [, named] = ofWorkflow.exec(new URL(request.url).pathname) ?? []
    return named === undefined
      ? this.deliver(request, sender)
      : this.exchange(this.requestOf("GET", `/workflows/${named}`))
  }

  /** Sends a request past all servers, as people do who use the editor. */
  send(by: string, method: Method, path: string, body?: unknown): Effect.Effect<Reply> {
    return this.deliver(this.requestOf(method, path, body), { by, call: undefined, sent: this.schedule.now })
  }

  /** A workflow as it is now; undefined if there is none with this id. */
  state(id: string): Effect.Effect<State | undefined> {
    return Effect.map(this.exchange(this.requestOf("GET", `/workflows/${id}`)), ({ status, text }) => {
      const read = status === 200 ? readState(text) : undefined
      return read?._tag === "Some" ? read.value : undefined
    })
  }

  /** All workflows. */
  get all(): Effect.Effect<ReadonlyArray<State>> {
    const page = (cursor: string): Effect.Effect<ReadonlyArray<State>> =>
      Effect.flatMap(this.exchange(this.requestOf("GET", `/workflows?limit=250${cursor}`)), ({ text }) => {
        const { data, nextCursor } = Schema.decodeUnknownSync(Listed)(text)
        return typeof nextCursor === "string"
          ? Effect.map(page(`&cursor=${nextCursor}`), (more) => [...data, ...more])
          : Effect.succeed(data)
      })
    return page("")
  }

  private requestOf(method: Method, path: string, body?: unknown): HttpClientRequest.HttpClientRequest {
    const at = path.startsWith("/webhook/") ? path : `/api/v1${path}`
    const bare = HttpClientRequest.make(method)(this.host + at, { headers: { "X-N8N-API-KEY": this.apiKey } })
    return body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body)
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

type Method = "DELETE" | "GET" | "POST" | "PUT"
