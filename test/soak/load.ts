import type { Answer } from "../support/answer.ts"
import type { Client } from "./clients.ts"
import type { Random } from "./random.ts"

const MiB = 1024 * 1024
const hook = { name: "Hook", type: "engine-nodes-base.webhook", typeVersion: 2, position: [0, 0], parameters: {} }

type Arguments = Readonly<Record<string, unknown>>

/** Calls of everyday work, and some that are wrong. */
const calls = (
  random: Random,
  unique: () => string
): ReadonlyArray<readonly [number, readonly [string, Arguments]]> => {
  const id = `w${random.below(50)}`
  const number = 1 + random.below(50)
  return [
    [20, ["list_workflows", { limit: 1 + random.below(250) }]],
    [30, ["get_workflow", { id }]],
    [10, ["create_workflow", { name: unique(), nodes: [hook] }]],
    [10, ["update_workflow", { id, name: `changed ${number}` }]],
    [5, ["activate_workflow", { id }]],
    [5, ["deactivate_workflow", { id }]],
    [5, ["delete_workflow", { id }]],
    [10, ["list_executions", {}]],
    [10, ["get_execution", { id: number, includeData: true }]],
    [5, ["get_tags", {}]],
    [5, ["create_tag", { name: `tag ${number}` }]],
    [3, ["get_workflow", { id: `mib-3-${number}` }]],
    [3, ["get_workflow", { id: "../tags" }]],
    [3, ["get_workflow", { id, surprise: true }]],
    [3, ["get_workflow", { id, instance: "moon" }]],
    [3, ["no_such_tool", {}]]
  ]
}

/** How many answers of each kind there were. */
export type Tally = Map<string, number>

const count = (tally: Tally, kind: string) => tally.set(kind, (tally.get(kind) ?? 0) + 1)

const kindOf = (answer: Answer | undefined): string => {
  if (answer === undefined) return "cancelled"
  if (answer.error === undefined) return answer.result === undefined ? "neither result nor error" : "a result"
  const { code, data } = answer.error
  const kind = data?.["code"]
  return typeof kind === "string" ? `${code} ${kind}` : `${code}`
}

/** Lets a client work for a time, with so many calls under way at once, and waits for the last answer. */
export const work = async (
  client: Client,
  random: Random,
  milliseconds: number,
  tally: Tally,
  unique: () => string
) => {
  const until = performance.now() + milliseconds
  const one = async () => {
    while (performance.now() < until && client.server.problems.length === 0) {
      const dice = random.below(100)
      if (dice === 0)
        await client.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: {} })
      else if (dice === 1) await client.ask("tools/list", {})
      else if (dice === 2) await client.ask("no/such/method", {})
      else {
        const [name, args] = random.pick(calls(random, unique))
        const instance = random.pick([
          [4, {}],
          [1, { instance: "other" }]
        ] as const)
        const cancelAfter = dice < 8 ? random.below(300) : undefined
        const answer = await client.ask("tools/call", { name, arguments: { ...instance, ...args } }, cancelAfter)
        const kind = kindOf(answer)
        count(tally, kind)
        if (kind.startsWith("-32603") || kind.startsWith("neither")) {
          client.server.problems.push(`${name} was answered with ${JSON.stringify(answer).slice(0, 500)}`)
        }
      }
    }
  }
  await Promise.all(Array.from({ length: 24 }, one))
  await client.babble()
}

/** The largest things there are; each must end inside the cap, and say so. */
export const heavy = async (client: Client, unique: () => string) => {
  const large = { ...hook, notes: "x".repeat(15.5 * MiB) }
  const endings: ReadonlyArray<readonly [string, Arguments, RegExp]> = [
    ["get_workflow", { id: "huge" }, /more than the limit of \d+/],
    ["get_workflow", { id: "endless" }, /more than the limit of \d+/],
    ["get_workflow", { id: "bomb" }, /more than the limit of \d+|another shape|instead of the engine's JSON/],
    ["get_workflow", { id: "mib-16" }, /bytes/],
    ["create_workflow", { name: unique(), nodes: [large] }, /./]
  ]
  for (const [name, args, expected] of endings) {
    const before = performance.now()
    const answer = await client.ask("tools/call", { name, arguments: args })
    const text = answer?.error?.message ?? JSON.stringify(answer?.result ?? "").slice(0, 300)
    const seconds = (performance.now() - before) / 1000
    if (!expected.test(text)) client.server.problems.push(`${name} ${String(args["id"])}: ${text}`)
    if (seconds > 60) client.server.problems.push(`${name} ${String(args["id"])} took ${Math.round(seconds)} s`)
  }
}
