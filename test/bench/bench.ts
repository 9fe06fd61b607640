// `npm run bench` prints what it measures; with `-- --keep` the repository keeps it, too, and `npm run docs` draws it. With
// `-- --only TEXT` it prints what calls cost whose names have that text.
import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"

import { Console, Effect } from "effect"

import { refusedCallers } from "./callers.ts"
import { type CallCost, callCosts, costsOf } from "./calls.ts"
import { memories } from "./memory.ts"
import { installed, peers } from "./peers.ts"
import { machine, type Promised, type Results } from "./results.ts"
import { sizes } from "./sizes.ts"
import { speeds } from "./speeds.ts"
import { starts } from "./starts.ts"
import { upgrades } from "./upgrades.ts"

const table = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.map(([what = "", ...figures]) => `${what.padEnd(64)}${figures.map((figure) => figure.padStart(24)).join("")}`)

const { values: flags } = parseArgs({
  options: { keep: { type: "boolean" }, only: { type: "string" }, peers: { type: "boolean" } }
})

/** Where processes tell of their CPU time and memory. */
const isLinux = process.platform === "linux"

const withPeers = isLinux && flags.peers === true

const measure = Effect.gen(function* () {
  // First, so that no figures are lost where they cannot be installed.
  if (withPeers) yield* Effect.promise(installed)
  return {
    measured: new Date().toISOString().slice(0, 10),
    machine: machine(),
    sizes: yield* sizes,
    ratios: yield* speeds,
    calls: isLinux ? yield* Effect.promise(callCosts) : [],
    measures: [
      ...(yield* Effect.promise(starts)),
      ...(isLinux ? [...(yield* Effect.promise(memories)), ...(yield* Effect.promise(refusedCallers))] : [])
    ],
    upgrades: isLinux ? yield* Effect.promise(upgrades) : [],
    peers: withPeers ? yield* Effect.promise(peers) : []
  } satisfies Results
})

const callRows = (calls: ReadonlyArray<CallCost>) =>
  table([
    ["CPU time of a call / of a bare Node server that does the same", "ratio (goal)", "microseconds"],
    ...calls.map(({ bare, goal, ours, what }) => [
      what,
      `${(ours / bare).toFixed(2)} (${goal})`,
      `${ours.toFixed(0)} / ${bare.toFixed(0)}`
    ])
  ])

const upgradeRows = (rows: ReadonlyArray<Promised>) =>
  table([
    ["upgrades of engines", "figure (goal)"],
    ...rows.map(({ figure, goal, unit, what }) => [what, `${figure} (${goal}) ${unit}`])
  ])

const report = ({ calls, measures, peers, ratios, sizes, upgrades: upgradeFigures = [] }: Results) => [
  ...table([["answer", "bytes", "tokens"], ...sizes.map((row) => [row.what, `${row.bytes}`, `${row.tokens}`])]),
  "",
  ...table([["pair", "ratio", "medians"], ...ratios.map((row) => [row.what, row.ratio.toFixed(2), row.detail])]),
  "",
  ...callRows(calls),
  "",
  ...table([
    ["this server / a bare Node server that does the same", "ratio (goal)", "figures"],
    ...measures.map(({ bare, goal, ours, unit, what }) => [
      what,
      goal === 0 ? "(0)" : `${(ours / bare).toFixed(2)}${goal === undefined ? "" : ` (${goal})`}`,
      `${ours.toFixed(0)} / ${bare.toFixed(0)} ${unit}`
    ])
  ]),
  "",
  ...upgradeRows(upgradeFigures),
  "",
  ...table([
    ["over stdio", ...peers.map(({ name, version }) => `${name.replace(/^@.*\//, "")} ${version}`.slice(0, 23))],
    ...Object.keys(peers.at(-1)?.figures ?? {}).map((what) => [
      what,
      ...peers.map(({ figures }) => `${figures[what] ?? "–"}`)
    ])
  ]).slice(peers.length === 0 ? 1 : 0)
]

const keep = (results: Results) =>
  Effect.promise(() =>
    writeFile(new URL("results.json", import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`)
  )

const print = (lines: ReadonlyArray<string>) => Effect.forEach(lines, (line) => Console.log(line), { discard: true })

const everything = Effect.gen(function* () {
  const results = yield* measure
  yield* print(report(results))
  if (flags.keep) yield* keep(results)
})

const some = (text: string) =>
  text === "upgrade"
    ? Effect.flatMap(Effect.promise(upgrades), (rows) => print(upgradeRows(rows)))
    : Effect.flatMap(
        Effect.promise(() => costsOf((row) => row.includes(text))),
        (costs) => print(callRows(costs))
      )

Effect.runPromise(flags.only === undefined ? everything : some(flags.only)).catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
