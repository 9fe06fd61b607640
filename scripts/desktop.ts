// Makes the desktop bundle with the official packer, from what `npm run build` made.
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

import manifest from "../package.json" with { type: "json" }
import { ChangesToolset } from "../src/changes/toolset.ts"
import { selectionOf } from "../src/cli/configuration/profiles.ts"
import { OperatorToolset } from "../src/engine/operator/toolset.ts"
import { withPlans } from "../src/engine/plans/toolset.ts"
import { EngineToolset } from "../src/engine/toolset/toolset.ts"
import { select } from "../src/mcp/selection.ts"
import { desktopManifest } from "./distribution.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Puts into a folder what a desktop bundle packs: the manifest, the built command with all that it reads, and the licences. */
export const stageDesktop = (dist: string, stage: string) => {
  const server = path.join(stage, "server")
  mkdirSync(server, { recursive: true })
  for (const name of readdirSync(dist).filter((name) => name !== "lib" && name !== "maps")) {
    cpSync(path.join(dist, name), path.join(server, name), { recursive: true })
  }
  const kind = path.join(server, "package.json")
  if (!existsSync(kind)) writeFileSync(kind, `${JSON.stringify({ type: "module" })}\n`)
  cpSync(path.join(root, "LICENSE"), path.join(stage, "LICENSE"))
  const tools = [...EngineToolset.tools, ...withPlans(OperatorToolset).tools, ...ChangesToolset.tools]
  const described = desktopManifest(select(tools, selectionOf(["daily"])))
  writeFileSync(path.join(stage, "manifest.json"), `${JSON.stringify(described, undefined, 2)}\n`)
}

if (import.meta.main) {
  const folder = path.join(root, "packaging/desktop")
  const bundle = path.resolve(process.argv[2] ?? path.join(folder, `${manifest.name}-${manifest.version}.mcpb`))
  const stage = mkdtempSync(path.join(tmpdir(), "desktop-"))
  stageDesktop(path.join(root, "dist"), stage)
  const packer = path.join(folder, "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
  const steps = [
    ["validate", path.join(stage, "manifest.json")],
    ["pack", stage, bundle]
  ]
  const failed = steps.find((step) => spawnSync(process.execPath, [packer, ...step], { stdio: "inherit" }).status !== 0)
  rmSync(stage, { recursive: true })
  process.exitCode = failed === undefined ? 0 : 1
}
