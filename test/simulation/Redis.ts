import { compileFunction } from "node:vm"

import { Effect } from "effect"
import * as Redis from "effect/persistence/Redis"

import { type Group, type Schedule, world } from "./schedule.ts"

type Value = string | Array<string> | Map<string, number>

/**
 * A Redis in memory, of the commands that servers use. It outlives all of them, its clock is never wrong, and their scripts run
 * in it as they are, once they are JavaScript.
 */
export class SharedRedis {
  /** The share of commands whose answer is lost, and until when nothing arrives at all. */
  readonly reach = { lost: 0, downUntil: 0 }
  /** When locks were taken whose former owners were still at work, as these could not renew them. */
  readonly overtaken: Array<{ readonly at: number; readonly key: string }> = []
  private readonly values = new Map<string, { readonly value: Value; readonly until: number }>()
  private readonly scripts: Array<string> = []
  private readonly schedule: Schedule

  constructor(schedule: Schedule) {
    this.schedule = schedule
  }

  /** The connection of a server. */
  client(server: Group) {
    return Redis.make({
      // What comes over a wire has no type.
      send: (command, ...args) =>
        Effect.map(this.ask(server, command, args), (answer) => JSON.parse(JSON.stringify(answer ?? null))),
      subscribe: () => Effect.die(new Error("nobody subscribes to anything")),
      connect: Effect.die(new Error("nobody reserves a connection"))
    })
  }

  private ask(server: Group, command: string, args: ReadonlyArray<string>): Effect.Effect<unknown, Redis.RedisError> {
    const { reach, schedule } = this
    const { random } = schedule
    return Effect.callback((resume) => {
      const isLost = random.next() < reach.lost
      const arrives = schedule.now >= reach.downUntil && (!isLost || random.below(2) === 0)
      schedule.after(world, random.below(4), () => {
        const answer = arrives ? this.command(command, args, server.name) : undefined
        if (!isLost && arrives) schedule.after(server, random.below(4), () => resume(Effect.succeed(answer)))
      })
    })
  }

  private command(command: string, args: ReadonlyArray<string>, by: string): unknown {
    const [key = "", one = "", two = "", ...more] = args
    switch (command) {
      case "SCRIPT":
        if (!this.scripts.includes(one)) this.scripts.push(one)
        return `script ${this.scripts.indexOf(one)}`
      case "EVALSHA":
        return this.evaluate(this.scripts[Number(key.split(" ")[1])] ?? "", Number(one), [two, ...more], by)
      case "TIME":
        return [String(Math.floor(this.schedule.now / 1000)), String(Math.floor(this.schedule.now % 1000) * 1000)]
      case "GET":
        return this.valueOf(key) ?? null
      case "SET": {
        const options = [two, ...more]
        if (options.includes("NX") && this.valueOf(key) !== undefined) return null
        const millis = Number(options[options.indexOf("PX") + 1] ?? 0)
        const seconds = Number(options[options.indexOf("EX") + 1] ?? 0)
        const life = options.includes("PX") ? millis : options.includes("EX") ? seconds * 1000 : Infinity
        this.values.set(key, { value: one, until: this.schedule.now + life })
        return "OK"
      }
      case "DEL":
        return this.values.delete(key) ? 1 : 0
      case "RPUSH":
        this.values.set(key, { value: [...this.listAt(key), one], until: Infinity })
        return this.listAt(key).length
      case "LRANGE":
        return this.listAt(key).slice(Number(one))
      case "PEXPIRE":
        return 1
      case "ZADD": {
        const [score, member] = one === "XX" ? [more[0], more[1]] : one === "GT" ? [two, more[0]] : [one, two]
        const set = this.setAt(key)
        const before = set.get(member ?? "")
        const after = Number(score)
        if (one === "XX" && (before === undefined || before <= after)) return 0
        if (one === "GT" && (before ?? -Infinity) >= after) return 0
        set.set(member ?? "", after)
        return 1
      }
      case "ZCARD":
        return this.setAt(key).size
      case "ZREMRANGEBYSCORE": {
        const set = this.setAt(key)
        for (const [member, score] of set) if (score <= Number(two)) set.delete(member)
        return 0
      }
      case "ZRANGE":
        return [...this.setAt(key)]
          .toSorted(([, a], [, b]) => a - b)
          .slice(0, 1)
          .flatMap(([member, score]) => [member, String(score)])
      default:
        throw new Error(`no such command: ${command}`)
    }
  }

  private evaluate(lua: string, keys: number, args: ReadonlyArray<string>, by: string): unknown {
    const call = (command: string, ...given: ReadonlyArray<unknown>) => {
      const answer = this.command(command, given.map(String), by)
      return answer === null ? false : answer
    }
    const numbered = args.slice(keys).map((arg) => (/^\d{1,15}$/.test(arg) ? Number(arg) : arg))
    return compileFunction(javascriptOf(lua), ["redis", "KEYS", "ARGV", "tonumber", "math"])(
      { call },
      args.slice(0, keys),
      numbered,
      Number,
      Math
    )
  }

  private valueOf(key: string): Value | undefined {
    const entry = this.values.get(key)
    if (entry === undefined || entry.until > this.schedule.now) return entry?.value
    this.values.delete(key)
    if (key.includes(":lock:")) this.overtaken.push({ at: this.schedule.now, key })
    return undefined
  }

  private listAt(key: string): Array<string> {
    const value = this.valueOf(key)
    return Array.isArray(value) ? value : []
  }

  private setAt(key: string): Map<string, number> {
    const value = this.valueOf(key)
    if (value instanceof Map) return value
    const set = new Map<string, number>()
    this.values.set(key, { value: set, until: Infinity })
    return set
  }
}

/** A script of the few words that ours have, with indices from 0 on, as JavaScript. */
const javascriptOf = (lua: string): string =>
  lua
    .replaceAll(/\bif (.*?) then/gs, "if ($1) {")
    .replaceAll(/\bend\b/g, "}")
    .replaceAll(/\blocal /g, "let ")
    .replaceAll("~=", "!=")
    .replaceAll(/\bnot /g, "!")
    .replaceAll(/\band\b/g, "&&")
    .replaceAll(/\bor\b/g, "||")
    .replaceAll(/\[(\d)\]/g, (_, index) => `[${Number(index) - 1}]`)
