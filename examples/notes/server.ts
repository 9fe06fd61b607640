import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { ChangesToolset, PlanSource } from "workflow-tool-server/changes"
import { Server } from "workflow-tool-server/mcp"

import { EmbeddedNotes } from "./EmbeddedNotes.ts"
import { Notes } from "./Notes.ts"
import { NotesPlans, notesPlans } from "./plans.ts"
import { NotesToolset } from "./toolset.ts"

/** The service in this process. `Notes.layer({ baseUrl, apiKey })` over `FetchHttpClient.layer` reaches a real one. */
export const Embedded = Layer.unwrap(
  Effect.map(EmbeddedNotes, ({ apiKey, baseUrl, httpClient }) =>
    Layer.provide(Notes.layer({ baseUrl, apiKey }), Layer.succeed(HttpClient.HttpClient, httpClient))
  )
).pipe(Layer.provide(EmbeddedNotes.layer))

const Sources = Layer.effect(
  PlanSource.PlanSources,
  Effect.map(notesPlans, (source) => [source])
)

/** The notes' tools, and those that show, apply and roll back plans. */
export const NotesServer = Server.layer({
  name: "notes-server",
  version: "1.0.0",
  toolsets: [NotesToolset, ChangesToolset]
}).pipe(Layer.provide(Sources), Layer.provide(NotesPlans.layer))
