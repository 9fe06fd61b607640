// Preloaded into the command: writes down every module that it loads.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"

const file = process.env.LOADED_MODULES
registerHooks({
  load: (url, context, next) => {
    appendFileSync(file, `${url}\n`)
    return next(url, context)
  }
})
