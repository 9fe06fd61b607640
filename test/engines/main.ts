/** `npm run engine -- 2.41.1`: a real engine to try things on, until it is interrupted. */
import { once } from "node:events"

import { versions } from "./install.ts"
import { startEngine } from "./start.ts"

const [version = versions[0] ?? ""] = process.argv.slice(2)
const { engine, stop } = await startEngine(version)
console.log(JSON.stringify(engine, null, 2))
const forever = setInterval(() => {}, 1 << 30)
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])
clearInterval(forever)
await stop()
