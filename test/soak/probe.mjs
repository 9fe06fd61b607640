// Loaded into the command under load: at SIGUSR2 it tells on stderr, in one line, what lives inside of it.
import { setFlagsFromString, getHeapSnapshot } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const gc = runInNewContext("gc")

/** How many fibers a snapshot of the heap holds: their class keeps its name in the bundle. */
const countFibers = async () => {
  let text = ""
  for await (const piece of getHeapSnapshot()) text += piece
  const { nodes, snapshot, strings } = JSON.parse(text)
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [type, name] = [fields.indexOf("type"), fields.indexOf("name")]
  const object = types[type].indexOf("object")
  const fiber = strings.indexOf("FiberImpl")
  let count = 0
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (nodes[at + type] === object && nodes[at + name] === fiber) count++
  }
  return count
}

process.on("SIGUSR2", async () => {
  gc()
  const { external, heapUsed } = process.memoryUsage()
  const fibers = await countFibers()
  process.stderr.write(`soak-probe ${JSON.stringify({ heap: heapUsed, external, fibers })}\n`)
})
