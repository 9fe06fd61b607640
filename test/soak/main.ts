/**
 * `npm run soak -- --minutes 60 --seed 7`: the built command over both transports, under load, with an engine that fails
 * at random. Ends with a summary, and with 1 if anything was not as it should be.
 */
import { parseArgs } from "node:util"

import { Effect, Exit, Scope } from "effect"

import { type Client, overHttp, overStdio } from "./clients.ts"
import { engine } from "./engine.ts"
import { heavy, type Tally, work } from "./load.ts"
import { randomOf } from "./random.ts"
import type { Census } from "./server.ts"

const MiB = 1024 * 1024
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string", default: `${Date.now() % 1_000_000}` } }
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error("--minutes wants a number, --seed a whole one")

/** The most by which each may grow between the first round, which warms up, and the last. */
const mayGrow = { heap: 24 * MiB, external: 128 * MiB, fibers: 40, descriptors: 40 } as const
const highestPeak = 800 * MiB

const random = randomOf(seed)
const scope = Effect.runSync(Scope.make())
const [main, other] = await Promise.all([
  Effect.runPromise(engine(random, scope)),
  Effect.runPromise(engine(random, scope))
])
const hosts = { main: main.host, other: other.host }
const rounds = Math.max(4, Math.round(minutes * 2))
const length = (minutes * 60_000) / rounds
let named = 0
const unique = () => `soak ${seed} ${++named}`
console.log(`soak: seed ${seed}, ${minutes} minutes in ${rounds} rounds`)

const inMiB = (bytes: number) => `${Math.round(bytes / MiB)} MiB`
const show = ({ descriptors, external, fibers, heap, peak }: Census) =>
  `heap ${inMiB(heap)}, beside it ${inMiB(external)}, ${fibers} fibers, ${descriptors} descriptors, at most ${inMiB(peak)}`

const soak = async (client: Client) => {
  const tally: Tally = new Map()
  const { problems } = client.server
  const taken: Array<Census> = []
  const began = performance.now()
  for (let round = 1; round <= rounds && problems.length === 0; round++) {
    await heavy(client, unique)
    await work(client, random, Math.max(1000, began + round * length - performance.now()), tally, unique)
    const census = await client.server.census()
    taken.push(census)
    console.log(`${client.name}, round ${round}: ${show(census)}`)
  }
  const [first, last] = [taken[0], taken.at(-1)]
  if (first === undefined || last === undefined) problems.push("no round was finished")
  else {
    for (const [what, limit] of Object.entries(mayGrow)) {
      const growth = Number(Reflect.get(last, what)) - Number(Reflect.get(first, what))
      if (growth > limit) problems.push(`${what} grew by ${growth} from the first round to the last`)
    }
    if (last.peak > highestPeak) problems.push(`it had ${inMiB(last.peak)} of memory`)
  }
  if (client.unanswered() > 0) problems.push(`${client.unanswered()} requests have no answer`)
  await client.server.stop()
  return { name: client.name, tally, problems }
}

const outcomes = await Promise.all((await Promise.all([overStdio(hosts), overHttp(hosts)])).map(soak))
const problems = outcomes.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))
for (const { seen } of [main, other]) {
  for (const [name, times] of seen.creations) {
    if (times > 1) problems.push(`the creation of "${name}" may have been carried out ${times} times`)
  }
}
await Effect.runPromise(Scope.close(scope, Exit.void))

const sorted = (counts: ReadonlyMap<string, number>) =>
  [...counts].sort(([, a], [, b]) => b - a).map(([kind, times]) => `  ${times} ${kind}`)
for (const { name, tally } of outcomes) console.log([`answers over ${name}:`, ...sorted(tally)].join("\n"))
console.log(["what the default engine did:", ...sorted(main.seen.faults)].join("\n"))
console.log(problems.length === 0 ? "soak: all is well" : `soak: ${problems.length} problems, seed ${seed}`)
for (const problem of problems.slice(0, 20)) console.log(`- ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1
