import { Cause, Effect, Exit, Fiber, Scope } from "effect"

import type { Json } from "../support/harness.ts"
import { type Asked, type Caller, kinds, outcomeOf, questionIn } from "./Caller.ts"
import { type Broken, Machine } from "./Machine.ts"
import { type Ask, Process, type Surroundings } from "./Process.ts"
import { SharedRedis } from "./Redis.ts"
import { type Group, type Schedule, world } from "./schedule.ts"
import type { Call, End, PlanMade, Stage } from "./Stage.ts"
import type { Remote, Weather } from "./Upstream.ts"

/** A place for a server: when one is killed, the next one starts there. */
interface Seat<R> {
  readonly name: string
  readonly machine: Machine
  starts: number
  /** The server that is there or starts. */
  group: Group | undefined
  process: Process<R> | undefined
}

/** A call about which a person may be asked. */
type Asking = Pick<Call, "args" | "id" | "tool"> & { readonly caller: Caller }

const weathers: ReadonlyArray<readonly [number, Weather]> = [
  [2, { faulty: 0, slow: 0, lying: 0 }],
  [3, { faulty: 0.03, slow: 0, lying: 0 }],
  [3, { faulty: 0.1, slow: 0.01, lying: 0 }],
  [1, { faulty: 0.3, slow: 0.03, lying: 0 }],
  [1, { faulty: 0.03, slow: 0, lying: 0.1 }]
]

const answers: ReadonlyArray<readonly [number, Asked["answer"]]> = [
  [8, "yes"],
  [1, "no"],
  [1, "closed"],
  [1, "silence"]
]

/** Tools that take no instance of their own. */
const ofAll = /^(ads_|apply_plan$|audit_log$|backup$|plan_promotion$|plan_rollback$|show_plan$)/

/** Longer than any server waits for a person. */
const silence = 400_000

/** Servers, callers, people and misfortune, all of which follow from one seed; what they are about is for others to say. */
export abstract class World<R> implements Stage {
  readonly schedule: Schedule
  readonly callers: ReadonlyArray<Caller>
  readonly machines: ReadonlyArray<Machine>
  readonly redis: SharedRedis | undefined
  readonly weather: Weather
  readonly broken: Broken
  readonly calls: Array<Call> = []
  readonly asked: Array<Asked> = []
  readonly plans: Array<PlanMade> = []
  readonly found: Array<string> = []
  readonly ends: Array<End> = []
  readonly misled = new Set<number>()
  readonly isHonest: boolean
  private readonly seats: ReadonlyArray<Seat<R>>
  private readonly willKill: boolean
  /** Requests that carried a person's answer. */
  private readonly answered: Array<Pick<Call, "args" | "id" | "instance" | "tool"> & { readonly params: Json }> = []
  private counter = 0
  isCalm = false
  /** Requests until the server is killed that sends or gets one. */
  private fuse = Infinity

  constructor(schedule: Schedule, broken: Broken) {
    this.broken = broken
    this.schedule = schedule
    const { random } = schedule
    this.weather = { ...random.pick(weathers) }
    this.isHonest = this.weather.lying === 0
    this.willKill = random.below(3) > 0
    this.redis = random.below(3) === 0 ? new SharedRedis(schedule) : undefined
    const machines = this.redis === undefined ? 1 : 2
    this.machines = Array.from({ length: machines }, (_, index) => new Machine(`machine ${index}`, schedule, broken))
    this.seats = this.machines.flatMap((machine) =>
      Array.from({ length: 1 + random.below(this.redis === undefined ? 3 : 2) }, (_, index) => ({
        name: `server ${machine.name.at(-1)}${index}`,
        machine,
        starts: 0,
        group: undefined,
        process: undefined
      }))
    )
    this.callers = Array.from({ length: 2 + random.below(3) }, (_, index) => ({
      name: `caller ${index}`,
      kind: random.pick(kinds)
    }))
  }

  fresh(): number {
    return ++this.counter
  }

