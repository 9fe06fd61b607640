import { Context, Effect, Exit, Layer, Option, Schema, Scope } from "effect"
import { HttpClient } from "effect/http"

import type { Instances } from "../../src/engine/client/Instances.ts"
import { eraseLeft } from "../../src/engine/operator/run/eraseTemporaryCopies.ts"
import { TemporaryCopyJournal } from "../../src/engine/operator/run/TemporaryCopyJournal.ts"
import { WorkflowJournal } from "../../src/engine/plans/Plans.ts"
import { Coordination } from "../../src/internal/http/Coordination.ts"
import type { Sessions } from "../../src/mcp/protocol/Session.ts"
import { callTool, environment, type Json } from "../support/harness.ts"
import { planServer } from "../support/planServer.ts"
import { world } from "./Instance.ts"
import type { Machine } from "./Machine.ts"
import type { Group, Schedule } from "./schedule.ts"
import { CurrentCall, network, type Surroundings as Network } from "./Upstream.ts"

/** How a call of a tool has ended for who made it. */
export type Outcome =
  | { readonly _tag: "Answered"; readonly answer: Json }
  | { readonly _tag: "Refused"; readonly message: string; readonly data: Json }
  | { readonly _tag: "Died" }

/** Where servers run, and what is around them. */
export interface Surroundings extends Network {
  readonly machine: Machine
}

const readText = Schema.decodeUnknownSync(
  Schema.Struct({ content: Schema.NonEmptyArray(Schema.Struct({ text: Schema.String })) })
)
const readAnswer = Schema.decodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const readData = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))

/** A whole server that can be killed at any moment: it says nothing then, sends nothing, and ends nothing. */
export class Process {
  readonly group: Group
  private readonly schedule: Schedule
  private readonly context: Context.Context<Instances | Sessions>
  private readonly pending = new Set<() => void>()

  private constructor(group: Group, schedule: Schedule, context: Context.Context<Instances | Sessions>) {
    this.group = group
    this.schedule = schedule
    this.context = context
  }

  /** Starts a server, which sees to what former ones have left; undefined if it is killed while it starts. */
  static start(group: Group, around: Surroundings): Effect.Effect<Process> {
    const { instances, machine, schedule } = around
    const client = Layer.succeed(HttpClient.HttpClient, network(group, around))
    const references = Context.make(Coordination, {
      ...Coordination.defaultValue(),
      withLock: machine.withLock(group)
    }).pipe(Context.add(TemporaryCopyJournal, machine.copyJournal(group)))
    const environments = Object.fromEntries(
      instances.map(({ apiKey, host, name }) => [name, environment(host, apiKey, { requestsPerSecond: 1000 })])
    )
    const journal = Layer.succeed(WorkflowJournal, machine.journal(group))
    const server = planServer(environments, client, {}, journal)
    const built = Effect.gen(function* () {
      const context = Context.merge(
        references,
        yield* Effect.provideService(Layer.build(server), Scope.Scope, Scope.makeUnsafe())
      )
      yield* Effect.forkDetach(Effect.provideContext(eraseNoted(machine), context))
      return context
    }).pipe(Effect.provideContext(references))
    return Effect.callback<Process>((resume) =>
      schedule.fork(group, built, (exit) =>
        resume(Effect.map(exit, (context) => new Process(group, schedule, context)))
      )
    )
  }

  call(id: number, tool: string, args: Json): Effect.Effect<Outcome> {
    const asked = callTool(tool, args).pipe(
      Effect.map(({ error, result }): Outcome => {
        if (error === undefined) return { _tag: "Answered", answer: readAnswer(readText(result).content[0].text) }
        const data = Option.getOrElse(readData(error.data), () => ({}))
        return { _tag: "Refused", message: error.message, data }
      }),
      Effect.provideService(CurrentCall, id),
      Effect.provideContext(this.context)
    )
    return Effect.callback<Outcome>((resume) => {
      const died = () => {
        this.schedule.after(world, 0, () => resume(Effect.succeed({ _tag: "Died" })))
      }
      if (!this.group.isAlive) return died()
      this.pending.add(died)
      this.schedule.fork(this.group, asked, (exit) => {
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
}

/** Deletes the temporary copies that dead servers have left. */
const eraseNoted = Effect.fnUntraced(function* ({ copies }: Machine) {
  for (const [copy, owner] of copies) {
    if (owner.isAlive) continue
    const erased = yield* Effect.exit(eraseLeft(copy))
    if (Exit.isSuccess(erased)) copies.delete(copy)
  }
})
