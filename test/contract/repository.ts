import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Layer } from "effect"

import * as GitHistory from "../../src/engine/history/git/GitHistory.ts"

/** Where the history lies, and what plain git says of it. */
export class Repository extends Context.Service<
  Repository,
  { readonly git: (...args: ReadonlyArray<string>) => string }
>()("test/contract/Repository") {}

/** A history in a folder of its own, which is gone afterwards. */
export const inFolder = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(path.join(tmpdir(), "history-"))),
      (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
    ),
    (directory) =>
      Layer.merge(
        Layer.succeed(Repository, {
          git: (...args) => execFileSync("git", ["-C", directory, ...args], { encoding: "utf8" })
        }),
        GitHistory.layer({ directory, environment: { PATH: process.env["PATH"] } }).pipe(
          Layer.provide(NodeServices.layer)
        )
      )
  )
)
