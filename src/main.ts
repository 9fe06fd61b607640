#!/usr/bin/env node
// The one file that works without effect: it loads it. What a start would compile anew each time is kept as V8 has compiled it,
// which halves a start. Node's own compile cache knows nothing of Node 20 and keeps less.
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync
} from "node:fs"
import path from "node:path"
import { Script } from "node:vm"

import type * as Command from "./cli/command.ts"
import type { Keeper } from "./cli/command.ts"
import { cacheFolder } from "./cli/files/ownFolders.ts"

/** The first file of the command, known once it is bundled. */
declare const startFile: string

const oldest = "20.20"
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const [wantedMajor = 0, wantedMinor = 0] = oldest.split(".").map(Number)
if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
  process.stderr.write(
    `workflow-tool-server needs Node ${oldest} or later, this is ${process.versions.node} (${process.execPath}). ` +
      "Install a newer one from https://nodejs.org, or name one in your client's configuration as the command.\n"
  )
  process.exit(1)
}

/** What nobody else could have written. */
const isOwn = ({ mode, uid }: Stats) =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)

/** Where code is kept; nowhere for a user without a home, or where others may put and move files. */
const codeFolder = (): string | undefined => {
  if (process.env["NODE_DISABLE_COMPILE_CACHE"] !== undefined) return undefined
  try {
    const folder = path.join(cacheFolder(), "code")
    const found = statSync(folder, { throwIfNoEntry: false })
    return found === undefined || isOwn(found) ? folder : undefined
  } catch {
    return undefined
  }
}

const keptIn = codeFolder()
const fileOf = (folder: string, source: string, keeper: Keeper) =>
  path.join(
    folder,
    `${path.parse(source).name}-${process.version}-${process.arch}${keeper === "server" ? "" : "-task"}.bin`
  )

/** What was compiled in this process and no server has kept, by its file. */
const compiled = new Map<string, { readonly script: Script; readonly isKept: boolean }>()
const loaded = new Map<string, { readonly exports: unknown }>()

/** The files of the command are functions as they are written; what it has in common with the library are modules of CommonJS. */
const inModule = (file: string, code: string) =>
  file.endsWith(".js") ? code : `((exports, require, module, __filename) => {${code}\n})`

/** Loads a file of the command, and what it requires of its neighbours, in the way of CommonJS. */
const load = (file: string): unknown => {
  const known = loaded.get(file)
  if (known !== undefined) return known.exports
  const code = inModule(file, readFileSync(file, "utf8"))
  const ofServer = keptIn === undefined ? undefined : readCode(fileOf(keptIn, file, "server"))
  const cachedData = keptIn === undefined ? undefined : (ofServer ?? readCode(fileOf(keptIn, file, "task")))
  const script = new Script(code, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  const isKept = cachedData !== undefined && script.cachedDataRejected !== true
  if (ofServer === undefined || !isKept) compiled.set(file, { script, isKept })
  const module = { exports: {} }
  loaded.set(file, module)
  const folder = path.dirname(file)
  const requireFrom = (id: string): unknown => (id.startsWith(".") ? load(path.join(folder, id)) : require(id))
  script.runInThisContext()(module.exports, requireFrom, module, file)
  return module.exports
}

/**
 * The compiled code as it was written, if it is there and whole: V8 takes what is broken at its word, and ends the process.
 * It is written twice over; to load what makes checksums takes longer than to compare. What somebody else could have written
 * is not run, and what is no file is not waited for.
 */
const readCode = (file: string): Buffer | undefined => {
  try {
    const opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const found = fstatSync(opened)
      if (!found.isFile() || !isOwn(found)) return undefined
      const code = Buffer.allocUnsafeSlow(Math.floor(found.size / 2))
      const again = Buffer.allocUnsafe(Math.min(code.length, piece))
      if (readSync(opened, code) !== code.length) return undefined
      for (let at = 0; at < code.length;) {
        const length = readSync(opened, again)
        if (length === 0 || again.compare(code, at, at + length, 0, length) !== 0) return undefined
        at += length
      }
      return code
    } finally {
      closeSync(opened)
    }
  } catch {
    return undefined
  }
}

/** Bytes that are compared at once: what is read again is not kept. */
const piece = 64 * 1024

const monthAgo = 30 * 24 * 60 * 60 * 1000

/**
 * Keeps what this process had to compile: for all of them what a server has used, and until there is one what a task has.
 * Where that cannot be, such as in a home that is read-only, the next start compiles it again.
 */
const keepCode = (keeper: Keeper) => {
  const unkept = [...compiled].filter(([, { isKept }]) => keeper === "server" || !isKept)
  if (keptIn === undefined || unkept.length === 0) return
  try {
    mkdirSync(keptIn, { recursive: true, mode: 0o700 })
    for (const [source, { script }] of unkept) keep(fileOf(keptIn, source, keeper), script.createCachedData())
    for (const name of readdirSync(keptIn)) {
      const file = path.join(keptIn, name)
      if (statSync(file).mtimeMs < Date.now() - monthAgo) rmSync(file)
    }
  } catch {
    // As above: nothing is lost but time.
  }
  compiled.clear()
}

/** Writes a file that is there as a whole or not at all, and never what somebody has put in its way. */
const keep = (file: string, code: Buffer) => {
  const unfinished = `${file}.${process.pid}`
  try {
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, Buffer.concat([code, code]), { mode: 0o600, flag: "wx", flush: true })
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

const isCommand = (module: unknown): module is typeof Command =>
  typeof module === "object" && module !== null && "main" in module

const command = load(path.join(__dirname, startFile))
if (isCommand(command)) command.main(keepCode)
