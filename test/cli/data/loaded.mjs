// Preloaded into the command: writes down every module that it loads. It reads its own files by itself.
import fs from "node:fs"
import { registerHooks, syncBuiltinESMExports } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"

const file = process.env.LOADED_MODULES
const { appendFileSync, readFileSync } = fs
fs.readFileSync = (name, ...options) => {
  if (path.isAbsolute(String(name))) appendFileSync(file, `${pathToFileURL(String(name))}\n`)
  return readFileSync(name, ...options)
}
syncBuiltinESMExports()
registerHooks({
  load: (url, context, next) => {
    appendFileSync(file, `${url}\n`)
    return next(url, context)
  }
})
