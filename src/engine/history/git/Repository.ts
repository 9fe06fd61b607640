import { Effect, FileSystem, Option, Result } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { quotedName } from "../../../internal/foreignText.ts"
import type { Sliced } from "../../../internal/Sliced.ts"
import type { Commit } from "../message.ts"
import { importOf, type NewCommit, ourselves } from "./fastImport.ts"
import { type Git, GitError, longDeadline, saidNothing } from "./Git.ts"

/** The tip of the history's branch. */
interface Tip {
  /** Undefined before the first commit. */
  readonly hash: string | undefined
  /** Whether the work tree shows this branch. */
  readonly isCheckedOut: boolean
}

/** The repository of a history. */
export const make = Effect.fnUntraced(function* (git: Git, place: Place) {
  const { isBare, ownDirectory } = place
  const fileSystem = yield* FileSystem.FileSystem
  const inFile = ["config", "--file", place.config, "--no-includes"]
  const settings: Settings = {
    get: (name) =>
      Effect.map(
        Effect.orElseSucceed(git.text([...inFile, "--get", name]), () => ""),
        (text) => text.trim()
      ),
    set: (name, value) => Effect.asVoid(git.text([...inFile, name, value]))
  }
  const wasBegun = (yield* settings.get(setting)) !== ""
  const branch = yield* chosenBranch(settings, place)

  const begunAt = (yield* git.text(["for-each-ref", "--format=%(objectname)", branch])).trim()
  const { ino } = yield* Effect.mapError(
    fileSystem.stat(place.gitDirectory),
    ({ message }) => new GitError({ message })
  )
  const number = String(Option.getOrElse(ino, () => ""))
  const copiedAt = yield* copyOf(settings, number, !wasBegun && begunAt !== "", begunAt)

  const head = Effect.provideService(headOf(place), FileSystem.FileSystem, fileSystem)
  const tip = Effect.gen(function* () {
    const loose = yield* looseHash(fileSystem, `${ownDirectory}/${branch}`)
    const hash = loose ?? (yield* git.text(["for-each-ref", "--format=%(objectname)", branch])).trim()
    if (hash === "") return { hash: undefined, isCheckedOut: !isBare } satisfies Tip
    return { hash, isCheckedOut: !isBare && (yield* head) === branch } satisfies Tip
  })

  /** Whether a commit exists here; fails if git cannot tell. */
  const has = (name: string) =>
    git.text(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]).pipe(
      Effect.as(true),
      Effect.catchIf(saidNothing, () => Effect.succeed(false))
    )

  /** All files of a commit, or those below a folder: path and object name. */
  const files = (commit: string, folder?: string) =>
    Effect.flatMap(
      git.text(["ls-tree", "-r", "-z", commit, ...(folder === undefined ? [] : ["--", `${folder}/`])]),
      (entries) => inSlices(() => filesIn(entries))
    )

  /** The texts of files of a commit; if object names are known, git need not look them up in large folders. */
  const read = Effect.fnUntraced(function* (commit: string, paths: ReadonlyArray<string>, objectNames?: Files) {
    if (paths.length === 0) return new Map<string, string>()
    const requests = paths.map((path) => `${objectNames?.get(path) ?? `${commit}:${path}`}\n`).join("")
    return yield* Effect.fromResult(
      blobsIn(yield* git.bytes(["cat-file", "--batch", "--buffer"], { input: requests }), paths)
    )
  })

  /** Makes commits on top of `from` and returns the last one; fails if another process was faster. */
  const commit = (from: string | undefined, commits: ReadonlyArray<NewCommit>) =>
    git.text(["fast-import", "--quiet", "--done"], { input: importOf(branch, from, commits) }).pipe(
      Effect.map((mark) => mark.trim()),
      Effect.tapError(clearedAway)
    )

  /** Removes the files that git leaves behind when it fails, new ones each time, even on a full disk. */
  const clearedAway = Effect.fnUntraced(function* ({ message }: GitError) {
    const reports = (yield* fileSystem.readDirectory(ownDirectory)).filter((name) =>
      name.startsWith("fast_import_crash_")
    )
    const [, pack] = /'[^']*\/(objects\/pack\/tmp_pack_\w+)'/.exec(message) ?? []
    yield* Effect.forEach([...reports, ...(pack === undefined ? [] : [pack])], (name) =>
      fileSystem.remove(`${ownDirectory}/${name}`)
    )
  }, Effect.ignore)

  /** Updates the work tree from one commit to another; a person's changes in it are left alone, or make it fail. */
  const show = (from: string, to: string) => git.text(["read-tree", "-m", "-u", from, to], { deadline: longDeadline })

  /** The commit that the work tree shows, according to its index; undefined if it is none of the latest ones. */
  const shownCommit = Effect.gen(function* () {
    if ((yield* git.text(["ls-files"])) === "") return emptyTree
    const tree = (yield* git.text(["write-tree"])).trim()
    const latest = (yield* git.text(["log", "--max-count=1000", "--format=%H %T", branch])).split("\n")
    return latest.find((line) => line.endsWith(` ${tree}`))?.split(" ")[0]
  })

  /** Commits whose message contains a text, newest first: up to `from`, older than `after`, newer than `since`. */
  const log = (text: string, { after, committedSince, from = branch, limit, since }: Range) =>
    git
      .text([
        "log",
        "--fixed-strings",
        `--grep=${text}`,
        `--max-count=${limit}`,
        ...(after === undefined ? [] : ["--skip=1"]),
        ...(committedSince === undefined || committedSince <= 0
          ? []
          : [`--since=@${Math.floor(committedSince / 1000)}`]),
        `--format=${fields}%x1e`,
        after ?? from,
        ...(since === undefined ? [] : [`^${since}`]),
        "--"
      ])
      .pipe(Effect.map(commitsIn))

  /**
   * Commits of people, merges among them, with the files that they change on their branch: those up to `from` which are not
   * among those up to `since`. Ours say when they were made.
   */
  const byPeople = ({ from = branch, limit, since }: Pick<Range, "from" | "limit" | "since">) =>
    git
      .text([
        "log",
        "--invert-grep",
        "--grep=^At: [0-9]",
        `--max-count=${limit}`,
        `--format=%x1e${fields}%x1f`,
        "--name-only",
        "--diff-merges=first-parent",
        from,
        ...(since === undefined ? [] : [`^${since}`]),
        "--"
      ])
      .pipe(Effect.map(changesIn))

  /** Commits up to this one that changed these files or something in these folders, newest first. */
  const changes = (version: string, paths: ReadonlyArray<string>, limit?: number) =>
    git
      .text([
        "log",
        ...(limit === undefined ? [] : [`--max-count=${limit}`]),
        `--format=%x1e${fields}%x1f`,
        "--name-only",
        version,
        "--",
        ...paths
      ])
      .pipe(Effect.map(changesIn))

  /** Packs many small commits, if git finds it worthwhile. */
  const tidy = Effect.ignore(git.text(["gc", "--auto", "--quiet"], { deadline: longDeadline }))

  return { branch, byPeople, changes, commit, copiedAt, files, has, log, read, show, shownCommit, tidy, tip }
})
export type Repository = Effect.Success<ReturnType<typeof make>>

