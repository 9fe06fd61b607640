/** `npm run engine -- 2.41.1`: a real engine to try things on, until it is interrupted. */
import { once } from "node:events"

import { versions } from "./install.ts"
import { startEngine } from "./start.ts"

const [version = versions[0] ?? ""] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version)) {
  console.error(`Name a version of the engine, such as ${versions.join(" or ")}: npm run engine -- ${versions.at(-1)}`)
  process.exit(2)
}
const { engine, stop } = await startEngine(version)
console.log(JSON.stringify(engine, null, 2))
const forever = setInterval(() => {}, 1 << 30)
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
clearInterval(forever)
await stop()
