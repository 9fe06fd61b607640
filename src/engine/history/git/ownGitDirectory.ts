import { Effect, FileSystem, Option, Path } from "effect"

import { type Git, GitError } from "./Git.ts"

/** The folders of a repository. */
interface RepositoryPlace {
  /** Holds its `HEAD` and index. */
  readonly gitDirectory: string
  /** Holds everything else: another folder where this is one of several work trees. */
  readonly commonDirectory: string
}

/** The entries that all work trees of a repository have in common. */
const inCommon = ["refs", "logs", "objects", "packed-refs", "reftable", "shallow", "worktrees"]

/** Settings that say how a repository lies on its disk. All others are left out: some run programs, and some are the user's alone. */
const obeyed =
  /^(?:extensions\.(?:objectformat|refstorage)|core\.(?:filemode|ignorecase|precomposeunicode|symlinks))=[\w-]*$/

const folderName = "workflow-tool-server"

/**
 * A git directory of ours for somebody's repository: links to its refs and objects, and a configuration of our own. Whatever its
 * configuration, hooks and attributes say has no effect.
 */
export const ownGitDirectory = Effect.fnUntraced(function* (
  git: Git,
  { commonDirectory, gitDirectory }: RepositoryPlace
) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const linkAt = (name: string) => Effect.map(Effect.option(fileSystem.readLink(name)), Option.getOrUndefined)
  const targets = inCommon.map((name) => path.join(commonDirectory, name))
  for (const target of [...targets, path.join(gitDirectory, "index")]) {
    if ((yield* linkAt(target)) !== undefined) {
      return yield* new GitError({ message: isLink(target) })
    }
  }
  const alternates = path.join(commonDirectory, "objects", "info", "alternates")
  if (yield* fileSystem.exists(alternates)) {
    return yield* new GitError({
      message: `${alternates} has the history read objects of another repository: copy them (git repack -a -d), and remove that file`
    })
  }
  yield* fileSystem.makeDirectory(path.join(commonDirectory, "logs"), { recursive: true, mode: 0o700 })

  const directory = path.join(gitDirectory, folderName)
  if ((yield* linkAt(directory)) !== undefined) yield* fileSystem.remove(directory)
  yield* fileSystem.makeDirectory(directory, { recursive: true, mode: 0o700 })
  const names = new Set(["HEAD", "config", ...targets.map((target) => path.basename(target))])
  for (const name of yield* fileSystem.readDirectory(directory)) {
    // Locks are those of other processes.
    if (!names.has(name) && !name.endsWith(".lock")) {
      yield* fileSystem.remove(path.join(directory, name), { recursive: true, force: true })
    }
  }
  for (const target of targets) {
    const link = path.join(directory, path.basename(target))
    const wanted = path.relative(directory, target)
    if ((yield* linkAt(link)) === wanted) continue
    yield* fileSystem.remove(link, { recursive: true, force: true })
    // Another process may do the same.
    yield* Effect.catchIf(
      fileSystem.symlink(wanted, link),
      ({ reason }) => reason._tag === "AlreadyExists",
      () => Effect.void
    )
  }

  const listed = yield* git.text(["config", "--file", path.join(commonDirectory, "config"), "--no-includes", "--list"])
  const config = configOf(listed.split("\n").filter((line) => obeyed.test(line)))
  for (const [name, text] of [
    ["config", config],
    ["HEAD", "ref: refs/heads/workflow-tool-server/none\n"]
  ] as const) {
    const unfinished = path.join(directory, `${name}.${crypto.randomUUID()}.lock`)
    yield* fileSystem.writeFileString(unfinished, text, { flag: "wx", mode: 0o600 })
    yield* fileSystem.rename(unfinished, path.join(directory, name))
  }
  return directory
})

export const isLink = (name: string) =>
  `${name} is a link, and no history is kept through links: put what it leads to in its place`

/** Settings as a file of git's, which must say first of which format the repository is. */
const configOf = (given: ReadonlyArray<string>): string =>
  ["core.repositoryformatversion=1", "core.bare=false", "core.logallrefupdates=true", ...given]
    .map((line) => line.replace(/^(\w+)\.(\w+)=(.*)$/, "[$1]\n\t$2 = $3\n"))
    .join("")
