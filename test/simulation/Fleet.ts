import { Cause, Effect, Exit } from "effect"

import { type Broken, Machine } from "./Machine.ts"
import { Process, type Surroundings } from "./Process.ts"
import { SharedRedis } from "./Redis.ts"
import { type Group, type Schedule, world } from "./schedule.ts"
import type { Remote, Weather } from "./Upstream.ts"

/** The tools that servers serve, and the remotes that they call. */
export interface Hosting<R> extends Pick<Surroundings<R>, "begin" | "serving"> {
  readonly remotes: ReadonlyArray<Remote & { readonly group: Group }>
}

/** When a server was killed or stopped. */
interface End {
  readonly server: string
  readonly at: number
}

/** A place for a server: when one is killed, the next one starts there. */
interface Seat<R> {
  readonly name: string
  readonly machine: Machine
  starts: number
  /** The server that is there or starts. */
  group: Group | undefined
  process: Process<R> | undefined
}

const noFaults = { faulty: 0, lossy: 0, slow: 0, lying: 0 }

const weathers: ReadonlyArray<readonly [number, Weather]> = [
  [2, noFaults],
  [3, { faulty: 0.03, lossy: 0.3, slow: 0, lying: 0 }],
  [3, { faulty: 0.1, lossy: 0.3, slow: 0.01, lying: 0 }],
  [1, { faulty: 0.3, lossy: 0, slow: 0.03, lying: 0 }],
  [1, { faulty: 0.03, lossy: 0, slow: 0, lying: 0.1 }]
]

/** Servers on their machines, and all that befalls them. */
export class Fleet<R> {
  readonly machines: ReadonlyArray<Machine>
  readonly redis: SharedRedis | undefined
  readonly weather: Weather
  /** Whether whatever answers in an engine's words is the engine. */
  readonly isHonest: boolean
  readonly ends: Array<End> = []
  readonly misled = new Set<number>()
  /** The engines whose clock was ever wrong. */
  readonly clockSet = new Set<string>()
  isCalm = false
  private readonly seats: ReadonlyArray<Seat<R>>
  private readonly willKill: boolean
  private readonly schedule: Schedule
  private readonly broken: Broken
  private hosting: Hosting<R> | undefined
  /** Requests until the server is killed that sends or gets one. */
  private fuse = Infinity

  /** One server that nothing befalls, where it is quiet. */
  constructor(schedule: Schedule, broken: Broken, isQuiet: boolean) {
    this.schedule = schedule
    this.broken = broken
    const { random } = schedule
    this.weather = { ...random.pick(weathers) }
    if (isQuiet) Object.assign(this.weather, noFaults)
    this.isCalm = isQuiet
    this.isHonest = this.weather.lying === 0
    this.willKill = random.below(3) > 0
    this.redis = random.below(3) === 0 && !isQuiet ? new SharedRedis(schedule) : undefined
    const machines = this.redis === undefined ? 1 : 2
    this.machines = Array.from({ length: machines }, (_, index) => new Machine(`machine ${index}`, schedule, broken))
    this.seats = this.machines.flatMap((machine) =>
      Array.from({ length: 1 + (isQuiet ? 0 : random.below(this.redis === undefined ? 3 : 2)) }, (_, index) => ({
        name: `server ${machine.name.at(-1)}${index}`,
        machine,
        starts: 0,
        group: undefined,
        process: undefined
      }))
    )
  }

  /** Starts all servers. */
  start(hosting: Hosting<R>): Effect.Effect<void> {
    this.hosting = hosting
    const shared = this.redis === undefined ? "" : " with a Redis"
    this.schedule.note(`${hosting.remotes.map(({ name }) => name).join(", ")}; ${this.seats.length} servers${shared}`)
    this.schedule.note(`weather ${JSON.stringify(this.weather)}`)
    return Effect.forEach(this.seats, (seat) => this.startAt(seat), { discard: true })
  }

