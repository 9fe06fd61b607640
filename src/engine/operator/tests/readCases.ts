import { Array as Arrays, Effect, Result } from "effect"

import type { ConfigurationError } from "../../../internal/config/ConfigurationError.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { TestCase } from "./runTests.ts"
import { readTest } from "./TestFile.ts"
import type { TestFiles } from "./TestFolder.ts"

/** Reads the tests of a folder, or some of them; for one that cannot be read, the case says why. */
export const readCases = (
  { folder, list, read }: TestFiles,
  names?: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<TestCase>, ConfigurationError | InvalidArgument> =>
  Effect.gen(function* () {
    const known = yield* list
    const wanted = names?.map((name) => (name.endsWith(".json") ? name : `${name}.json`))
    const missing = wanted?.find((name) => !known.includes(name))
    if (missing !== undefined) {
      return yield* new InvalidArgument({
        argument: "files",
        problem: `there is no ${missing} in ${folder}. It has: ${known.slice(0, 30).join(", ") || "no tests"}`
      })
    }
    const all = yield* Effect.forEach(Arrays.dedupe(wanted ?? known), (file) =>
      Effect.map(Effect.result(read(file)), (json): TestCase => ({
        file,
        test: Result.flatMap(
          Result.mapError(json, ({ message }) => message),
          readTest
        )
      }))
    )
    return all
  })
