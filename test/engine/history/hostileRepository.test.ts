import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { ask } from "../../support/harness.ts"
import { twoEmbedded } from "../plans/support.ts"
import { folder, git, historyIn, versionsOf } from "./support.ts"

const node = { name: "Start", type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} }

/** The deeds of a stranger to a history, whose commands leave a mark; plain git then falls for it. */
interface Attack {
  readonly plant: (place: Place) => void
  readonly plain: ReadonlyArray<string>
}
interface Place {
  readonly directory: string
  readonly mark: string
  /** An executable file that leaves the mark. */
  readonly command: string
  /** The name of an object that a reading of the first version needs. */
  readonly blob: string
}

const set = ({ directory }: Place, settings: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(settings)) git(directory, "config", name, value)
}
const executable = (file: string, mark: string) => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\ntouch '${mark}'\nexit 1\n`)
  chmodSync(file, 0o755)
}
const attributes = (directory: string, line: string) => {
  mkdirSync(path.join(directory, ".git/info"), { recursive: true })
  writeFileSync(path.join(directory, ".git/info/attributes"), `* ${line}\n`)
}
const filters = (command: string) => ({
  "filter.evil.clean": command,
  "filter.evil.smudge": command,
  "filter.evil.required": "true"
})
/** A repository that lacks an object, which git would fetch from where this configuration says. */
const lacking = (place: Place, url: string, more: Readonly<Record<string, string>>) => {
  rmSync(path.join(place.directory, ".git/objects", place.blob.slice(0, 2), place.blob.slice(2)), { force: true })
  set(place, {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "remote.origin.url": url,
    ...more
  })
}

const fetches = (blob: string) => ["cat-file", "-p", blob]

const attacks: Readonly<Record<string, (place: Place) => Attack>> = {
  "filters that its attributes name": ({ command }) => ({
    plant: (place) => {
      set(place, filters(command))
      attributes(place.directory, "filter=evil")
    },
    plain: ["hash-object", "--path=a.json", "--stdin"]
  }),
  "a filter process": ({ command }) => ({
    plant: (place) => {
      set(place, { "filter.evil.process": command, "filter.evil.required": "true" })
      attributes(place.directory, "filter=evil")
    },
    plain: ["hash-object", "--path=a.json", "--stdin"]
  }),
  "filters in an included file": ({ command, directory }) => ({
    plant: (place) => {
      const file = path.join(directory, ".git/included")
      for (const [name, value] of Object.entries(filters(command))) {
        execFileSync("git", ["config", "--file", file, name, value])
      }
      set(place, { "include.path": "included" })
      attributes(directory, "filter=evil")
    },
    plain: ["hash-object", "--path=a.json", "--stdin"]
  }),
  "filters in the configuration of its work tree": ({ command, directory }) => ({
    plant: (place) => {
      set(place, { "core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true" })
      for (const [name, value] of Object.entries(filters(command))) git(directory, "config", "--worktree", name, value)
      attributes(directory, "filter=evil")
    },
    plain: ["hash-object", "--path=a.json", "--stdin"]
  }),
  "attributes elsewhere": ({ command, directory }) => ({
    plant: (place) => {
      const file = path.join(directory, ".git/attributes")
      writeFileSync(file, "* filter=evil\n")
      set(place, { ...filters(command), "core.attributesFile": file })
    },
    plain: ["hash-object", "--path=a.json", "--stdin"]
  }),
  "a monitor of files": ({ command }) => ({
    plant: (place) => set(place, { "core.fsmonitor": command }),
    plain: ["status"]
  }),
  hooks: ({ directory, mark }) => ({
    plant: () => {
      for (const name of ["reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc", "pre-commit"]) {
        executable(path.join(directory, ".git/hooks", name), mark)
      }
    },
    plain: ["update-ref", "refs/heads/other", "HEAD"]
  }),
  "hooks elsewhere": ({ directory, mark }) => ({
    plant: (place) => {
      const hooks = path.join(directory, ".git/others")
      for (const name of ["reference-transaction", "post-index-change"]) executable(path.join(hooks, name), mark)
      set(place, { "core.hooksPath": hooks })
    },
    plain: ["update-ref", "refs/heads/other", "HEAD"]
  }),
  "a promisor that is asked by a command": ({ blob, command }) => ({
    plant: (place) => lacking(place, place.directory, { "remote.origin.uploadpack": command }),
    plain: fetches(blob)
  }),
  "a promisor behind a command of ssh": ({ blob, command }) => ({
    plant: (place) => lacking(place, "ssh://nowhere.test/x", { "core.sshCommand": command }),
    plain: fetches(blob)
  }),
  "a promisor behind a proxy": ({ blob, command }) => ({
    plant: (place) => lacking(place, "git://127.0.0.1:9/x", { "core.gitProxy": command }),
    plain: fetches(blob)
  }),
  "a promisor of a protocol that runs commands": ({ blob, command }) => ({
    plant: (place) => lacking(place, `ext::${command}`, { "protocol.ext.allow": "always", "protocol.allow": "always" }),
    plain: fetches(blob)
  }),
  "signatures to look at": ({ command, directory }) => ({
    plant: (place) => {
      const tree = git(directory, "rev-parse", "HEAD^{tree}").trim()
      const parent = git(directory, "rev-parse", "HEAD").trim()
      const who = "a <a@example.test> 1 +0000"
      const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
      const text = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n${signature}\n\nstaging/\n`
      const commit = execFileSync("git", ["-C", directory, "hash-object", "-t", "commit", "-w", "--stdin"], {
        input: text,
        encoding: "utf8"
      }).trim()
      git(directory, "update-ref", "refs/heads/main", commit)
      set(place, { "log.showSignature": "true", "gpg.program": command })
    },
    plain: ["log"]
  }),
  "programs for differences, pages and texts": ({ command }) => ({
    plant: (place) => {
      set(place, {
        "core.pager": command,
        "core.editor": command,
        "diff.external": command,
        "diff.evil.textconv": command,
        "diff.evil.command": command
      })
      attributes(place.directory, "diff=evil")
    },
    plain: ["log", "-p", "--ext-diff"]
  }),
  "a git directory in the place of ours": ({ command, directory }) => ({
    plant: (place) => {
      const ownFolder = path.join(directory, ".git/workflow-tool-server")
      rmSync(ownFolder, { recursive: true, force: true })
      const elsewhere = path.join(directory, "..", `${path.basename(directory)}.elsewhere`)
      execFileSync("git", ["init", "--quiet", "--bare", elsewhere])
      for (const [name, value] of Object.entries({ ...filters(command), "core.fsmonitor": command })) {
        git(elsewhere, "config", name, value)
      }
      mkdirSync(path.join(ownFolder, "info"), { recursive: true })
      writeFileSync(path.join(ownFolder, "commondir"), `${elsewhere}\n`)
      writeFileSync(path.join(ownFolder, "info/attributes"), "* filter=evil\n")
      writeFileSync(path.join(ownFolder, "config"), readFileSync(path.join(elsewhere, "config")))
      set(place, { "core.fsmonitor": command })
    },
    plain: ["status"]
  })
}

