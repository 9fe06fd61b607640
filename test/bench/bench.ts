import { Console, Effect } from "effect"

import { callCosts } from "./calls.ts"
import { sizes } from "./sizes.ts"
import { speeds } from "./speeds.ts"

const table = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.map(([what = "", ...figures]) => `${what.padEnd(64)}${figures.map((figure) => figure.padStart(24)).join("")}`)

const report = Effect.gen(function* () {
  const measured = yield* sizes
  const ratios = yield* speeds
  const costs = process.platform === "linux" ? yield* Effect.promise(callCosts) : []
  const lines = [
    ...table([["answer", "bytes", "tokens"], ...measured.map((row) => [row.what, `${row.bytes}`, `${row.tokens}`])]),
    "",
    ...table([["pair", "ratio", "medians"], ...ratios.map((row) => [row.what, row.ratio.toFixed(2), row.detail])]),
    "",
    ...table([
      ["CPU time of a call / of a bare Node server that does the same", "ratio (goal)", "microseconds"],
      ...costs.map(({ bare, goal, ours, what }) => [
        what,
        `${(ours / bare).toFixed(2)} (${goal})`,
        `${ours.toFixed(0)} / ${bare.toFixed(0)}`
      ])
    ])
  ]
  yield* Effect.forEach(lines, (line) => Console.log(line))
})

Effect.runPromise(report).catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
