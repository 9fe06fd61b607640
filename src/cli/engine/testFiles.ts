import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import path from "node:path"

import { Effect, Result } from "effect"

import type { TestFiles } from "../../engine/operator/tests/TestFolder.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import { InvalidArgument } from "../../mcp/ToolError.ts"
import { parseJson } from "../configuration/json.ts"
import type { Launch } from "../configuration/Launch.ts"
import { describe } from "../files/fileProblems.ts"

/** The folder of tests in the configuration or on the command line. */
export const testFolder = ({ config = "", tests }: Pick<Launch, "config" | "tests">): string | undefined =>
  tests && path.resolve(tests.besideConfiguration ? path.dirname(config) : "", tests.directory)

/** Names that cannot lead elsewhere, on any system. */
const isPlain = (name: string): boolean =>
  /^(?!(?:con|prn|aux|nul|com\d|lpt\d)\.)[\p{L}\p{N}_](?:[\p{L}\p{N}_ -]|\.(?!\.)){0,120}\.json$/iu.test(name)

/** Largest file that is read. */
const mostBytes = 4 * 1024 * 1024

/**
 * The tests in a folder. Only plain files in it are read and written: names are not paths, links are not followed, and an
 * existing file is kept unless its replacement is requested.
 */
export const testFiles = (folder: string, { readOnly }: Pick<Launch, "readOnly">): TestFiles => ({
  folder,
  list: Effect.try({
    try: () =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && isPlain(entry.name))
        .map(({ name }) => name)
        .toSorted(),
    catch: (error) => unusable(folder, error)
  }),
  read: (file) =>
    isPlain(file)
      ? Effect.flatMap(textOf(path.join(folder, file)), (text) => Effect.fromResult(jsonOf(text)))
      : Effect.fail(unreadable("its name")),
  write: readOnly
    ? undefined
    : (given, text, { overwrite }) => {
        const file = given.endsWith(".json") ? given : `${given}.json`
        return isPlain(file)
          ? Effect.as((overwrite ? replaced : added)(folder, file, text), file)
          : Effect.fail(unfit(given))
      }
})

const unfit = (file: string) =>
  new InvalidArgument({
    argument: "file",
    problem: `${JSON.stringify(file)} is no name for a test: letters, digits, -, _ and blanks, and .json at the end`
  })

const unusable = (file: string, error: unknown) => {
  const code = transportCode(error)
  if (code === "ENOENT") return new ConfigurationError({ message: `${file}: there is no such folder of tests` })
  return new ConfigurationError({ message: describe(file, { message: code ?? "it cannot be used" }) })
}

/** A link, a pipe or a folder of this name is not a test. */
const textOf = (file: string) =>
  Effect.acquireUseRelease(
    Effect.try({
      try: () => openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
      catch: (error) => unreadable(transportCode(error) ?? "unknown reason")
    }),
    (handle) =>
      Effect.try({
        try: () => {
          const stat = fstatSync(handle)
          if (!stat.isFile()) return unreadable("it is no file")
          if (stat.size > mostBytes) return unreadable(`it is larger than ${mostBytes} bytes`)
          return readFileSync(handle, "utf8")
        },
        catch: (error) => unreadable(transportCode(error) ?? "unknown reason")
      }),
    (handle) => Effect.sync(() => closeSync(handle))
  ).pipe(Effect.flatMap((text) => (typeof text === "string" ? Effect.succeed(text) : Effect.fail(text))))

const unreadable = (reason: string) => new ConfigurationError({ message: `it cannot be read (${reason})` })

const jsonOf = (text: string) => Result.mapError(parseJson(text), (message) => new ConfigurationError({ message }))

/** Only if nothing has this name, wherever it leads. */
const added = (folder: string, file: string, text: string) =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(path.join(folder, file), text, { flag: "wx", mode: 0o600 })
    },
    catch: (error) =>
      transportCode(error) === "EEXIST"
        ? new InvalidArgument({
            argument: "file",
            problem: `${file} is there already: give another file, or overwrite: true`
          })
        : unusable(folder, error)
  })

/**
 * Written beside its place first, so that nobody ever sees half of a test. A link is replaced, not the file that it points to.
 */
const replaced = (folder: string, file: string, text: string) =>
  Effect.suspend(() => {
    const temporary = path.join(folder, `.${file}.${crypto.randomUUID()}.new`)
    return Effect.try({
      try: () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(temporary, text, { flag: "wx", mode: 0o600 })
        renameSync(temporary, path.join(folder, file))
      },
      catch: (error) => unusable(folder, error)
    }).pipe(Effect.onError(() => Effect.ignore(Effect.try(() => rmSync(temporary, { force: true })))))
  })
