/** Real engines from the package registry, installed once into a cache outside of the clone. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import path from "node:path"

import { Schema } from "effect"

import { descriptionsFile } from "../../src/cli/nodes/folder.ts"
import { compareVersions } from "../../src/engine/workflow/releases.ts"

/** The versions that the suites run against unless `ENGINE_VERSIONS` names others, with commas between. */
export const versions: ReadonlyArray<string> = (process.env["ENGINE_VERSIONS"] ?? "1.82.3,2.41.1")
  .split(",")
  .map((version) => version.trim())

export const cache = path.join(
  process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"),
  "workflow-tool-server/engines"
)

export interface Installed {
  readonly version: string
  readonly dir: string
  /** The Node that this engine runs on. */
  readonly node: string
}

export const majorOf = (version: string): number => Number(version.split(".")[0])

const readVersion = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ version: Schema.String })))

/** Where an engine of this version is installed. */
export const engineFolder = (version: string): string => path.join(cache, version)

/** A user folder of an engine of this version, from which others are started. */
export const templateFolder = (version: string): string => path.join(cache, `home-${version}`)

/** Removes an installed engine with all that was kept of it. */
export const removeEngine = (version: string) => {
  for (const folder of [engineFolder(version), templateFolder(version)])
    rmSync(folder, { recursive: true, force: true })
}

/** Installs an engine unless it is there already. Needs python3, make and a C++ compiler for its database driver. */
export const install = (version: string): Installed => {
  const dir = engineFolder(version)
  const node = nodeFor(version)
  const manifest = path.join(dir, "node_modules/n8n/package.json")
  const driver = path.join(dir, "node_modules/sqlite3/build/Release/node_sqlite3.node")
  const isThere =
    existsSync(manifest) && existsSync(driver) && readVersion(readFileSync(manifest, "utf8")).version === version
  if (isThere) return { version, dir, node }

  console.error(`Installing engine ${version} into ${dir}; this takes some minutes, once`)
  mkdirSync(path.join(dir, "stub/dist/types"), { recursive: true })
  writeFileSync(path.join(dir, "package.json"), JSON.stringify(manifestOf(version), null, 2))
  writeFileSync(path.join(dir, "stub/package.json"), JSON.stringify(stub))
  writeFileSync(path.join(dir, "stub", descriptionsFile), "[]")
  const peers = majorOf(version) >= 2 ? ["--legacy-peer-deps"] : []
  npm(dir, node, "install", "--omit=optional", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", ...peers)
  npm(dir, node, "rebuild", "sqlite3", "--build-from-source")
  if (!existsSync(driver)) throw new Error(`The database driver of engine ${version} was not built`)
  return { version, dir, node }
}

/** Stands in for the AI nodes of 1.x, which are 450 MB and change nothing in the public API. */
const stub = { name: "@n8n/n8n-nodes-langchain", version: "0.0.0", n8n: { nodes: [], credentials: [] } }

/** A package that older engines of generation 2 ask for only as a peer, of which npm would place a release that is too old. */
const telemetryOf = (version: string) =>
  compareVersions(version, "2.30.0") < 0 ? { "@opentelemetry/core": "2.6.0" } : {}

/** Engines up to some 2.x ask for it from outside of the registry, which has an older release of it. */
const xlsx = { xlsx: "0.18.5" }

const manifestOf = (version: string) => {
  const base = { name: `engine-${version}`, private: true }
  if (majorOf(version) < 2) {
    return {
      ...base,
      dependencies: { n8n: version, [stub.name]: "file:./stub" },
      overrides: { ...xlsx, [stub.name]: `$${stub.name}` }
    }
  }
  return {
    ...base,
    dependencies: { n8n: version, ...telemetryOf(version) },
    // Open ranges of these lead to releases whose own dependencies the registry does not have.
    overrides: {
      ...xlsx,
      cssomnom: "npm:cssom@0.5.0",
      "@langchain/langgraph": "1.0.2",
      "@langchain/langgraph-checkpoint": "1.0.0"
    }
  }
}

const npm = (cwd: string, node: string, ...args: ReadonlyArray<string>) => {
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env["PATH"]}`
  const { status } = spawnSync("npm", [...args, "--loglevel=error"], {
    cwd,
    stdio: "inherit",
    env: { ...process.env, PATH }
  })
  if (status !== 0) throw new Error(`npm ${args[0]} failed in ${cwd}`)
}

/** 1.x runs on Node 20 to 22, 2.x on 24 and later: one on the path, else one of the cache's own. */
export const nodeFor = (version: string): string => {
  const [from, to] = majorOf(version) < 2 ? [20, 22] : [24, Infinity]
  const home = path.join(cache, `node${from === 20 ? 22 : from}`)
  const own = path.join(home, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
  const found = [process.execPath, ...onPath(), own].find((node) => {
    const major = nodeMajor(node)
    return major !== undefined && major >= from && major <= to
  })
  if (found !== undefined) return found
  mkdirSync(home, { recursive: true })
  const name = `node-${process.platform}-${process.arch}@${from === 20 ? 22 : from}`
  const { status } = spawnSync("npm", ["install", "--prefix", home, name], { stdio: "inherit" })
  if (status !== 0) throw new Error(`${name} could not be installed`)
  return own
}

const onPath = () => (process.env["PATH"] ?? "").split(path.delimiter).map((dir) => path.join(dir, "node"))

/** The Node that runs the tests, and the oldest one on the path, if that is another. */
export const nodesHere = (): ReadonlyArray<string> => {
  const others = onPath().flatMap((node) => {
    const major = nodeMajor(node)
    return major !== undefined && major >= 20 && major !== nodeMajor(process.execPath) ? [{ node, major }] : []
  })
  return [
    process.execPath,
    ...others
      .toSorted((one, other) => one.major - other.major)
      .map(({ node }) => node)
      .slice(0, 1)
  ]
}

const nodeMajor = (node: string): number | undefined =>
  existsSync(node)
    ? Number(/^v(\d+)/.exec(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout)?.[1])
    : undefined
