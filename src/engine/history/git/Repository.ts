import { Effect, FileSystem } from "effect"

import type { Commit } from "../message.ts"
import { blobsIn } from "./blobs.ts"
import { importOf, type NewCommit, ourselves } from "./fastImport.ts"
import { type Git, type GitError, saidNothing } from "./Git.ts"

/** The tip of the history's branch. */
export interface Tip {
  /** Undefined before the first commit. */
  readonly hash: string | undefined
  /** Whether the work tree shows this branch. */
  readonly isCheckedOut: boolean
}

/** The repository of a history. */
export const make = Effect.fnUntraced(function* (git: Git, { gitDirectory, isBare }: Place) {
  const fileSystem = yield* FileSystem.FileSystem
  const branch = yield* chosenBranch(git)

  const tip = git.text(["for-each-ref", "--format=%(objectname) %(HEAD)", branch]).pipe(
    Effect.map((line): Tip => {
      const [hash = "", head] = line.trim().split(" ")
      return { hash: hash === "" ? undefined : hash, isCheckedOut: !isBare && (head === "*" || hash === "") }
    })
  )

  /** Whether a commit exists here; fails if git cannot tell. */
  const has = (name: string) =>
    git.text(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]).pipe(
      Effect.as(true),
      Effect.catchIf(saidNothing, () => Effect.succeed(false))
    )

  /** All files of a commit, or those below a folder: path and object name. */
  const files = (commit: string, folder?: string) =>
    Effect.map(
      git.text(["ls-tree", "-r", "-z", commit, ...(folder === undefined ? [] : ["--", `${folder}/`])]),
      (entries): Files =>
        new Map(
          entries.split("\0").flatMap((entry) => {
            const [, name, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? []
            return name === undefined || path === undefined ? [] : [[path, name] as const]
          })
        )
    )

  /** The texts of files of a commit; if object names are known, git need not look them up in large folders. */
  const read = Effect.fnUntraced(function* (commit: string, paths: ReadonlyArray<string>, known?: Files) {
    if (paths.length === 0) return new Map<string, string>()
    const asked = paths.map((path) => `${known?.get(path) ?? `${commit}:${path}`}\n`).join("")
    return yield* Effect.fromResult(blobsIn(yield* git.bytes(["cat-file", "--batch", "--buffer"], asked), paths))
  })

  /** Makes commits on top of `from` and returns the last one; fails if another process was faster. */
  const commit = (from: string | undefined, commits: ReadonlyArray<NewCommit>) =>
    git.text(["fast-import", "--quiet", "--done"], importOf(branch, from, commits)).pipe(
      Effect.map((mark) => mark.trim()),
      Effect.tapError(clearedAway)
    )

  /** Removes the files that git leaves behind when it fails, new ones each time, even on a full disk. */
  const clearedAway = Effect.fnUntraced(function* ({ message }: GitError) {
    const reports = (yield* fileSystem.readDirectory(gitDirectory)).filter((name) =>
      name.startsWith("fast_import_crash_")
    )
    const [, pack] = /'[^']*\/(objects\/pack\/tmp_pack_\w+)'/.exec(message) ?? []
    yield* Effect.forEach([...reports, ...(pack === undefined ? [] : [pack])], (name) =>
      fileSystem.remove(`${gitDirectory}/${name}`)
    )
  }, Effect.ignore)

  /** Updates the work tree from one commit to another; a person's changes in it are left alone, or make it fail. */
  const show = (from: string, to: string) => git.text(["read-tree", "-m", "-u", from, to])

  /** The commit that the work tree shows, according to its index; undefined if it is none of the latest ones. */
  const shown = Effect.gen(function* () {
    if ((yield* git.text(["ls-files"])) === "") return emptyTree
    const tree = (yield* git.text(["write-tree"])).trim()
    const known = (yield* git.text(["log", "--max-count=1000", "--format=%H %T", branch])).split("\n")
    return known.find((line) => line.endsWith(` ${tree}`))?.split(" ")[0]
  })

  /** Commits whose message contains a text, newest first, older than `after` and newer than `since`. */
  const log = (text: string, { after, limit, since }: Range) =>
    git
      .text([
        "log",
        "--fixed-strings",
        `--grep=${text}`,
        `--max-count=${limit}`,
        ...(after === undefined ? [] : ["--skip=1"]),
        "--format=%H%x1f%cI%x1f%an%x1f%B%x1e",
        after ?? branch,
        ...(since === undefined ? [] : [`^${since}`]),
        "--"
      ])
      .pipe(Effect.map(commitsIn))

  /** Packs many small commits, if git finds it worthwhile. */
  const tidy = Effect.ignore(git.text(["gc", "--auto", "--quiet"]))

  return { branch, commit, files, has, log, read, show, shown, tidy, tip }
})
export type Repository = Effect.Success<ReturnType<typeof make>>

/** Object names by path. */
export type Files = ReadonlyMap<string, string>

interface Range {
  readonly limit: number
  readonly after?: string | undefined
  readonly since?: string | undefined
}

export interface Place {
  readonly gitDirectory: string
  readonly isBare: boolean
}

/** Git's name of the empty tree. */
export const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

const setting = `${ourselves}.branch`

/** The branch that was checked out when the history began, or `main`: people may check out others meanwhile. */
const chosenBranch = Effect.fnUntraced(function* (git: Git) {
  const chosen = yield* Effect.orElseSucceed(git.text(["config", "--local", "--get", setting]), () => "")
  if (chosen.trim() !== "") return chosen.trim()
  const head = (yield* Effect.orElseSucceed(git.text(["symbolic-ref", "HEAD"]), () => "refs/heads/main")).trim()
  yield* git.text(["config", "--local", setting, head])
  return head
})

const commitsIn = (log: string): ReadonlyArray<Commit> =>
  log.split("\x1e").flatMap((text) => {
    const [hash = "", when = "", author = "", message = ""] = text.replace(/^\n/, "").split("\x1f")
    return hash === "" ? [] : [{ hash, when, author, message }]
  })
