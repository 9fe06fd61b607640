import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, Layer } from "effect"

import { EmbeddedEngine } from "../../engine/embedded/EmbeddedEngine.ts"
import { Journal, JournalError } from "../../engine/embedded/store/Store.ts"
import { layerInstance, layerInstances } from "../../engine/toolset/embedded.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import type { Launch } from "../configuration/Launch.ts"
import { type FileError, behindLinks } from "../files/fileProblems.ts"
import * as LineFile from "../files/LineFile.ts"

interface Options extends NonNullable<Launch["embedded"]> {
  readonly readOnly: boolean
}

/** One instance named `embedded` that runs inside this process, in memory or stored in a file; those of a demonstration. */
export const embeddedEngine = ({ file, folder, readOnly }: Options) =>
  folder === undefined
    ? layerInstance({ readOnly }).pipe(Layer.provide(engine(file)))
    : Layer.unwrap(
        Effect.map(Effect.all({ production: engineOf("production"), staging: engineOf("staging") }), (engines) =>
          layerInstances(engines, { readOnly })
        )
      )

/** An engine that keeps versions of workflows, lists what is running, and archives. */
const engineOf = (seed: "production" | "staging") =>
  Effect.map(Layer.build(EmbeddedEngine.layer({ seed, version: "2.41.1" })), Context.get(EmbeddedEngine))

const engine = (file: string | undefined) =>
  file === undefined
    ? EmbeddedEngine.layer({ seed: true })
    : EmbeddedEngine.layerStore({ seed: true }).pipe(
        Layer.provide(fileJournal(file)),
        Layer.catch(({ message }) =>
          Layer.effectContext(Effect.fail(new ConfigurationError({ message: `--embedded=${file}: ${message}` })))
        )
      )

/** The embedded engine's journal in a file, one entry per line; its user has named it, so it may be a link. For one process at a time: fails if another one uses it. */
export const fileJournal = (file: string): Layer.Layer<Journal, JournalError> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const { append, lines, replace } = yield* failed(
        Effect.flatMap(Effect.provide(behindLinks(file), NodeFileSystem.layer), LineFile.make)
      )
      return Journal.of({
        entries: failed(lines),
        append: (entry) => failed(append(entry)),
        replace: (entries) => failed(replace(entries))
      })
    })
  )

const failed = Effect.mapError(({ message }: FileError) => new JournalError({ message }))