/** Object names by path. */
export type Files = ReadonlyMap<string, string>

/** Paths are short work beside nodes. */
export const weightOfPath = 1 / 20

function* filesIn(entries: string): Sliced<Files> {
  const files = new Map<string, string>()
  for (const entry of entries.split("\0")) {
    yield weightOfPath
    // A link is no file of ours.
    const [, name, path] = /^100\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? []
    if (name !== undefined && path !== undefined) files.set(path, name)
  }
  return files
}

interface Range {
  readonly limit: number
  readonly after?: string | undefined
  readonly since?: string | undefined
  readonly from?: string | undefined
  /** Milliseconds since 1970. */
  readonly committedSince?: number | undefined
}

interface Place {
  /** The git directory of the commands. */
  readonly ownDirectory: string
  /** The git directory of the repository itself, and its configuration. */
  readonly gitDirectory: string
  readonly config: string
  readonly isBare: boolean
}

const fields = "%H%x1f%cI%x1f%an%x1f%ce%x1f%B"

/** Git's name of the empty tree. */
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

const setting = `${ourselves}.branch`

/** The branch that was checked out when the history began, or `main`: people may check out others meanwhile. */
const chosenBranch = Effect.fnUntraced(function* (settings: Settings, place: Place) {
  const chosen = yield* settings.get(setting)
  if (chosen !== "") return yield* asBranch(chosen)
  const head = (yield* headOf(place)) ?? "refs/heads/main"
  yield* settings.set(setting, yield* asBranch(head))
  return head
})

