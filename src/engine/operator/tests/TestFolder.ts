import { Context, type Effect } from "effect"

import type { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import type { InvalidArgument } from "../../../mcp/ToolError.ts"

/** A folder of test files. It takes names of files, never paths. */
export interface TestFiles {
  /** Its path as shown to people. */
  readonly folder: string
  /** The names of its test files, in order. */
  readonly list: Effect.Effect<ReadonlyArray<string>, ConfigurationError>
  /** Reads the JSON of one of them; the failure says what is wrong with it. */
  readonly read: (file: string) => Effect.Effect<unknown, ConfigurationError>
  /** Writes a file and answers its name; undefined where nothing may be written. */
  readonly write:
    | ((
        file: string,
        text: string,
        options: { readonly overwrite: boolean }
      ) => Effect.Effect<string, ConfigurationError | InvalidArgument>)
    | undefined
}

/** The configured folder of tests. By default there is none. */
export const TestFolder = Context.Reference<TestFiles | undefined>("workflow-tool-server/engine/TestFolder", {
  defaultValue: () => undefined
})
