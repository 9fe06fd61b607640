/** Asks an address for /health every few milliseconds, in a process of its own; told "stop", it sends how long each took. */
import { Agent, get } from "node:http"

const [url = ""] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const times: Array<number> = []
let isOver = false

const ping = () =>
  new Promise<void>((resolve) => {
    const before = performance.now()
    get(`${url}/health`, { agent }, (response) => {
      response.resume().once("end", () => {
        times.push(performance.now() - before)
        resolve()
      })
    }).once("error", () => resolve())
  })

const under = new Set<Promise<void>>()
/** Every one leaves at its time, whatever became of the ones before: what waits together is counted together. */
const timer = setInterval(() => {
  if (isOver || under.size > 60) return
  const one = ping()
  under.add(one)
  void one.finally(() => under.delete(one))
}, 5)

process.on("message", async () => {
  isOver = true
  clearInterval(timer)
  await Promise.all(under)
  process.send?.(times, () => process.exit())
})
process.on("disconnect", () => process.exit())
