import { Context, Effect, Layer, Redacted, Ref, Schema } from "effect"
import { HttpClient, HttpClientResponse, HttpServerRequest } from "effect/http"

/* It knows the service's interface, not our client: it is what the client is tried on. */

interface Stored {
  readonly title: string
  readonly text: string
  readonly folder: string
  readonly locked: boolean
}

const seed: ReadonlyArray<Stored> = [
  { title: "Shopping", text: "Flour, eggs, olive oil", folder: "inbox", locked: false },
  { title: "Trip to Lyon", text: "Train at 9:12 on Friday", folder: "inbox", locked: false },
  { title: "Tax return", text: "Due on 31 May", folder: "inbox", locked: true },
  { title: "Bread", text: "Let the dough rest overnight", folder: "recipes", locked: false }
]

const Fields = Schema.Struct({
  title: Schema.optionalKey(Schema.NonEmptyString),
  text: Schema.optionalKey(Schema.String),
  folder: Schema.optionalKey(Schema.NonEmptyString)
})

/** A notes service inside this process. */
export class EmbeddedNotes extends Context.Service<
  EmbeddedNotes,
  {
    /** Every request reaches the service, whatever host it names. */
    readonly httpClient: HttpClient.HttpClient
    readonly baseUrl: string
    readonly apiKey: Redacted.Redacted
  }
>()("examples/notes/EmbeddedNotes") {
  static readonly layer = Layer.effect(
    EmbeddedNotes,
    Effect.map(Ref.make(new Map(seed.map((note, index) => [String(index + 1), note]))), (notes) => ({
      httpClient: HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const [status, body] =
            request.headers["authorization"] === "Bearer embedded"
              ? yield* reply(notes, request.method, url.pathname, HttpServerRequest.fromClientRequest(request).json)
              : ([401, { error: "the key is wrong" }] as const)
          return HttpClientResponse.fromWeb(request, Response.json(body, { status }))
        })
      ),
      baseUrl: "http://127.0.0.1:5680",
      apiKey: Redacted.make("embedded")
    }))
  )
}

type Reply = readonly [status: number, body: unknown]
const unknown: Reply = [404, { error: "there is no such note" }]
const locked: Reply = [409, { error: "the note is locked" }]

const reply = Effect.fnUntraced(function* (
  notes: Ref.Ref<Map<string, Stored>>,
  method: string,
  path: string,
  body: Effect.Effect<unknown, unknown>
) {
  const [, collection, id] = path.split("/")
  const all = yield* Ref.get(notes)
  if (collection !== "notes") return unknown
  if (method === "GET" && id === undefined) {
    return [
      200,
      [...all].map(([one, { folder, locked, title }]) => ({ id: one, title, folder, locked }))
    ] satisfies Reply
  }
  const note = id === undefined ? { title: "", text: "", folder: "inbox", locked: false } : all.get(id)
  if (note === undefined) return unknown
  if (method === "GET") return [200, { id, ...note }] satisfies Reply
  if (method !== (id === undefined ? "POST" : "PATCH")) return unknown
  if (note.locked) return locked
  const fields = yield* Effect.option(Effect.flatMap(body, Schema.decodeUnknownEffect(Fields)))
  if (fields._tag === "None")
    return [400, { error: "title and folder must be texts that are not empty" }] satisfies Reply
  const key = id ?? String(all.size + 1)
  const changed = { ...note, ...fields.value }
  yield* Ref.update(notes, (before) => new Map(before).set(key, changed))
  return [id === undefined ? 201 : 200, { id: key, ...changed }] satisfies Reply
})
