// `npm run docs` brings everything that is made from the code up to date.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"

import { generated, root } from "./generate.ts"

const files = generated()
const snapshots = path.join(root, "test/snapshots")
mkdirSync(snapshots, { recursive: true })
for (const file of readdirSync(snapshots, { recursive: true, encoding: "utf8" })) {
  const name = path.posix.join("test/snapshots", file.split(path.sep).join("/"))
  if (name.endsWith(".json") && !files.has(name)) rmSync(path.join(root, name))
}
for (const [name, text] of files) {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
  writeFileSync(path.join(root, name), text)
}
