import { Effect, Exit, Layer, Schema } from "effect"

import { Journals } from "../../src/cli/plans/PlanJournalFile.ts"
import type { Instances } from "../../src/engine/client/Instances.ts"
import type { Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import { eraseLeft } from "../../src/engine/operator/run/eraseTemporaryCopies.ts"
import { Entry, WorkflowJournal } from "../../src/engine/plans/Plans.ts"
import { environment } from "../support/harness.ts"
import { planServer } from "../support/planServer.ts"
import { act, ranAgain, workflowNamed } from "./acts.ts"
import type { Caller } from "./Caller.ts"
import type { Hosting } from "./Fleet.ts"
import { Instance } from "./Instance.ts"
import { violations } from "./invariants.ts"
import { operator } from "./planLife.ts"
import { planned } from "./plans.ts"
import type { Played } from "./Stage.ts"
import { World } from "./World.ts"

const versions: ReadonlyArray<readonly [number, Version]> = [
  [1, "1.82.3"],
  [1, "2.41.1"]
]

const readId = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** Servers that manage workflows on one or two engines. */
export class Engines extends World<Instances> implements Played {
  readonly instances: Array<Instance> = []
  final: Played["final"] = []
  readonly isGuarded = this.script === undefined && this.schedule.random.below(2) === 0

  get remotes(): ReadonlyArray<Instance> {
    return this.instances
  }

  protected readonly prepared = Effect.suspend(() => this.prepare())
  private readonly prepare = Effect.fnUntraced(function* (this: Engines) {
    const { instances, schedule, script } = this
    const { random } = schedule
    for (const name of ["production", "staging"].slice(0, script === undefined ? 1 + random.below(2) : 2)) {
      const instance = yield* Instance.make(name, script?.version ?? random.pick(versions), schedule)
      schedule.note(`${name} is of version ${instance.version}`)
      instances.push(instance)
      for (let count = 4; count > 0; count--) {
        const name = `Flow ${this.fresh()}${random.below(4) === 0 ? " kept" : ""}`
        const { text } = yield* instance.send("person", "POST", "/workflows", workflowNamed(name, count === 4))
        const { id } = readId(text)
        if (random.below(2) === 0) yield* instance.send("person", "POST", `/workflows/${id}/activate`, {})
      }
    }
  })

  protected readonly serving: Hosting<Instances>["serving"] = (client) => {
    const environments = Object.fromEntries(
      this.instances.map(({ apiKey, host, name }) => [name, environment(host, apiKey, { requestsPerSecond: 1000 })])
    )
    const journal = Layer.effect(
      WorkflowJournal,
      Journals.use(({ make }) => make("/plans", Entry))
    )
    return planServer(
      environments,
      client,
      { plans: { guards: this.isGuarded ? { protected: { names: ["*kept*"] } } : {} } },
      journal
    )
  }

  /** Deletes the temporary copies that dead servers have left. */
  protected readonly begin: Hosting<Instances>["begin"] = Effect.fnUntraced(function* ({ copies }) {
    for (const [copy, owner] of copies) {
      if (owner.isAlive) continue
      const erased = yield* Effect.exit(eraseLeft(copy))
      if (Exit.isSuccess(erased)) copies.delete(copy)
    }
  })

  protected readonly acting = (caller: Caller) => act(this, caller)

  protected readonly afterwards: Effect.Effect<unknown> = Effect.suspend(() =>
    Effect.forEach(this.instances, (instance) => Effect.andThen(planned(this, instance), ranAgain(this, instance)))
  )

  protected readonly looked: Effect.Effect<unknown> = Effect.suspend(() =>
    Effect.gen({ self: this }, function* () {
      for (const { name } of this.instances) yield* this.lastRun(name)
      // Whatever the histories lack is in them then.
      yield* this.everywhere("backup", { instances: ["*"] })
      yield* Effect.sleep("1 minute")
      this.final = yield* Effect.forEach(this.instances, (instance) =>
        Effect.map(instance.all, (states) => ({ instance, states }))
      )
    })
  )

  /** A run after which nothing is left of any other, as far as nobody could know of it before. */
  private readonly lastRun = Effect.fnUntraced(function* (this: Engines, instance: string) {
    const { connections, ...workflow } = workflowNamed(`Last ${this.fresh()}`, false)
    const links = Object.keys(connections).map((source) => ({ source, target: source === "Hook" ? "A" : "B" }))
    const made = yield* this.call(operator, "create_workflow", { ...workflow, connections: links }, instance)
    if (made._tag !== "Answered") {
      this.found.push(`nothing can be created on ${instance} in the end`)
      return
    }
    const ran = yield* this.everywhere("run_workflow", { id: made.answer["id"], confirm: true, instance })
    if (!ran.every(({ _tag }) => _tag === "Answered")) this.found.push(`nothing can be run on ${instance} in the end`)
  })

  problems(): ReadonlyArray<string> {
    return violations(this)
  }
}
