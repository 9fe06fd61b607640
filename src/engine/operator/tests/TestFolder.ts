import { Context, type Effect } from "effect"

import type { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import type { InvalidArgument } from "../../../mcp/ToolError.ts"

/** Where tests are kept. Only names of files in it are taken, never paths. */
export interface TestFiles {
  /** As people call it. */
  readonly folder: string
  /** The names of its test files, in order. */
  readonly list: Effect.Effect<ReadonlyArray<string>, ConfigurationError>
  /** The JSON of one of them; the failure says what is wrong with it. */
  readonly read: (file: string) => Effect.Effect<unknown, ConfigurationError>
  /** Keeps a text, and answers under which name; nothing where nothing may be written. */
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
