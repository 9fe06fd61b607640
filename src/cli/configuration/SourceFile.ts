import { Effect } from "effect"

import { fromFile } from "../../engine/client/config/instances.ts"
import { inEnvironment } from "../../internal/config/variables.ts"
import { clipped, nameText } from "../../internal/foreignText.ts"

/** A file that was found, with its name for messages. */
export interface SourceFile {
  readonly name: string
  readonly text: string
  /**
   * Whether it was requested explicitly, or is the user's own. Of a file that merely lies in the working folder, only some
   * settings count, and even if its content is trusted, it may not decide where a key from the environment is sent.
   */
  readonly isTrusted?: boolean
}

/** The name of a place in a file, for messages. Names of settings and instances in it may be anybody's text. */
export const placeIn =
  ({ name }: SourceFile) =>
  (path: string): string =>
    path === "" ? name : `${name}: ${nameText(clipped(path, 200))}`

/** The instances in a file. */
export const instancesIn = (file: SourceFile, written: Readonly<Record<string, unknown>>, defaultEnv?: string) =>
  Effect.flatMap(inEnvironment, (lookup) =>
    fromFile(new Map(Object.entries(written)), defaultEnv, lookup, placeIn(file), {
      name: file.name,
      isTrusted: file.isTrusted ?? false
    })
  )
