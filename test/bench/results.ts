import { cpus, totalmem } from "node:os"

import { Schema } from "effect"

/** What one run has measured, with the machine that it ran on. */
export const Results = Schema.Struct({
  measured: Schema.String,
  machine: Schema.Struct({
    processor: Schema.String,
    processors: Schema.Int,
    memoryGiB: Schema.Finite,
    platform: Schema.String,
    node: Schema.String
  }),
  /** CPU time of a call in microseconds, of the command and of a bare Node server that does the same. */
  calls: Schema.Array(
    Schema.Struct({ what: Schema.String, ours: Schema.Finite, bare: Schema.Finite, goal: Schema.Finite })
  ),
  ratios: Schema.Array(Schema.Struct({ what: Schema.String, ratio: Schema.Finite, detail: Schema.String })),
  sizes: Schema.Array(Schema.Struct({ what: Schema.String, bytes: Schema.Int, tokens: Schema.Int }))
})
export type Results = typeof Results.Type

/** This machine, as far as it matters for what is measured on it. */
export const machine = (): Results["machine"] => ({
  processor: cpus()[0]?.model ?? "unknown",
  processors: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  platform: `${process.platform} ${process.arch}`,
  node: process.versions.node
})
