// Preloaded into the command: writes down every module that it loads until its first answer. It reads its own files by itself.
import fs from "node:fs"
import { registerHooks, syncBuiltinESMExports } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"

const file = process.env.LOADED_MODULES
const { appendFileSync, readFileSync } = fs
const { stdout } = process
const write = stdout.write.bind(stdout)
const before = new Set(process.moduleLoadList)
let hasAnswered = false
stdout.write = (...output) => {
  // What Node loads by itself, such as for `performance`.
  for (const loaded of process.moduleLoadList) {
    const [, name] = /^NativeModule (.+)$/.exec(loaded) ?? []
    if (name !== undefined && !before.has(loaded)) note(`node:${name}`)
  }
  hasAnswered = true
  return write(...output)
}
const note = (url) => {
  if (!hasAnswered) appendFileSync(file, `${url}\n`)
}
fs.readFileSync = (name, ...options) => {
  if (path.isAbsolute(String(name))) note(pathToFileURL(String(name)))
  return readFileSync(name, ...options)
}
syncBuiltinESMExports()
registerHooks({
  load: (url, context, next) => {
    note(url)
    return next(url, context)
  }
})
