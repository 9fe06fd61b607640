import { createHash } from "node:crypto"

import { Effect } from "effect"

import { type NewCommit, ourAddress, ourselves } from "../../src/engine/history/git/fastImport.ts"
import { GitError } from "../../src/engine/history/git/Git.ts"
import type { Repository } from "../../src/engine/history/git/Repository.ts"
import type { Machine } from "./Machine.ts"
import type { Group } from "./schedule.ts"

/** Git's name of the empty tree. */
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

/** A commit with all that is in it then. */
interface Commit extends Pick<NewCommit, "at" | "author" | "message"> {
  readonly hash: string
  readonly files: ReadonlyMap<string, string>
  readonly paths: ReadonlyArray<string>
}

const hashOf = (...texts: ReadonlyArray<string>) => createHash("sha1").update(texts.join("\0")).digest("hex")

/** The repository of a history, in memory: what git keeps, without git. */
export class MemoryRepository {
  readonly commits: Array<Commit> = []
  workTree = emptyTree
  private readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
    const write = new Map([["README.md", "# History of workflows"]])
    this.commits.push(this.made({ author: ourselves, at: 0, message: "Begin the history", remove: [], write }))
  }

  get tip(): Commit | undefined {
    return this.commits.at(-1)
  }

  /** The repository as a server has it open. */
  openedBy(server: Group): Repository {
    const { commits } = this
    const act = <A>(work: () => A) =>
      this.machine.onDisk(server, () =>
        Effect.try({
          try: work,
          catch: (error) => new GitError({ message: error instanceof Error ? error.message : "" })
        })
      )
    const indexOf = (version: string) => {
      const isFormer = version.endsWith("^")
      const index = commits.findIndex(({ hash }) => hash.startsWith(version.replace("^", ""))) - Number(isFormer)
      if (index < 0) throw new Error(`fatal: Not a valid object name ${version}`)
      return index
    }
    const at = (version: string) => commits[indexOf(version)]?.files ?? new Map<string, string>()
    const logged = ({ at, author, hash, message }: Commit) => ({
      hash,
      author,
      message,
      when: new Date(at * 1000).toISOString(),
      committer: ourAddress
    })
    return {
      branch: "refs/heads/main",
      tip: act(() => ({ hash: this.tip?.hash, isCheckedOut: true })),
      has: (name) => act(() => commits.some(({ hash }) => hash.startsWith(name))),
      files: (commit, folder) =>
        act(() => {
          const below = [...at(commit)].filter(([path]) => folder === undefined || path.startsWith(`${folder}/`))
          return new Map(below.map(([path, text]) => [path, hashOf(text)]))
        }),
      read: (commit, paths) =>
        act(() => {
          const files = at(commit)
          return new Map(
            paths.flatMap((path) => {
              const text = files.get(path)
              return text === undefined ? [] : [[path, text] as const]
            })
          )
        }),
      commit: (from, added) =>
        act(() => {
          if (this.machine.isFull) throw new Error("fatal: unable to write file: No space left on device")
          if (from !== this.tip?.hash) throw new Error("warning: Not updating refs/heads/main")
          for (const one of added) {
            this.commits.push(this.made(one))
            this.machine.note(
              `${server.name} commits ${this.tip?.hash.slice(0, 12)}: ${one.message.replaceAll("\n", " | ")}`
            )
          }
          return this.tip?.hash ?? ""
        }),
      log: (text, { after, committedSince = 0, from, limit, since }) =>
        act(() => {
          const newest = after !== undefined ? indexOf(after) : from === undefined ? commits.length : indexOf(from) + 1
          const oldest = since === undefined ? 0 : indexOf(since) + 1
          const found = commits
            .slice(oldest, newest)
            .filter(({ at, message }) => message.includes(text) && at * 1000 >= committedSince)
          return found.toReversed().slice(0, limit).map(logged)
        }),
      byPeople: () => act(() => []),
      copiedAt: "",
      changes: (version, paths, limit) =>
        act(() => {
          const isAsked = (path: string) =>
            paths.some((one) => path === one || (one.endsWith("/") && path.startsWith(one)))
          const found = commits
            .slice(0, indexOf(version) + 1)
            .map((commit) => ({ ...logged(commit), paths: commit.paths.filter(isAsked) }))
          return found
            .filter(({ paths }) => paths.length > 0)
            .toReversed()
            .slice(0, limit)
        }),
      shownCommit: act(() => this.workTree),
      show: (from, to) =>
        act(() => {
          if (this.machine.isFull) throw new Error("error: unable to write file: No space left on device")
          if (from !== this.workTree) throw new Error(`error: Entry 'README.md' not uptodate. Cannot merge.`)
          this.workTree = to
          return ""
        }),
      tidy: Effect.void
    }
  }

  private made({ at, author, message, remove, write }: NewCommit): Commit {
    const files = new Map(this.tip?.files)
    for (const path of remove) {
      for (const name of files.keys()) if (name === path || name.startsWith(`${path}/`)) files.delete(name)
    }
    for (const [path, text] of write) files.set(path, text)
    const hash = hashOf(this.tip?.hash ?? "", String(at), author, message, ...[...write].flat(), ...remove)
    return { hash, at, author, message, files, paths: [...remove, ...write.keys()] }
  }
}
