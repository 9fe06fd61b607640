import { Context, Effect, Layer, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"

import { Note, type NoteFields, NoteLine } from "./Note.ts"

/** A call to the service that failed. */
export class NotesError extends Schema.TaggedError<NotesError>()("NotesError", {
  /** `OutcomeUnknown`: a change was sent, and nobody knows whether it was made. After any other, nothing was changed. */
  reason: Schema.Literals(["NotFound", "OutcomeUnknown", "Refused", "Unreachable", "Unreadable"]),
  problem: Schema.String
}) {
  override get message() {
    return `The notes service: ${this.problem}. ${advice[this.reason]}`
  }
}

const advice: { readonly [reason in NotesError["reason"]]: string } = {
  NotFound: "list_notes lists the notes that there are.",
  OutcomeUnknown: "It may have happened all the same: read what is there before you repeat it.",
  Refused: "Nothing was changed.",
  Unreachable: "Nothing was changed: try again.",
  Unreadable: "Nothing was changed."
}

/** The notes service: one method for each of its calls. None is repeated. */
export class Notes extends Context.Service<
  Notes,
  {
    readonly list: Effect.Effect<ReadonlyArray<NoteLine>, NotesError>
    readonly get: (id: string) => Effect.Effect<Note, NotesError>
    readonly create: (fields: NoteFields) => Effect.Effect<Note, NotesError>
    /** Changes the given fields and keeps the others. */
    readonly update: (id: string, fields: Partial<NoteFields>) => Effect.Effect<Note, NotesError>
  }
>()("examples/notes/Notes") {
  static readonly layer = (options: { readonly baseUrl: string; readonly apiKey: Redacted.Redacted }) =>
    Layer.effect(
      Notes,
      Effect.map(HttpClient.HttpClient, (client) => {
        const call = caller(
          client.pipe(
            HttpClient.mapRequest(HttpClientRequest.prependUrl(options.baseUrl)),
            HttpClient.mapRequest(HttpClientRequest.bearerToken(options.apiKey))
          )
        )
        const at = (id: string) => `/notes/${encodeURIComponent(id)}`
        return Notes.of({
          list: call(HttpClientRequest.get("/notes"), Schema.Array(NoteLine)),
          get: (id) => call(HttpClientRequest.get(at(id)), Note),
          create: (fields) => call(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/notes"), fields), Note),
          update: (id, fields) => call(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.patch(at(id)), fields), Note)
        })
      })
    )
}

const Refusal = Schema.Struct({ error: Schema.String })

/** Sends one request and decodes the answer. */
const caller =
  (client: HttpClient.HttpClient) =>
  <A>(request: HttpClientRequest.HttpClientRequest, reply: Schema.Codec<A, unknown>) => {
    const isRead = request.method === "GET"
    const lost = new NotesError({ reason: isRead ? "Unreachable" : "OutcomeUnknown", problem: "it does not answer" })
    const unreadable = new NotesError({
      reason: isRead ? "Unreadable" : "OutcomeUnknown",
      problem: "its answer cannot be read"
    })
    return client.execute(request).pipe(
      Effect.flatMap((response) =>
        response.status < 300
          ? HttpClientResponse.schemaBodyJson(reply)(response)
          : Effect.flatMap(HttpClientResponse.schemaBodyJson(Refusal)(response), ({ error }) =>
              Effect.fail(new NotesError({ reason: response.status === 404 ? "NotFound" : "Refused", problem: error }))
            )
      ),
      Effect.timeout("30 seconds"),
      Effect.catchTags({
        HttpClientError: () => Effect.fail(lost),
        TimeoutError: () => Effect.fail(lost),
        SchemaError: () => Effect.fail(unreadable)
      })
    )
  }
