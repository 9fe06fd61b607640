import { Effect, FileSystem, Option, Path } from "effect"

import { importOf, ourselves } from "./fastImport.ts"
import * as Git from "./Git.ts"
import { isLink, ownGitDirectory } from "./ownGitDirectory.ts"
import { make as makeRepository } from "./Repository.ts"

/** Opens the repository in a folder, or creates one. */
export const open = Effect.fnUntraced(
  function* (directory: string, environment: Git.Environment) {
    const fileSystem = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* fileSystem.makeDirectory(directory, { recursive: true, mode: 0o700 })
    const workTree = yield* fileSystem.realPath(directory)
    const entries = yield* fileSystem.readDirectory(workTree)
    const isBare = entries.includes("HEAD") && entries.includes("objects") && entries.includes("refs")
    const isBegun = isBare || (yield* isRepository(path.join(workTree, ".git")))
    const here = { ...environment, ...Git.withoutSettings }
    if (!isBegun) {
      if (entries.some((name) => name !== ".git")) {
        return yield* new Git.GitError({
          message: `${directory} holds other files and is no git repository: name an empty folder, or run git init there`
        })
      }
      yield* fileSystem.chmod(workTree, 0o700)
      // Also continues what a killed process has begun.
      const git = yield* Git.make(workTree, {
        ...here,
        GIT_DEFAULT_REF_FORMAT: "files",
        GIT_DIR: path.join(workTree, ".git"),
        GIT_WORK_TREE: workTree
      })
      yield* git.text(["init", "--quiet", "--template=", "--initial-branch=main", workTree])
    }
    // Only the user's own settings decide whether a repository of another user may be used (`safe.directory`).
    const probe = yield* Git.make(workTree, { ...environment, GIT_CEILING_DIRECTORIES: path.dirname(workTree) })
    const directories = yield* probe.text(["rev-parse", "--absolute-git-dir", "--git-common-dir"])
    const [gitDirectory = "", commonDirectory = ""] = directories
      .split("\n")
      .map((line) => path.resolve(workTree, line))
    const ownDirectory = yield* ownGitDirectory(probe, { gitDirectory, commonDirectory })
    const git = yield* Git.make(workTree, {
      ...here,
      GIT_DIR: ownDirectory,
      GIT_INDEX_FILE: path.join(gitDirectory, "index"),
      GIT_WORK_TREE: workTree
    })
    const repository = yield* makeRepository(git, {
      ownDirectory,
      gitDirectory,
      config: path.join(commonDirectory, "config"),
      isBare
    })
    const { hash } = yield* repository.tip
    if (hash === undefined) {
      const input = importOf(repository.branch, undefined, [yield* first])
      yield* git.text(["fast-import", "--quiet", "--done"], { input })
    }
    return repository
  },
  Effect.catchTag("PlatformError", ({ message }) => Effect.fail(new Git.GitError({ message })))
)
/** Whether there is a repository, or a file that points to it. */
const isRepository = Effect.fnUntraced(function* (gitDirectory: string) {
  const fileSystem = yield* FileSystem.FileSystem
  if (Option.isSome(yield* Effect.option(fileSystem.readLink(gitDirectory)))) {
    return yield* new Git.GitError({ message: isLink(gitDirectory) })
  }
  if (yield* fileSystem.exists(`${gitDirectory}/HEAD`)) return true
  const info = yield* Effect.option(fileSystem.stat(gitDirectory))
  return Option.isSome(info) && info.value.type === "File"
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
