/**
 * `npm run simulate -- --minutes 60 --seed 7`: schedules of whole servers, engines, people and misfortune, one after the other
 * from this seed on. Ends with 1 at the first that breaks a promise, after its seed, its trace and what was broken; with
 * `--only` that one seed is played, and its trace printed.
 */
import { parseArgs } from "node:util"

import { play } from "./play.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: `${Date.now() % 100_000_000}` },
    only: { type: "boolean", default: false },
    on: { type: "boolean", default: false }
  }
})
const minutes = Number(values.minutes)
const first = Number(values.seed)
if (!(minutes > 0) || !Number.isInteger(first)) throw new Error("--minutes wants a number, --seed a whole one")

const begun = performance.now()
console.log(`simulation: from seed ${first} on`)
let broken = 0
let seed = first
for (; seed === first || (!values.only && performance.now() - begun < minutes * 60_000); seed++) {
  const { fingerprint, problems, trace } = await play(seed)
  const isBad = problems.length > 0
  if (values.only || (isBad && !values.on)) console.log(trace.join("\n"))
  if (values.only || isBad) console.log(`seed ${seed}: ${fingerprint}`)
  for (const problem of problems) console.log(`- seed ${seed}: ${problem}`)
  broken += Number(isBad)
  if (isBad && !values.on) break
}
console.log(`simulation: ${seed - first} schedules, ${broken} with problems`)
process.exitCode = broken === 0 ? 0 : 1
