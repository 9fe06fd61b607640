import { cpus, totalmem } from "node:os"

import { Schema } from "effect"

export const Measure = Schema.Struct({
  what: Schema.String,
  unit: Schema.String,
  ours: Schema.Finite,
  bare: Schema.Finite,
  /** How many times the bare server's figure it should be at most; 0 stands for none at all. */
  goal: Schema.optionalKey(Schema.Finite)
})
export type Measure = typeof Measure.Type

/** A figure that was promised as it is: no bare server does the same. */
export const Promised = Schema.Struct({
  what: Schema.String,
  unit: Schema.String,
  figure: Schema.Finite,
  /** The most that it should be. */
  goal: Schema.Finite
})
export type Promised = typeof Promised.Type

export const PeerResult = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  figures: Schema.Record(Schema.String, Schema.Finite)
})
export type PeerResult = typeof PeerResult.Type

/** The figures of one run, with the machine that it ran on. */
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
  /** Starts by the clock, memory and callers, of the command and of the same bare server. */
  measures: Schema.Array(Measure),
  /** The cost of upgrades of engines; left out by older runs. */
  upgrades: Schema.optionalKey(Schema.Array(Promised)),
  /** The same work by servers of this kind; only where they were asked for. */
  peers: Schema.Array(PeerResult),
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
