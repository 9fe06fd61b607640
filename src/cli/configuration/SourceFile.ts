import { Effect } from "effect"

import { fromFile } from "../../engine/config/instances.ts"
import { inEnvironment } from "../../internal/config/variables.ts"

/** A file that was found, under the name by which messages call it. */
export interface SourceFile {
  readonly name: string
  readonly text: string
  /**
   * Whether it was asked for by name. One that only lies in the working folder may not decide where a key of the
   * environment goes.
   */
  readonly isTrusted?: boolean
}

/** Words for a place in a file. */
export const placeIn =
  ({ name }: SourceFile) =>
  (path: string): string =>
    path === "" ? name : `${name}: ${path}`

/** The instances that are written in a file. */
export const instancesIn = (file: SourceFile, written: Readonly<Record<string, unknown>>, defaultEnv?: string) =>
  Effect.flatMap(inEnvironment, (lookup) =>
    fromFile(new Map(Object.entries(written)), defaultEnv, lookup, placeIn(file), {
      name: file.name,
      isTrusted: file.isTrusted ?? false
    })
  )
