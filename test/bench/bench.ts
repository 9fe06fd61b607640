import { Console, Effect } from "effect"

import { sizes } from "./sizes.ts"
import { speeds } from "./speeds.ts"

const table = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.map(([what = "", ...figures]) => `${what.padEnd(64)}${figures.map((figure) => figure.padStart(24)).join("")}`)

const report = Effect.gen(function* () {
  const measured = yield* sizes
  const ratios = yield* speeds
  const lines = [
    ...table([["answer", "bytes", "tokens"], ...measured.map((row) => [row.what, `${row.bytes}`, `${row.tokens}`])]),
    "",
    ...table([["pair", "ratio", "medians"], ...ratios.map((row) => [row.what, row.ratio.toFixed(2), row.detail])])
  ]
  yield* Effect.forEach(lines, (line) => Console.log(line))
})

Effect.runPromise(report).catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
