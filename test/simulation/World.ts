import { Effect, Fiber, Schema, Scope } from "effect"

import type { Version } from "../../src/engine/embedded/EmbeddedEngine.ts"
import type { Json } from "../support/harness.ts"
import { act, workflowNamed } from "./acts.ts"
import { Instance, type State, world } from "./Instance.ts"
import { type Broken, Machine } from "./Machine.ts"
import { planned } from "./plans.ts"
import { Process } from "./Process.ts"
import { type Group, Schedule } from "./schedule.ts"
import type { Call, Stage } from "./Stage.ts"
import type { Weather } from "./Upstream.ts"

/** A place for a server: when one is killed, the next one starts there. */
interface Seat {
  readonly name: string
  starts: number
  process: Process | undefined
}

const versions: ReadonlyArray<readonly [number, Version]> = [
  [1, "1.82.3"],
  [1, "2.41.1"]
]
const weathers: ReadonlyArray<readonly [number, Weather]> = [
  [2, { faulty: 0, slow: 0 }],
  [3, { faulty: 0.03, slow: 0 }],
  [3, { faulty: 0.1, slow: 0.01 }],
  [1, { faulty: 0.3, slow: 0.03 }]
]

const readId = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/** Tools that take no instance. */
const ofAll = new Set(["apply_plan", "plan_rollback", "plan_promotion"])

/** Servers, engines, people and misfortune, all of which follow from one seed. */
export class World implements Stage {
  readonly seed: number
  readonly schedule: Schedule
  readonly machine: Machine
  readonly weather: Weather
  readonly calls: Array<Call> = []
  readonly instances: Array<Instance> = []
  readonly broken: Broken
  readonly found: Array<string> = []
  final: ReadonlyArray<{ readonly instance: Instance; readonly states: ReadonlyArray<State> }> = []
  private readonly seats: ReadonlyArray<Seat>
  private readonly willKill: boolean
  private counter = 0
  private isCalm = false
  /** Requests until the server is killed that sends or gets one. */
  private fuse = Infinity

  constructor(seed: number, broken: Broken = {}) {
    this.seed = seed
    this.broken = broken
    this.schedule = new Schedule(seed)
    this.machine = new Machine(this.schedule, broken)
    const { random } = this.schedule
    this.weather = { ...random.pick(weathers) }
    this.willKill = random.below(3) > 0
    this.seats = Array.from({ length: 1 + random.below(3) }, (_, index) => ({
      name: `server ${index + 1}`,
      starts: 0,
      process: undefined
    }))
  }

  fresh(): number {
    return ++this.counter
  }

  /** Plays the schedule to its end. */
  run(): Promise<void> {
    return this.schedule.run(world, Effect.provideService(this.play(), Scope.Scope, Scope.makeUnsafe()))
  }

  readonly call = Effect.fnUntraced(function* (this: World, tool: string, args: Json, instance: string) {
    const seat = this.seats[this.schedule.random.below(this.seats.length)]
    let process = seat?.process
    while (process === undefined) {
      yield* Effect.sleep(100)
      process = seat?.process
    }
    const [id, from, server] = [this.fresh(), this.schedule.now, process.group.name]
    const given = { ...args, ...(ofAll.has(tool) ? {} : { instance }) }
    this.schedule.note(`${server} ${id}: ${tool} ${JSON.stringify(given)}`)
    const outcome = yield* process.call(id, tool, given)
    const said = outcome._tag === "Answered" ? outcome.answer : outcome._tag === "Refused" ? outcome.message : ""
    this.schedule.note(`${server} ${id}: ${tool} ${outcome._tag} ${JSON.stringify(said).slice(0, 500)}`)
    this.calls.push({ id, server, tool, args, instance, from, to: this.schedule.now, outcome })
    return outcome
  })

  /** A moment at which a server may be killed. */
  private readonly watch = ({ name }: Group, moment: string) => {
    if (--this.fuse > 0) return
    this.fuse = Infinity
    const seat = this.seats.find(({ process }) => process?.group.name === name)
    if (seat !== undefined) this.kill(seat, moment)
  }

