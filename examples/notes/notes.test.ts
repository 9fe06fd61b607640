import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { Tools } from "workflow-tool-server/mcp"

import { EmbeddedNotes } from "./EmbeddedNotes.ts"
import { Notes } from "./Notes.ts"
import { NotesServer } from "./server.ts"

/** The whole server, over a service whose answers to changes are lost from the `lostFrom`th on; and the changes that arrived. */
const served = (lostFrom = Infinity) => {
  const arrived: Array<string> = []
  const losing = (client: HttpClient.HttpClient) =>
    HttpClient.transform(client, (answer, request) =>
      Effect.flatMap(answer, (response) => {
        if (request.method === "GET") return Effect.succeed(response)
        arrived.push(`${request.method} ${new URL(request.url).pathname}`)
        return arrived.length < lostFrom
          ? Effect.succeed(response)
          : Effect.fail(
              new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
            )
      })
    )
  const notes = Layer.unwrap(
    Effect.map(EmbeddedNotes, ({ apiKey, baseUrl, httpClient }) =>
      Layer.provide(Notes.layer({ baseUrl, apiKey }), Layer.succeed(HttpClient.HttpClient, losing(httpClient)))
    )
  )
  return { arrived, layer: Layer.provideMerge(NotesServer, Layer.provide(notes, EmbeddedNotes.layer)) }
}

/** What a tool answers. */
const ask = Effect.fnUntraced(function* (name: string, args: object = {}) {
  const tool = (yield* Tools).find((one) => one.name === name)
  const { structured = {} } = yield* Option.getOrThrow(Option.fromNullishOr(tool)).call(args)
  return structured
})

const refused = (name: string, args: object) => Effect.flip(ask(name, args))
const foldersNow = Effect.map(
  Notes.use(({ list }) => list),
  (notes) => Object.fromEntries(notes.map(({ folder, id }) => [id, folder]))
)

it.effect("lists, creates, reads and updates notes, and keeps what an update leaves out", () =>
  Effect.gen(function* () {
    const { id } = yield* ask("create_note", { title: "Tea", text: "Green", folder: "recipes" })
    yield* ask("update_note", { id, text: "Black" })
    assert.deepInclude(yield* ask("get_note", { id }), { title: "Tea", text: "Black", folder: "recipes" })
    const { notes } = yield* ask("list_notes", { folder: "recipes" })
    assert.lengthOf(Array.isArray(notes) ? notes : [], 2)
  }).pipe(Effect.provide(served().layer))
)

it.effect("says why the service refuses something", () =>
  Effect.gen(function* () {
    assert.deepInclude(yield* refused("get_note", { id: "none" }), { code: "NOTES_NOT_FOUND" })
    assert.deepInclude(yield* refused("update_note", { id: "3", text: "" }), { _tag: "InvalidArgument" })
    const locked = yield* refused("update_note", { id: "3", text: "Paid" })
    assert.deepInclude(locked, { code: "NOTES_REFUSED" })
    assert.include(locked.message, "the note is locked")
  }).pipe(Effect.provide(served().layer))
)

it.effect("sends a change once, and says that its outcome is unknown where the answer is lost", () => {
  const { arrived, layer } = served(1)
  return Effect.gen(function* () {
    const lost = yield* refused("create_note", { title: "Tea", text: "Green", folder: "recipes" })
    assert.deepInclude(lost, { code: "NOTES_OUTCOME_UNKNOWN" })
    assert.deepStrictEqual(arrived, ["POST /notes"])
  }).pipe(Effect.provide(layer))
})

it.effect("plans the moves of a folder, applies them once, and brings them back", () => {
  const { arrived, layer } = served()
  return Effect.gen(function* () {
    const before = yield* foldersNow
    const plan = yield* ask("plan_note_moves", { from: "inbox", to: "done" })
    assert.deepInclude(plan, { steps: 2, blocked_count: 1 })
    assert.deepStrictEqual(yield* foldersNow, before)
    const { plan_id } = plan
    assert.deepInclude(yield* ask("apply_plan", { plan_id, confirm: true }), { state: "applied", done: 2 })
    assert.deepStrictEqual(yield* foldersNow, { ...before, "1": "done", "2": "done" })
    assert.deepInclude(yield* refused("apply_plan", { plan_id, confirm: true }), { code: "PLAN_SPENT" })
    const back = yield* ask("plan_rollback", { plan_id })
    yield* ask("apply_plan", { plan_id: back["plan_id"], confirm: true })
    assert.deepStrictEqual(yield* foldersNow, before)
    assert.deepStrictEqual(arrived, ["PATCH /notes/1", "PATCH /notes/2", "PATCH /notes/2", "PATCH /notes/1"])
  }).pipe(Effect.provide(layer))
})

it.effect("leaves a note alone that somebody else has moved since it was planned", () =>
  Effect.gen(function* () {
    const { plan_id } = yield* ask("plan_note_moves", { from: "inbox", to: "done" })
    yield* Notes.use((notes) => notes.update("1", { folder: "home" }))
    const report = yield* ask("apply_plan", { plan_id, confirm: true })
    assert.deepInclude(report, { state: "partly applied", done: 1, refused_count: 1 })
    assert.deepInclude(yield* foldersNow, { "1": "home", "2": "done" })
  }).pipe(Effect.provide(served().layer))
)

it.effect("goes on from what the service shows where an answer is lost", () => {
  const { arrived, layer } = served(2)
  return Effect.gen(function* () {
    const { plan_id } = yield* ask("plan_note_moves", { from: "inbox", to: "done" })
    assert.deepInclude(yield* ask("apply_plan", { plan_id, confirm: true }), { state: "applied", done: 2 })
    assert.deepStrictEqual(arrived, ["PATCH /notes/1", "PATCH /notes/2"])
  }).pipe(Effect.provide(layer))
})
