import { Context, Deferred, Effect, Layer } from "effect"

import { Background, makeBackground } from "../changes/Background.ts"
import { Stopping } from "../mcp/callContext.ts"
import type { SecretForms } from "../mcp/protocol/elicitation/SecretForms.ts"
import * as Server from "../mcp/Server.ts"
import { AnswerLimit } from "../mcp/Tool.ts"
import { serveStdio } from "../mcp/transport/stdio.ts"
import type { Options } from "./configuration/flags.ts"
import type { Launch } from "./configuration/Launch.ts"
import { selectionOf } from "./configuration/profiles.ts"
import { readLaunch } from "./configuration/readLaunch.ts"
import * as NodeStdio from "./nodeStdio.ts"
import { stopRequested } from "./stopRequested.ts"
import { type Watching, watching } from "./telemetry/watching.ts"
import { audit, loadToolsets, sharedWithCopies } from "./toolsets/toolsets.ts"
import type { watchInBackground } from "./watch/background.ts"

/** Serves until the client leaves or the process is told to stop. */
export const serve = Effect.fnUntraced(function* (options: Options) {
  const launch = yield* readLaunch(options.demo ? { ...options, http: true } : options)
  const stopping = yield* Deferred.make<void>()
  yield* Effect.forkScoped(Effect.andThen(stopRequested, Deferred.succeed(stopping, undefined)))
  const { layer, metrics, record } = yield* watching(launch)
  const atWork = launch.http === undefined ? Context.empty() : Context.make(Background, yield* makeBackground)
  const shared = Context.merge(yield* sharedWithCopies(launch), atWork)
  const {
    instances,
    later,
    toolsets: loaded
  } = yield* Effect.provideContext(loadToolsets(launch, { areListsFirst: launch.http === undefined }), shared)
  yield* Effect.forkScoped(afterLists(later))
  const watch = yield* watched(launch, { instances, shared, toolsets: loaded, record })
  const toolsets = [...loaded, ...watch, ...(yield* shownCalls(launch))]
  const { answerLimit, http, selection } = launch
  const selections = Object.values(http?.oauth?.tools ?? {}).map(selectionOf)
  const recorded = Layer.merge(audit(launch, http === undefined ? "stdio" : "http"), layer)
  const serving = yield* transport(launch, metrics, Deferred.await(stopping))
  yield* (options.demo ? Effect.andThen(Effect.forkScoped(assistant), serving) : serving).pipe(
    Effect.provide(
      Layer.provideMerge(Server.layer({ toolsets, selections, ...(selection && { selection }) }), recorded)
    ),
    Effect.provideService(Stopping, stopping),
    answerLimit === undefined ? (self) => self : Effect.provideService(AnswerLimit, answerLimit),
    Effect.provideContext(shared)
  )
}, Effect.scoped)

/** Works in a demonstration before anybody else does. */
const assistant = Effect.andThen(
  Effect.promise(() => import("./demo.ts")),
  ({ assistantAtWork }) => assistantAtWork
)

/** Does the deferred loading. A call that needs what cannot be loaded says so, too. */
const afterLists = (later: ReadonlyArray<Effect.Effect<unknown>>) =>
  Effect.all(later, { discard: true }).pipe(
    Effect.catchCause((cause) => Effect.logError("What calls need could not be loaded", cause))
  )

/** Looks after the instances where the configuration asks for it; a server over stdio ends with its client, and does not. */
const watched = (launch: Launch, served: Parameters<typeof watchInBackground>[1]) =>
  launch.watch === undefined || launch.http === undefined
    ? Effect.succeed([])
    : Effect.flatMap(
        Effect.promise(() => import("./watch/background.ts")),
        ({ watchInBackground }) => Effect.map(watchInBackground(launch, served), (toolset) => [toolset])
      )

/** The end of the audit log, for the page. */
const shownCalls = ({ audit, config, http, page }: Launch) =>
  audit === undefined || http === undefined || !page
    ? Effect.succeed([])
    : Effect.map(
        Effect.promise(() => import("./audit/callLog.ts")),
        ({ callLog }) => [callLog({ config }, audit)]
      )

/** Over stdio where nothing else is asked for; what HTTP needs is loaded only for it. */
const transport = ({ http, page, shared }: Launch, metrics: Watching["metrics"], stopped: Effect.Effect<void>) =>
  http === undefined
    ? Effect.succeed(overStdio(page, stopped))
    : Effect.map(
        Effect.promise(() => import("./http/overHttp.ts")),
        ({ overHttp }) => overHttp(http, { isAlone: shared === undefined, metrics, page }, stopped)
      )

/** Writes a line where all before it has left. */
const writeNow = (line: string) => {
  const { stdout } = process
  if (!stdout.writable || stdout.writableLength > 0) return false
  stdout.write(line)
  return true
}

/** Serves the client at standard input and output until it leaves or the process is told to stop. */
const overStdio = (page: boolean, stopped: Effect.Effect<void>) =>
  serveStdio(stopped, { writeNow, ...(page ? { openPage } : {}) }).pipe(
    Effect.catchTag("PlatformError", (error) => Effect.logWarning(`Standard input broke: ${error.message}`)),
    Effect.provide(NodeStdio.layer)
  )

/** The page for secrets, loaded with its listener for the first of them. */
const openPage = (forms: SecretForms) =>
  Effect.flatMap(
    Effect.promise(() => import("./http/loopbackPage.ts")),
    ({ loopbackPage }) => loopbackPage(forms)
  )
