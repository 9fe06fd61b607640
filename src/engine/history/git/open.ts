import { Effect, FileSystem, Option, Path } from "effect"

import { importOf, ourselves } from "./fastImport.ts"
import * as Git from "./Git.ts"
import { make as makeRepository } from "./Repository.ts"

/** Opens the repository in a folder, or creates one. */
export const open = Effect.fnUntraced(
  function* (directory: string, environment: Readonly<Record<string, string | undefined>>) {
    const fileSystem = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* fileSystem.makeDirectory(directory, { recursive: true })
    const entries = yield* fileSystem.readDirectory(directory)
    const isBare = entries.includes("HEAD") && entries.includes("objects") && entries.includes("refs")
    const gitDirectory = isBare ? directory : path.join(directory, ".git")
    const git = yield* Git.make({ gitDirectory, workTree: directory }, environment)
    const isBegun = isBare || (yield* isRepository(gitDirectory))
    if (!isBegun) {
      if (entries.some((name) => name !== ".git")) {
        return yield* new Git.GitError({
          message: `${directory} holds other files and is no git repository: name an empty folder, or run git init there`
        })
      }
      // Also continues what a killed process has begun.
      yield* git.text(["init", "--quiet", "--initial-branch=main", directory])
    }
    const repository = yield* makeRepository(git, { gitDirectory, isBare })
    const { hash } = yield* repository.tip
    if (hash === undefined)
      yield* git.text(["fast-import", "--quiet", "--done"], importOf(repository.branch, undefined, [yield* first]))
    return { ...repository, gitDirectory }
  },
  Effect.catchTag("PlatformError", ({ message }) => Effect.fail(new Git.GitError({ message })))
)

/** Whether there is a repository, or a file that points to it. */
const isRepository = Effect.fnUntraced(function* (gitDirectory: string) {
  const fileSystem = yield* FileSystem.FileSystem
  if (yield* fileSystem.exists(`${gitDirectory}/HEAD`)) return true
  const found = yield* Effect.option(fileSystem.stat(gitDirectory))
  return Option.isSome(found) && found.value.type === "File"
})

const first = Effect.map(
  Effect.clockWith((clock) => clock.currentTimeMillis),
  (at) => ({
    author: ourselves,
    at: Math.floor(at / 1000),
    message: "Begin the history",
    remove: [],
    write: new Map([
      [".gitattributes", "* -text\n"],
      ["README.md", readme]
    ])
  })
)

const readme = `# History of workflows

A folder for each instance, and in it a file for each workflow, \`NAME.ID.json\`. Its code and its long texts lie in the folder
\`NAME.ID\` beside it. Kept by workflow-tool-server, which records what it changes and what it finds changed. \`git log -p\` shows who
changed what; no keys and no values of credentials are in here, but what people wrote into their workflows is.
`