  private kill(seat: Seat, moment: string) {
    if (seat.process === undefined) return
    this.schedule.note(`${seat.process.group.name} is killed ${moment}`)
    seat.process.kill()
    this.machine.outlived(seat.process.group)
    seat.process = undefined
    this.schedule.fork(
      world,
      Effect.andThen(Effect.sleep(100 + this.schedule.random.below(5000)), this.start(seat)),
      () => {}
    )
  }

  private readonly start = Effect.fnUntraced(function* (this: World, seat: Seat) {
    const group = { name: `${seat.name}.${++seat.starts}`, isAlive: true, wall: this.machine.wall }
    const { broken, instances, machine, schedule, watch, weather } = this
    seat.process = yield* Process.start(group, { broken, instances, machine, schedule, watch, weather })
  })

  private readonly play = Effect.fnUntraced(function* (this: World) {
    const { schedule, seats, weather } = this
    const { random } = schedule
    for (const name of ["production", "staging"].slice(0, 1 + random.below(2))) {
      const instance = yield* Instance.make(name, random.pick(versions), schedule)
      this.instances.push(instance)
      for (let count = 3; count > 0; count--) {
        const { text } = yield* instance.send("person", "POST", "/workflows", workflowNamed(`Flow ${this.fresh()}`))
        if (random.below(2) === 0) yield* instance.send("person", "POST", `/workflows/${readId(text).id}/activate`, {})
      }
    }
    schedule.note(
      `${this.instances.map(({ name, version }) => `${name} ${version}`).join(", ")}; ${seats.length} servers`
    )
    schedule.note(`weather ${JSON.stringify(weather)}`)
    yield* Effect.forEach(seats, (seat) => this.start(seat))
    const chaos = yield* Effect.forkChild(this.trouble())
    yield* Effect.forEach(
      Array.from({ length: 2 + random.below(3) }),
      () =>
        Effect.gen({ self: this }, function* () {
          for (let acts = 3 + random.below(5); acts > 0; acts--) {
            yield* Effect.sleep(
              random.below(
                random.pick([
                  [1, 20],
                  [1, 3000]
                ])
              )
            )
            yield* act(this)
          }
        }),
      { concurrency: "unbounded" }
    )
    // What is still on its way arrives before anybody relies on what is there.
    yield* Effect.sleep("2 minutes")
    weather.slow = 0
    for (const instance of this.instances) yield* planned(this, instance)
    yield* Fiber.interrupt(chaos)
    // Whoever starts now sees to what was left.
    this.calm()
    yield* Effect.sleep("2 minutes")
    for (const seat of seats) seat.process?.kill()
    for (const seat of seats) yield* this.start(seat)
    yield* Effect.sleep("10 minutes")
    this.final = yield* Effect.forEach(this.instances, (instance) =>
      Effect.map(instance.all, (states) => ({ instance, states }))
    )
  })

  calm() {
    this.schedule.note("all is well again")
    this.weather.faulty = 0
    this.weather.slow = 0
    this.isCalm = true
    this.machine.isFull = false
    this.fuse = Infinity
  }

  /** Kills, clocks that are set, and full disks. */
  private readonly trouble = Effect.fnUntraced(function* (this: World) {
    const { machine, schedule, seats } = this
    const { random } = schedule
    while (true) {
      yield* Effect.sleep(random.below(4000))
      if (this.isCalm) continue
      const seat = seats[random.below(seats.length)]
      switch (random.below(this.willKill ? 4 : 2)) {
        case 0:
          machine.wall.ahead = (random.below(7_200_000) - 3_600_000) * random.below(2)
          schedule.note(`the clock of the servers is ${machine.wall.ahead} ms ahead`)
          break
        case 1:
          machine.isFull = random.below(4) === 0
          if (machine.isFull) schedule.note("the disk is full")
          break
        case 2:
          if (seat !== undefined) this.kill(seat, "at some moment")
          break
        default:
          this.fuse = 1 + random.below(30)
      }
    }
  })
}
