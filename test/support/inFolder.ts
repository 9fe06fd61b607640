import { Effect } from "effect"

import { type TestFiles, TestFolder } from "../../src/engine/operator/tests/TestFolder.ts"
import { ConfigurationError } from "../../src/internal/config/ConfigurationError.ts"
import { InvalidArgument } from "../../src/mcp/ToolError.ts"

/** A folder in memory. */
const folderOf = (files: Map<string, unknown>): TestFiles => ({
  folder: "tests",
  list: Effect.sync(() => [...files.keys()]),
  read: (file) =>
    files.get(file) === "broken"
      ? Effect.fail(new ConfigurationError({ message: "line 1, column 2: expected a value" }))
      : Effect.succeed(files.get(file)),
  write: (file, text, { overwrite }) =>
    files.has(file) && !overwrite
      ? Effect.fail(new InvalidArgument({ argument: "file", problem: `${file} is there already` }))
      : Effect.sync(() => {
          files.set(file, JSON.parse(text))
          return file
        })
})

/** Gives the server a folder of tests; what is `broken` in it cannot be read. */
export const inFolder = (files: Map<string, unknown>) => Effect.provideService(TestFolder, folderOf(files))