  /** Starts all servers anew, which then see to what was left. */
  get restarted(): Effect.Effect<void> {
    return Effect.forEach(this.seats, (seat) => this.restart(seat), { concurrency: "unbounded", discard: true })
  }

  /** The servers that are there. */
  get processes(): ReadonlyArray<Process<R>> {
    return this.seats.flatMap(({ process }) => process ?? [])
  }

  /** One of the servers, once it is there. */
  get anyProcess(): Effect.Effect<Process<R>> {
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

  /** Kills the first server before a turn of its fibers, anywhere between two of them. */
  killBeforeTurn(turns: number, seat = this.seats[0]) {
    if (seat?.group !== undefined) this.schedule.beforeTurn(seat.group, turns, () => this.kill(seat, "at a turn"))
  }

  private kill(seat: Seat<R>, moment: string) {
    const { group, process } = seat
    if (group === undefined) return
    this.schedule.note(`${group.name} is killed ${moment}`)
    group.isAlive = false
    process?.kill()
    seat.machine.outlived()
    this.ended(seat, group)
    const pause = Effect.sleep(100 + this.schedule.random.below(5000))
    this.schedule.fork(world, Effect.andThen(pause, this.startAt(seat)), wellEnded)
  }

  private ended(seat: Seat<R>, { name: server }: Group) {
    Object.assign(seat, { group: undefined, process: undefined })
    this.ends.push({ server, at: this.schedule.now })
  }

  private readonly startAt = Effect.fnUntraced(function* (this: Fleet<R>, seat: Seat<R>) {
    const { machine } = seat
    const { broken, hosting, misled, redis, schedule, watch, weather } = this
    if (hosting === undefined) throw new Error("nothing is there that servers could serve")
    const group = { name: `${seat.name}.${++seat.starts}`, isAlive: true, wall: machine.wall }
    seat.group = group
    seat.process = yield* Process.start(group, {
      ...hosting,
      broken,
      machine,
      misled,
      redis,
      schedule,
      watch,
      weather
    })
  })

  /** Stops a server as it is told to, and starts another one. */
  private readonly restart = Effect.fnUntraced(function* (this: Fleet<R>, seat: Seat<R>) {
    const { process } = seat
    if (process === undefined) return
    this.schedule.note(`${process.group.name} is told to stop`)
    this.ended(seat, process.group)
    yield* process.stopped
    yield* this.startAt(seat)
  })

  /** Ends all of that. */
  calm() {
    this.schedule.note("all is well again")
    Object.assign(this.weather, noFaults)
    if (this.redis !== undefined) Object.assign(this.redis.reach, { lost: 0, downUntil: 0 })
    for (const machine of this.machines) {
      machine.isFull = false
      machine.setClock(0)
    }
    this.isCalm = true
    this.fuse = Infinity
    this.schedule.spare()
  }

  /** Kills, clocks that are set, full disks, and a Redis that does not answer. */
  readonly trouble = Effect.fnUntraced(function* (this: Fleet<R>) {
    const { hosting, machines, redis, schedule, seats } = this
    const { remotes = [] } = hosting ?? {}
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
          machine?.setClock(ahead)
          schedule.note(`the clock of ${machine?.name} is ${ahead} ms ahead`)
          break
        case 1:
          if (remote === undefined) break
          if (ahead !== 0) this.clockSet.add(remote.name)
          remote.group.wall.ahead = ahead
          schedule.note(`the clock of ${remote.name} is ${ahead} ms ahead`)
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
          if (seat?.group === undefined) break
          this.killBeforeTurn(
            1 +
              random.below(
                random.pick([
                  [1, 30],
                  [1, 300]
                ])
              ),
            seat
          )
          break
        default:
          this.fuse = 1 + random.below(30)
      }
    }
  })
}

/** Whatever goes on by itself has no reason to fail. */
export const wellEnded = (exit: Exit.Exit<unknown, unknown>) => {
  if (Exit.isFailure(exit)) throw new Error(Cause.pretty(exit.cause))
}
