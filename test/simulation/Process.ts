import { Context, Deferred, Effect, Exit, Layer, Option, Schema, Scope } from "effect"
import { HttpClient } from "effect/http"

import { Journals } from "../../src/cli/plans/PlanJournalFile.ts"
import { layerOver as sharedOver } from "../../src/cli/shared/shared.ts"
import { storeOver } from "../../src/cli/shared/Store.ts"
import { layerOver } from "../../src/engine/history/git/GitHistory.ts"
import { HistorySpool } from "../../src/engine/history/git/Spool.ts"
import { TemporaryCopyJournal } from "../../src/engine/operator/run/TemporaryCopyJournal.ts"
import { TestFolder } from "../../src/engine/operator/tests/TestFolder.ts"
import { Coordination } from "../../src/internal/http/Coordination.ts"
import { Stopping } from "../../src/mcp/callContext.ts"
import { Copies } from "../../src/mcp/Elicitation.ts"
import { makeInFlightRequests } from "../../src/mcp/protocol/InFlightRequests.ts"
import * as Message from "../../src/mcp/protocol/Message.ts"
import { assumed, modern } from "../../src/mcp/protocol/ProtocolVersion.ts"
import { type Session, Sessions } from "../../src/mcp/protocol/Session.ts"
import { Answer } from "../support/answer.ts"
import type { Json } from "../support/harness.ts"
import { clientName, type Caller } from "./Caller.ts"
import type { Machine } from "./Machine.ts"
import type { SharedRedis } from "./Redis.ts"
import { type Group, type Schedule, world } from "./schedule.ts"
import { CurrentCall, network, type Surroundings as Network } from "./Upstream.ts"

/** A server, over its network and with what its machine keeps. */
export type Serving<R> = (
  network: Layer.Layer<HttpClient.HttpClient>,
  server: Group,
  machine: Machine
) => Layer.Layer<R | Sessions>

/** Where servers run, and what is around them. */
export interface Surroundings<R> extends Network {
  readonly machine: Machine
  /** The store that it shares with servers of other machines, if there is one. */
  readonly redis: SharedRedis | undefined
  readonly serving: Serving<R>
  /** Its first work, beside its calls. */
  readonly begin: (machine: Machine) => Effect.Effect<void, never, R>
}

/** A message from a server to a client that is no answer. */
export type Ask = (message: Message.ServerMessage) => Effect.Effect<void>

const readAnswer = Schema.decodeUnknownSync(Answer)

/** Seconds that a server has for what it is still at where it is told to stop. */
const shutdownTimeout = "4 seconds"

/** A whole server that can be killed at any moment: it says nothing then, sends nothing, and ends nothing. */
export class Process<R> {
  readonly group: Group
  readonly machine: Machine
  private readonly schedule: Schedule
  private readonly context: Context.Context<R | Sessions>
  private readonly scope: Scope.Closeable
  private readonly stopping: Deferred.Deferred<void>
  private readonly inFlight = makeInFlightRequests()
  private readonly sessions = new Map<string, Session>()
  private readonly pending = new Set<() => void>()

  private constructor(
    group: Group,
    { machine, schedule }: Pick<Surroundings<R>, "machine" | "schedule">,
    context: Context.Context<R | Sessions>,
    scope: Scope.Closeable,
    stopping: Deferred.Deferred<void>
  ) {
    this.group = group
    this.machine = machine
    this.schedule = schedule
    this.context = context
    this.scope = scope
    this.stopping = stopping
  }