/** Two instances with plans, and a history in this folder. */
const serverIn = (directory: string) => Layer.provide(twoEmbedded(["2.41.1", "2.41.1"]), historyIn(directory))

/** A history with two versions of a workflow. */
const begun = (directory: string) =>
  Effect.gen(function* () {
    const { id } = yield* ask("create_workflow", { name: "Orders", nodes: [node], connections: {} })
    yield* ask("update_workflow", { id, name: "Renamed" })
    yield* versionsOf(id)
  }).pipe(Effect.provide(serverIn(directory)))

const placeIn = (directory: string): Place => {
  const mark = `${directory}.mark`
  const command = `${directory}.sh`
  executable(command, mark)
  const [, blob = ""] = /blob ([0-9a-f]{40})\t/.exec(git(directory, "ls-tree", "-r", "HEAD~1", "staging/")) ?? []
  return { directory, mark, command, blob }
}

/** All that works with the history; what lacks an object may fail. */
const everything = (directory: string) =>
  Effect.gen(function* () {
    const { id } = yield* ask("create_workflow", { name: "Another", nodes: [node], connections: {} })
    yield* ask("update_workflow", { id, name: "Changed" })
    yield* Effect.exit(versionsOf(id))
    yield* Effect.exit(ask("backup", {}))
    yield* Effect.exit(ask("restore_workflow", { id }))
    for (const version of git(directory, "rev-list", "main").trim().split("\n")) {
      yield* Effect.exit(ask("plan_restore", { instance: "staging", version }))
    }
  }).pipe(Effect.provide(serverIn(directory)))

describe("a history that a stranger has made", () => {
  it.live.each(Object.entries(attacks))("runs nothing by %s", ([, attackOn]) =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* begun(directory)
      const place = placeIn(directory)
      const { plain, plant } = attackOn(place)
      plant(place)
      yield* everything(directory)
      assert.isFalse(existsSync(place.mark))
      yield* Effect.exit(Effect.try(() => git(directory, ...plain)))
      assert.isTrue(existsSync(place.mark), "plain git does not fall for it either")
    })
  )

  it.live("writes no work tree elsewhere", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* begun(directory)
      const elsewhere = `${directory}.elsewhere`
      mkdirSync(elsewhere)
      set(placeIn(directory), { "core.worktree": elsewhere })
      yield* everything(directory)
      assert.isFalse(existsSync(path.join(elsewhere, "staging")))
      git(directory, "config", "--unset", "core.worktree")
      assert.strictEqual(git(directory, "status", "--porcelain"), "")
    })
  )

  it.live.each([".git", ".git/refs", ".git/objects", ".git/index", ".git/packed-refs"])(
    "is refused where %s is a link",
    (name) =>
      Effect.gen(function* () {
        const directory = yield* folder
        yield* begun(directory)
        if (name.endsWith("packed-refs")) git(directory, "pack-refs", "--all")
        const target = `${directory}.target`
        renameSync(path.join(directory, name), target)
        symlinkSync(target, path.join(directory, name))
        const refused = yield* Effect.gen(function* () {
          const { id } = yield* ask("create_workflow", { name: "Another", nodes: [node], connections: {} })
          return yield* Effect.flip(Effect.sandbox(versionsOf(id)))
        }).pipe(Effect.provide(serverIn(directory)))
        assert.include(String(refused), `${path.join(directory, name)} is a link`)
      })
  )

  it.live("is refused where it borrows objects from another repository", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* begun(directory)
      appendFileSync(path.join(directory, ".git/objects/info/alternates"), "/nowhere\n")
      const refused = yield* Effect.flip(Effect.sandbox(versionsOf("1"))).pipe(Effect.provide(serverIn(directory)))
      assert.include(String(refused), "objects/info/alternates")
    })
  )
})

it.live("keeps a history that only its user can read, whatever the umask", () =>
  Effect.gen(function* () {
    const directory = path.join(yield* folder, "history")
    const umask = process.umask(0)
    yield* begun(directory).pipe(Effect.ensuring(Effect.sync(() => process.umask(umask))))
    const open = execFileSync("find", [directory, "-perm", "/077", "!", "-type", "l"], { encoding: "utf8" })
    assert.strictEqual(open, "")
  })
)