  abstract readonly remotes: ReadonlyArray<Remote & { readonly group: Group }>
  /** What is there before any server is. */
  protected abstract readonly prepared: Effect.Effect<void, never, Scope.Scope>
  protected abstract readonly serving: Surroundings<R>["serving"]
  /** What a server does first. */
  protected abstract readonly begin: Surroundings<R>["begin"]
  /** What a caller does, beside all others. */
  protected abstract readonly acting: (caller: Caller) => Effect.Effect<unknown>
  /** What is tried once all of that is over, and looked at in the end. */
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
    return Effect.forEach(this.seats, ({ process }) =>
      this.rounds(this.made({ name: "everywhere", kind: "bare" }, tool, args, String(instance)), process)
    )
  }

  readonly replay = Effect.fnUntraced(function* (this: World<R>, caller: Caller) {
    const one = this.answered[this.schedule.random.below(this.answered.length)]
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
    let process = at ?? (yield* this.anyProcess)
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
      if (this.redis !== undefined || !process.group.isAlive) process = yield* this.anyProcess
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

  /** What the person behind a call says to a question, after a while. */
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

  private get anyProcess(): Effect.Effect<Process<R>> {
    return Effect.gen({ self: this }, function* () {
      const { random } = this.schedule
      const seat = this.seats[random.below(this.seats.length)]
      for (;;) {
        if (seat?.process !== undefined) return seat.process
        yield* Effect.sleep(100)
      }
    })
  }

  /** A moment at which a server may be killed. */
  private readonly watch = ({ name }: Group, moment: string) => {
    if (--this.fuse > 0) return
    this.fuse = Infinity
    const seat = this.seats.find(({ group }) => group?.name === name)
    if (seat !== undefined) this.kill(seat, moment)
  }

  private kill(seat: Seat<R>, moment: string) {
    const { group, process } = seat
    if (group === undefined) return
    this.schedule.note(`${group.name} is killed ${moment}`)
    group.isAlive = false
    process?.kill()
    seat.machine.outlived(group)
    this.ended(seat, group)
    const pause = Effect.sleep(100 + this.schedule.random.below(5000))
    this.schedule.fork(world, Effect.andThen(pause, this.start(seat)), wellEnded)
  }

  private ended(seat: Seat<R>, { name: server }: Group) {
    Object.assign(seat, { group: undefined, process: undefined })
    this.ends.push({ server, machine: seat.machine, at: this.schedule.now })
  }

  private readonly start = Effect.fnUntraced(function* (this: World<R>, seat: Seat<R>) {
    const { machine } = seat
    const { begin, broken, misled, redis, remotes, schedule, serving, watch, weather } = this
    const group = { name: `${seat.name}.${++seat.starts}`, isAlive: true, wall: machine.wall }
    seat.group = group
    seat.process = yield* Process.start(group, {
      begin,
      broken,
      machine,
      misled,
      redis,
      remotes,
      schedule,
      serving,
      watch,
      weather
    })
  })

  /** Stops a server as it is told to, and starts another one. */
  private readonly restart = Effect.fnUntraced(function* (this: World<R>, seat: Seat<R>) {
    const { process } = seat
    if (process === undefined) return
    this.schedule.note(`${process.group.name} is told to stop`)
    this.ended(seat, process.group)
    yield* process.stopped
    yield* this.start(seat)
  })

  private readonly play = Effect.fnUntraced(function* (this: World<R>) {
    const { callers, remotes, schedule, seats, weather } = this
    yield* this.prepared
    const shared = this.redis === undefined ? "" : " with a Redis"
    schedule.note(`${remotes.map(({ name }) => name).join(", ")}; ${seats.length} servers${shared}`)
    schedule.note(`weather ${JSON.stringify(weather)}`)
    yield* Effect.forEach(seats, (seat) => this.start(seat))
    const chaos = yield* Effect.forkChild(this.trouble())
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
    weather.slow = 0
    yield* this.afterwards
    yield* Fiber.interrupt(chaos)
    // Whoever starts now sees to what was left.
    this.calm()
    yield* Effect.sleep("2 minutes")
    yield* Effect.forEach(seats, (seat) => this.restart(seat), { concurrency: "unbounded" })
    // Longer than anybody takes what is temporary for somebody else's, whatever the clock was.
    yield* Effect.sleep("3 hours")
    yield* this.looked
  })

  calm() {
    this.schedule.note("all is well again")
    Object.assign(this.weather, { faulty: 0, slow: 0, lying: 0 })
    if (this.redis !== undefined) Object.assign(this.redis.reach, { lost: 0, downUntil: 0 })
    for (const machine of this.machines) {
      machine.isFull = false
      machine.wall.ahead = 0
    }
    this.isCalm = true
    this.fuse = Infinity
    this.schedule.spare()
  }

  /** Kills, clocks that are set, full disks, and a Redis that does not answer. */
  private readonly trouble = Effect.fnUntraced(function* (this: World<R>) {
    const { machines, redis, remotes, schedule, seats } = this
    const { random } = schedule
    while (true) {
      yield* Effect.sleep(random.below(4000))
      if (this.isCalm) continue
      const seat = seats[random.below(seats.length)]
      const machine = machines[random.below(machines.length)]
      const remote = remotes[random.below(remotes.length)]
      const ahead = (random.below(7_200_000) - 3_600_000) * random.below(2)
      switch (random.below(this.willKill ? 8 : 4)) {
        case 0:
          if (machine !== undefined) machine.wall.ahead = ahead
          schedule.note(`the clock of ${machine?.name} is ${ahead} ms ahead`)
          break
        case 1:
          if (remote !== undefined) remote.group.wall.ahead = ahead
          schedule.note(`the clock of ${remote?.name} is ${ahead} ms ahead`)
          break
        case 2:
          if (machine === undefined) break
          machine.isFull = random.below(4) === 0
          if (machine.isFull) schedule.note(`the disk of ${machine.name} is full`)
          break
        case 3:
          if (redis === undefined) break
          redis.reach.lost = random.pick([
            [2, 0],
            [1, 0.05]
          ])
          if (random.below(4) === 0) redis.reach.downUntil = schedule.now + random.below(8000)
          schedule.note(`the Redis loses ${redis.reach.lost} of all, and is down until ${redis.reach.downUntil}`)
          break
        case 4:
          if (seat !== undefined) this.kill(seat, "at some moment")
          break
        case 5:
          if (seat !== undefined) schedule.fork(world, this.restart(seat), wellEnded)
          break
        case 6:
          // Anywhere between two turns of its fibers, whatever they are at.
          if (seat?.group === undefined) break
          schedule.beforeTurn(
            seat.group,
            1 +
              random.below(
                random.pick([
                  [1, 30],
                  [1, 300]
                ])
              ),
            () => this.kill(seat, "at a turn")
          )
          break
        default:
          this.fuse = 1 + random.below(30)
      }
    }
  })
}

/** Whatever goes on by itself has no reason to fail. */
const wellEnded = (exit: Exit.Exit<unknown, unknown>) => {
  if (Exit.isFailure(exit)) throw new Error(Cause.pretty(exit.cause))
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
