import { Effect, Layer } from "effect"

import { EmbeddedEngine } from "../engine/embedded/EmbeddedEngine.ts"
import { layerInstance } from "../engine/embedded/layerInstance.ts"
import { ConfigurationError } from "../internal/config/ConfigurationError.ts"
import * as FileJournal from "./FileJournal.ts"

interface Options {
  readonly file: string | undefined
  readonly readOnly: boolean
}

/** One instance named `embedded` that runs inside this process, in memory or kept in a file. */
export const embeddedUpstream = ({ file, readOnly }: Options) =>
  layerInstance({ readOnly }).pipe(Layer.provide(engine(file)))

const engine = (file: string | undefined) =>
  file === undefined
    ? EmbeddedEngine.layer({ seed: true })
    : EmbeddedEngine.layerStore({ seed: true }).pipe(
        Layer.provide(FileJournal.layer(file)),
        Layer.catch(({ message }) =>
          Layer.effectContext(Effect.fail(new ConfigurationError({ message: `--embedded=${file}: ${message}` })))
        )
      )
