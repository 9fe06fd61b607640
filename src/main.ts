#!/usr/bin/env node
// The one file that works without effect: it loads it. What a start would compile anew each time is kept as V8 has compiled it,
// which halves a start. Node's own compile cache knows nothing of Node 20 and keeps less.
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { Script } from "node:vm"

import type * as Command from "./cli/command.ts"
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

const isKept = process.env["NODE_DISABLE_COMPILE_CACHE"] === undefined
const folder = path.join(cacheFolder(), "code")
const fileOf = (source: string) =>
  path.join(folder, `${path.parse(source).name}-${process.version}-${process.arch}.bin`)

/** What was compiled in this process, by its file. */
const compiled = new Map<string, Script>()
const loaded = new Map<string, { readonly exports: unknown }>()

/** Loads a file of the command, and what it requires of its neighbours, in the way of CommonJS. */
const load = (file: string): unknown => {
  const known = loaded.get(file)
  if (known !== undefined) return known.exports
  const code = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, "latin1")}\n})`
  const cachedData = isKept ? readCode(fileOf(file)) : undefined
  const script = new Script(code, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  if (cachedData === undefined || script.cachedDataRejected === true) compiled.set(file, script)
  const module = { exports: {} }
  loaded.set(file, module)
  const folder = path.dirname(file)
  const others = createRequire(file)
  const require = (id: string): unknown => (id.startsWith(".") ? load(path.join(folder, id)) : others(id))
  script.runInThisContext()(module.exports, require, module, file, folder)
  return module.exports
}

/**
 * The compiled code as it was written, if it is there and whole: V8 takes what is broken at its word, and ends the process.
 * It is written twice over; to load what makes checksums takes longer than to compare. What somebody else could have written
 * is not run.
 */
const readCode = (file: string): Buffer | undefined => {
  try {
    const handle = openSync(file, "r")
    try {
      const { mode, size, uid } = fstatSync(handle)
      if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) return undefined
      const code = Buffer.allocUnsafeSlow(size / 2)
      const again = Buffer.allocUnsafe(Math.min(code.length, piece))
      if (readSync(handle, code) !== code.length) return undefined
      for (let at = 0; at < code.length;) {
        const length = readSync(handle, again)
        if (length === 0 || again.compare(code, at, at + length, 0, length) !== 0) return undefined
        at += length
      }
      return code
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
}

/** Bytes that are compared at once: what is read again is not kept. */
const piece = 64 * 1024

const monthAgo = 30 * 24 * 60 * 60 * 1000

/** Keeps what this process had to compile. Where that cannot be, such as in a home that is read-only, the next start compiles it again. */
const keepCode = () => {
  if (!isKept || compiled.size === 0) return
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const [source, script] of compiled) {
      const code = script.createCachedData()
      const unfinished = `${fileOf(source)}.${process.pid}`
      writeFileSync(unfinished, Buffer.concat([code, code]), { mode: 0o600, flush: true })
      renameSync(unfinished, fileOf(source))
    }
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name)
      if (statSync(file).mtimeMs < Date.now() - monthAgo) rmSync(file)
    }
  } catch {
    // As above: nothing is lost but time.
  }
  compiled.clear()
}

const isCommand = (module: unknown): module is typeof Command =>
  typeof module === "object" && module !== null && "main" in module

const command = load(path.join(__dirname, startFile))
if (isCommand(command)) command.main(keepCode)