  /** Starts a server, which sees to what former ones have left. */
  static start<R>(group: Group, around: Surroundings<R>): Effect.Effect<Process<R>> {
    const { begin, broken, machine, redis, schedule, serving } = around
    const client = Layer.succeed(HttpClient.HttpClient, network(group, around))
    const stopping = Deferred.makeUnsafe<void>()
    const alone = Context.make(Coordination, {
      ...Coordination.defaultValue(),
      withLock: machine.withLock(group)
    }).pipe(
      // Servers without a Redis share no answers of people, though they run in one process here.
      Context.add(Copies, Copies.defaultValue())
    )
    const references = Context.make(TemporaryCopyJournal, machine.copyJournal(group)).pipe(
      Context.add(Stopping, stopping),
      Context.add(TestFolder, machine.testFiles(group)),
      Context.add(Journals, machine.journalsOf(group)),
      Context.add(HistorySpool, { of: () => Effect.succeed(machine.spool(group)) })
    )
    const built = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const build = <A, E>(layer: Layer.Layer<A, E>) => Effect.provideService(Layer.build(layer), Scope.Scope, scope)
      const coordination =
        redis === undefined
          ? alone
          : yield* build(
              sharedOver(
                Effect.map(Effect.provideService(redis.client(group), Scope.Scope, scope), (one) =>
                  storeOver(one, "test")
                )
              )
            ).pipe(Effect.retry({ times: 50 }), Effect.orDie)
      const copies = Context.get(coordination, Copies)
      const use: typeof copies.use = broken.countsAgain === true ? () => Effect.succeed("first") : copies.use
      const known = Context.merge(references, coordination).pipe(Context.add(Copies, { ...copies, use }))
      const history = yield* Effect.provideContext(
        build(
          layerOver(
            "/history",
            Effect.suspend(() => Effect.succeed(machine.repository.openedBy(group)))
          )
        ),
        known
      )
      const around = Context.merge(known, history)
      const context = Context.merge(
        around,
        yield* Effect.provideContext(build(serving(client, group, machine)), around)
      )
      yield* Effect.forkDetach(Effect.provideContext(begin(machine), context))
      return new Process(group, { machine, schedule }, context, scope, stopping)
    })
    return schedule.within(group, built)
  }

  /** The answer to a request of a client; undefined if the server dies before, or the client does not want it any more. */
  request(caller: Caller, call: { readonly id: number; readonly tool: string }, params: Json, ask: Ask) {
    const given = { jsonrpc: "2.0", id: call.id, method: "tools/call", params }
    const asked = Effect.gen({ self: this }, function* () {
      const session = yield* this.sessionOf(caller, ask)
      const outcome = Option.getOrUndefined(yield* session.receive(Message.read(given)))
      return outcome === undefined ? undefined : readAnswer(outcome.response)
    }).pipe(Effect.provideService(CurrentCall, call))
    return this.served(asked)
  }

  /** Passes on a message of a client that has no answer. */
  tell(caller: Caller, message: Json) {
    const session = this.sessions.get(caller.name)
    if (session === undefined) return Effect.void
    return Effect.asVoid(this.served(Effect.as(session.receive(Message.read({ jsonrpc: "2.0", ...message })), {})))
  }

  /** The session of a client, which begins with its first request; the newest revision has none. */
  private readonly sessionOf = Effect.fnUntraced(function* (this: Process<R>, caller: Caller, ask: Ask) {
    const { open } = Context.get(this.context, Sessions)
    const { inFlight: inFlightRequests } = this
    if (caller.kind === "rounds") return open(modern, () => Effect.void, { inFlightRequests, address: caller.name })
    const known = this.sessions.get(caller.name)
    if (known !== undefined) return known
    const session = open(assumed, ask, { inFlightRequests })
    this.sessions.set(caller.name, session)
    const capabilities = caller.kind === "forms" ? { elicitation: {} } : {}
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: clientName, version: "1" } }
    yield* session.receive(Message.read({ jsonrpc: "2.0", id: "init", method: "initialize", params }))
    return session
  })

  /** Runs in this server for somebody outside of it, for as long as it lives. */
  private served<A>(self: Effect.Effect<A, never, R | Sessions>): Effect.Effect<A | undefined> {
    return Effect.callback<A | undefined>((resume) => {
      const died = () => {
        this.schedule.after(world, 0, () => resume(Effect.undefined))
      }
      if (!this.group.isAlive) return died()
      this.pending.add(died)
      this.schedule.fork(this.group, Effect.provideContext(self, this.context), (exit) => {
        this.pending.delete(died)
        resume(Exit.isSuccess(exit) ? exit : Effect.die(exit.cause))
      })
    })
  }

  kill() {
    this.group.isAlive = false
    for (const died of this.pending) died()
    this.pending.clear()
  }

  /** Stops as a server that is told to: what it is at has a few seconds, and is stopped then. */
  get stopped(): Effect.Effect<void> {
    const ended = Effect.gen({ self: this }, function* () {
      yield* Deferred.succeed(this.stopping, undefined)
      for (const session of this.sessions.values()) yield* Effect.forkDetach(session.leave)
      yield* Effect.sleep(shutdownTimeout)
      yield* this.inFlight.stop
      yield* Effect.sleep("1 second")
      yield* Effect.timeoutOption(Scope.close(this.scope, Exit.void), "5 seconds")
    })
    return Effect.andThen(
      this.schedule.within(this.group, ended),
      Effect.sync(() => this.kill())
    )
  }
}
