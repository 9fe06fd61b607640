import { Effect, Fiber, Scope } from "effect"

import type { Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import type { Json } from "../support/harness.ts"
import { type Asked, type Caller, kinds, outcomeOf, questionIn } from "./Caller.ts"
import { Fleet, type Hosting, wellEnded } from "./Fleet.ts"
import type { Broken } from "./Machine.ts"
import type { Ask, Process } from "./Process.ts"
import { type Schedule, world } from "./schedule.ts"
import type { Call, PlanMade, Stage } from "./Stage.ts"

/** A call about which a person may be asked. */
type Asking = Pick<Call, "args" | "id" | "tool"> & { readonly caller: Caller }

const answers: ReadonlyArray<readonly [number, Asked["answer"]]> = [
  [8, "yes"],
  [1, "no"],
  [1, "closed"],
  [1, "silence"]
]

/** Tools that take no instance of their own. */
const ofAll =
  /^(ads_|apply_plan$|audit_log$|backup$|plan_promotion$|plan_retry$|plan_rotation$|plan_upgrade$|plan_rollback$|show_plan$)/

/** Longer than any server waits for a person. */
const silence = 400_000

/** The program that runs in the place of a schedule. */
export interface Script {
  readonly play: Effect.Effect<unknown>
  /** The version of all engines. */
  readonly version?: Version
}

/** Servers, callers, people and misfortune, all of which follow from one seed; what they are about is for others to say. */
export abstract class World<R> implements Stage {
  readonly schedule: Schedule
  readonly callers: ReadonlyArray<Caller>
  readonly fleet: Fleet<R>
  protected readonly script: Script | undefined
  readonly calls: Array<Call> = []
  readonly asked: Array<Asked> = []
  readonly plans: Array<PlanMade> = []
  readonly found: Array<string> = []
  /** Requests that carried a person's answer. */
  private readonly answered: Array<Pick<Call, "args" | "id" | "instance" | "tool"> & { readonly params: Json }> = []
  private counter = 0

  constructor(schedule: Schedule, broken: Broken, script?: Script) {
    this.script = script
    this.schedule = schedule
    const { random } = schedule
    this.fleet = new Fleet(schedule, broken, script !== undefined)
    this.callers = Array.from({ length: 2 + random.below(3) }, (_, index) => ({
      name: `caller ${index}`,
      kind: random.pick(kinds)
    }))
  }

  fresh(): number {
    return ++this.counter
  }

  abstract readonly remotes: Hosting<R>["remotes"]
  /** Prepares all that is there before any server is. */
  protected abstract readonly prepared: Effect.Effect<void, never, Scope.Scope>
  protected abstract readonly serving: Hosting<R>["serving"]
  /** The first work of a server. */
  protected abstract readonly begin: Hosting<R>["begin"]
  /** The work of a caller, beside all others. */
  protected abstract readonly acting: (caller: Caller) => Effect.Effect<unknown>
  /** The tries once all of that is over, which are judged in the end. */
  protected abstract readonly afterwards: Effect.Effect<unknown>
  protected abstract readonly looked: Effect.Effect<unknown>
  /** Everything that was not as it has to be. */
  abstract problems(): ReadonlyArray<string>

  /** Plays the schedule to its end. */
  run(): Promise<void> {
    return this.schedule.run(world, Effect.provideService(this.play(), Scope.Scope, Scope.makeUnsafe()))
  }

  readonly call = Effect.fnUntraced(function* (
    this: World<R>,
    caller: Caller,
    tool: string,
    args: Json,
    instance: string = ""
  ) {
    return yield* this.rounds(this.made(caller, tool, args, instance))
  })

  private made(caller: Caller, tool: string, args: Json, instance: string) {
    const given = { ...args, ...(ofAll.test(tool) || instance === "" ? {} : { instance }) }
    const meta = caller.kind === "rounds" ? { _meta: formsMeta } : {}
    return { id: this.fresh(), caller, tool, args, instance, params: { name: tool, arguments: given, ...meta } }
  }

  /** The same call to every server, one after the other, by somebody who is asked nothing. */
  everywhere(tool: string, { instance = "", ...args }: Json) {
    return Effect.forEach(this.fleet.processes, (process) =>
      this.rounds(this.made({ name: "everywhere", kind: "bare" }, tool, args, String(instance)), process)
    )
  }

  readonly replay = Effect.fnUntraced(function* (this: World<R>, caller: Caller) {
    const { answered } = this
    const { random } = this.schedule
    // What has just been done can mostly be done once more.
    const one = random.below(2) === 0 ? answered.at(-1) : answered[random.below(answered.length)]
    if (one === undefined || caller.kind !== "rounds") return
    yield* this.rounds({ ...one, caller, repeats: one.id, id: this.fresh() })
  })

  /** A call with all its questions. */
  private readonly rounds = Effect.fnUntraced(function* (
    this: World<R>,
    made: Pick<Call, "args" | "id" | "instance" | "repeats" | "tool"> & {
      readonly caller: Caller
      readonly params: Json
    },
    at?: Process<R>
  ) {
    const { caller, id, params, repeats, tool } = made
    const { random } = this.schedule
    let process = at ?? (yield* this.fleet.anyProcess)
    const from = this.schedule.now
    const server = process.group.name
    this.schedule.note(`${server} ${id}: ${caller.name} calls ${tool} ${JSON.stringify(params["arguments"])}`)
    let answer = yield* this.sent(process, made, params)
    for (let round = questionIn(answer); round !== undefined; round = questionIn(answer)) {
      const { key, message, requestState } = round
      const said = yield* this.said(made, message)
      if (said === "silence") {
        answer = undefined
        break
      }
      const next = { ...params, requestState, inputResponses: { [key]: formOf(said) } }
      this.answered.push({ ...made, params: next })
      // Behind one address it may be another server that gets the answer.
      if (this.fleet.redis !== undefined || !process.group.isAlive) process = yield* this.fleet.anyProcess
      if (random.below(4) === 0) {
        const twice = { ...made, repeats: id, id: this.fresh(), params: next }
        yield* Effect.forkChild(
          this.noted(twice, process.group.name, this.schedule.now, this.sent(process, twice, next))
        )
      }
      answer = yield* this.sent(process, made, next)
    }
    return yield* this.noted(
      { ...made, ...(repeats === undefined ? {} : { repeats }) },
      server,
      from,
      Effect.succeed(answer)
    )
  })

  private readonly noted = Effect.fnUntraced(function* (
    this: World<R>,
    {
      args,
      caller,
      id,
      instance,
      repeats,
      tool
    }: Pick<Call, "args" | "id" | "instance" | "repeats" | "tool"> & { readonly caller: Caller },
    server: string,
    from: number,
    answering: ReturnType<World<R>["sent"]>
  ) {
    const outcome = outcomeOf(yield* answering)
    const said =
      outcome._tag === "Answered" ? outcome.answer : outcome._tag === "Refused" ? [outcome.message, outcome.data] : ""
    this.schedule.note(`${server} ${id}: ${tool} ${outcome._tag} ${JSON.stringify(said).slice(0, 700)}`)
    const to = this.schedule.now
    const again = repeats === undefined ? {} : { repeats }
    this.calls.push({ id, ...again, server, caller, tool, args, instance, from, to, outcome })
    return outcome
  })

  /** A request and its answer, unless the caller gives up before. */
  private sent(process: Process<R>, made: Asking, params: Json) {
    const { random } = this.schedule
    const { caller, id, tool } = made
    const ask: Ask = (message) =>
      Effect.sync(() => {
        if (!("id" in message) || message.method !== "elicitation/create") return
        const asking = Effect.gen({ self: this }, function* () {
          const asking = this.asking.get(caller.name)
          if (asking === undefined) return
          const said = yield* this.said(asking, String(message.params["message"]))
          if (said === "silence") return
          yield* process.tell(caller, { id: message.id, result: formOf(said) })
          if (random.below(4) === 0) yield* process.tell(caller, { id: message.id, result: formOf("yes") })
        })
        this.schedule.fork(world, asking, wellEnded)
      })
    this.asking.set(caller.name, made)
    const answered = process.request(caller, { id, tool }, params, ask)
    if (caller.kind === "rounds" || !this.callers.includes(caller) || random.below(25) > 0) return answered
    const gaveUp = Effect.sleep(random.below(3000)).pipe(
      Effect.andThen(Effect.sync(() => this.schedule.note(`${process.group.name} ${id}: ${caller.name} gives up`))),
      Effect.andThen(process.tell(caller, { method: "notifications/cancelled", params: { requestId: id } })),
      Effect.andThen(Effect.sleep("1 minute")),
      Effect.as(undefined)
    )
    return Effect.raceFirst(answered, gaveUp)
  }

  /** The call that each caller is at: there is one at a time. */
  private readonly asking = new Map<string, Asking>()

  /** The answer of the person behind a call to a question, after a while. */
  private readonly said = Effect.fnUntraced(function* (
    this: World<R>,
    { args, caller, id, tool }: Asking,
    message: string
  ) {
    const { random } = this.schedule
    const at = this.schedule.now
    const answer = random.pick(answers)
    this.schedule.note(`${caller.name} is asked in ${id}, and says ${answer}: ${JSON.stringify(message).slice(0, 200)}`)
    yield* Effect.sleep(
      answer === "silence"
        ? silence
        : random.below(
            random.pick([
              [3, 2000],
              [1, 60_000]
            ])
          )
    )
    this.asked.push({ call: id, caller: caller.name, tool, args, message, at, answer, answeredAt: this.schedule.now })
    return answer
  })

  private readonly play = Effect.fnUntraced(function* (this: World<R>) {
    const { begin, callers, fleet, schedule, serving } = this
    yield* this.prepared
    yield* fleet.start({ begin, remotes: this.remotes, serving })
    if (this.script !== undefined) {
      yield* this.script.play
      return
    }
    const chaos = yield* Effect.forkChild(fleet.trouble())
    const acting = Effect.fnUntraced(function* (this: World<R>, caller: Caller) {
      for (let acts = 3 + schedule.random.below(5); acts > 0; acts--) {
        yield* Effect.sleep(
          schedule.random.below(
            schedule.random.pick([
              [1, 20],
              [1, 3000]
            ])
          )
        )
        yield* this.acting(caller)
      }
    })
    yield* Effect.forEach(callers, (caller) => acting.call(this, caller), { concurrency: "unbounded", discard: true })
    // What is still on its way arrives before anybody relies on what is there.
    yield* Effect.sleep("2 minutes")
    fleet.weather.slow = 0
    yield* this.afterwards
    yield* Fiber.interrupt(chaos)
    // Whoever starts now sees to what was left.
    fleet.calm()
    yield* Effect.sleep("2 minutes")
    yield* fleet.restarted
    // Longer than anybody takes what is temporary for somebody else's, whatever the clock was.
    yield* Effect.sleep("3 hours")
    yield* this.looked
  })
}

const formOf = (answer: Asked["answer"]) =>
  answer === "yes"
    ? { action: "accept", content: { agree: true } }
    : answer === "no"
      ? { action: "decline" }
      : { action: "cancel" }

const formsMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } }
}
