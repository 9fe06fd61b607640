import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { OperatorToolset } from "../src/engine/operator/toolset.ts"
import { EngineToolset } from "../src/engine/toolset/toolset.ts"
import { desktopManifest } from "./distribution.ts"

const license = fileURLToPath(new URL("../LICENSE", import.meta.url))

/** Puts into a folder what a desktop bundle packs: the manifest, the built command with all that it reads, and the licences. */
export const stageDesktop = (dist: string, stage: string) => {
  const server = path.join(stage, "server")
  mkdirSync(server, { recursive: true })
  for (const name of readdirSync(dist).filter((name) => name !== "lib" && name !== "maps")) {
    cpSync(path.join(dist, name), path.join(server, name), { recursive: true })
  }
  const kind = path.join(server, "package.json")
  if (!existsSync(kind)) writeFileSync(kind, `${JSON.stringify({ type: "module" })}\n`)
  cpSync(license, path.join(stage, "LICENSE"))
  const manifest = desktopManifest([...EngineToolset.tools, ...OperatorToolset.tools])
  writeFileSync(path.join(stage, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
}