/** The settings of ours in a repository's configuration; "" for one that is missing. */
interface Settings {
  readonly get: (name: string) => Effect.Effect<string>
  readonly set: (name: string, value: string) => Effect.Effect<void, GitError>
}

const [placeSetting, copySetting] = [`${ourselves}.place`, `${ourselves}.copied`]

/**
 * The commit at which this repository was copied or cloned, if it was: the server that keeps the other one may have made any of
 * the changes that come after it. A copy has another number on its disk; a clone has none of our settings.
 */
const copyOf = Effect.fnUntraced(function* (settings: Settings, number: string, isClone: boolean, tip: string) {
  const place = yield* settings.get(placeSetting)
  if (place === number) return yield* settings.get(copySetting)
  const isCopy = isClone || place !== ""
  if (isCopy && tip !== "") yield* settings.set(copySetting, tip)
  yield* settings.set(placeSetting, number)
  return isCopy ? tip : ""
})

/** The commit in the file of a branch, which is read sooner than a process starts; undefined where git keeps it elsewhere. */
const looseHash = (fileSystem: FileSystem.FileSystem, file: string) =>
  Effect.gen(function* () {
    const { size, type } = yield* fileSystem.stat(file)
    if (type !== "File" || size > 65) return undefined
    return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(yield* fileSystem.readFileString(file))?.[1]
  }).pipe(Effect.orElseSucceed(() => undefined))

/** The branch that is checked out. */
const headOf = ({ gitDirectory }: Place) =>
  FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(`${gitDirectory}/HEAD`)).pipe(
    Effect.mapError(({ message }) => new GitError({ message })),
    Effect.map((head) => /^ref: *(\S+)\n?$/.exec(head)?.[1])
  )

/** Nothing else is a branch, whatever a configuration says. */
const asBranch = (name: string) =>
  /^refs\/heads\/[^\p{C}\s~^:?*[\\]+$/u.test(name) && !name.includes("..")
    ? Effect.succeed(name)
    : Effect.fail(new GitError({ message: `${quotedName(name)} is no branch for a history: git config ${setting}` }))

const commitsIn = (log: string): ReadonlyArray<Commit> =>
  log.split("\x1e").flatMap((text) => {
    const { hash, ...commit } = commitIn(text.replace(/^\n/, ""))
    return hash === "" ? [] : [{ hash, ...commit }]
  })

const commitIn = (text: string): Commit => {
  const [hash = "", when = "", author = "", committer = "", message = ""] = text.split("\x1f")
  return { hash, when, author, committer, message }
}

const changesIn = (log: string): ReadonlyArray<Commit & { readonly paths: ReadonlyArray<string> }> =>
  log
    .split("\x1e")
    .slice(1)
    .map((text) => ({
      ...commitIn(text),
      paths: (text.split("\x1f")[5] ?? "").split("\n").filter((path) => path !== "")
    }))

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const newline = 10

/** The texts that `git cat-file --batch` writes for these paths, in their order, without missing ones. */
const blobsIn = (
  bytes: Uint8Array,
  paths: ReadonlyArray<string>
): Result.Result<ReadonlyMap<string, string>, GitError> => {
  const texts = new Map<string, string>()
  let at = 0
  for (const path of paths) {
    const end = bytes.indexOf(newline, at)
    const head = decoder.decode(bytes.subarray(at, end === -1 ? bytes.length : end))
    at = end + 1
    if (head.endsWith(" missing")) continue
    const size = Number(/^[0-9a-f]+ blob (\d+)$/.exec(head)?.[1])
    if (end === -1 || !Number.isInteger(size)) {
      return Result.fail(new GitError({ message: `${path} cannot be read from the repository: ${head.slice(0, 100)}` }))
    }
    texts.set(path, decoder.decode(bytes.subarray(at, at + size)))
    at += size + 1
  }
  return Result.succeed(texts)
}
