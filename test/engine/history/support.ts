import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Schema } from "effect"

import * as GitHistory from "../../../src/engine/history/git/GitHistory.ts"
import { ask, operatorToolsets, serverOverEmbedded } from "../../support/harness.ts"

/** A folder that is gone afterwards. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "history-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** The history in this folder; `git` is looked for in `search`. */
export const historyIn = (directory: string, search = process.env["PATH"]) =>
  GitHistory.layer({ directory, environment: { PATH: search } }).pipe(Layer.provide(NodeServices.layer))

/** The whole server over an embedded engine, with a history in this folder. */
export const serverWith = (directory: string, version: "1.82.3" | "2.41.1" = "2.41.1") =>
  serverOverEmbedded({ seed: true, version }, operatorToolsets).pipe(Layer.provide(historyIn(directory)))

/** The output of plain git in a folder. */
export const git = (directory: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-C", directory, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null" }
  })

const decodeVersions = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      version: Schema.String,
      when: Schema.String,
      by: Schema.String,
      tool: Schema.optionalKey(Schema.String),
      reason: Schema.optionalKey(Schema.String),
      change: Schema.String
    })
  )
)

/** The former versions of a workflow, as workflow_history tells them. */
export const versionsOf = (id: unknown) =>
  Effect.map(ask("workflow_history", { id }), ({ data }) => decodeVersions(data))
