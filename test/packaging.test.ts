import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

import { parse, type Token } from "acorn"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import lock from "../package-lock.json" with { type: "json" }
import manifest from "../package.json" with { type: "json" }
import { serverJson } from "../scripts/distribution.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const embedding = path.join(root, "test/embedding")
const run = promisify(execFile)
let folder = ""

/** Names and versions of what is part of the bundled command. */
const bundled = async () => {
  const sbom: { components: ReadonlyArray<{ group?: string; name: string; version: string; purl: string }> } =
    JSON.parse(await readFile(path.join(folder, "dist/sbom.cdx.json"), "utf8"))
  return sbom.components.map(({ group, name, ...rest }) => ({ ...rest, name: group ? `${group}/${name}` : name }))
}

/** The report of `npm pack` on a tarball. */
interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}
let packed: Packed = { filename: "", size: 0, unpackedSize: 0, files: [] }

/** Builds and packs a copy of the repository, so that nothing of it changes under other tests. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "packaging-"))
  const names = ["src", "scripts", "package.json", "packaging/server.json", "tsconfig.json", ...manifest.files]
  for (const name of names.filter((name) => !/^!?dist/.test(name))) {
    await cp(path.join(root, name), path.join(folder, name), { recursive: true })
  }
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction")
  await run(process.execPath, ["scripts/build.mjs"], { cwd: folder })
  await run(process.execPath, ["scripts/manifest.mjs", "packed"], { cwd: folder })
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts"], { cwd: folder })
  const [first] = JSON.parse(stdout)
  packed = first
  await run(process.execPath, ["scripts/manifest.mjs", "restored"], { cwd: folder })
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe("what is part of the bundled command", () => {
  it("is listed in its bill of materials, as the lock file has it, and is no development dependency", async () => {
    const packages = new Map<string, { readonly version?: string; readonly dev?: boolean }>(
      Object.entries(lock.packages)
    )
    const components = await bundled()
    assert.includeMembers(
      components.map(({ name }) => name),
      ["effect", "@effect/platform-node", "jsonc-parser"]
    )
    for (const unused of ["undici", "ws"]) {
      assert.notInclude(
        components.map(({ name }) => name),
        unused
      )
    }
    for (const { name, purl, version } of components) {
      const locked = packages.get(`node_modules/${name}`)
      assert.strictEqual(locked?.version, version, name)
      assert.isUndefined(locked?.dev, `${name} is a development dependency`)
      assert.strictEqual(purl, `pkg:npm/${name.replace("@", "%40")}@${version}`)
    }
  })

  it("is not installed a second time with the packed command, and effect stays a peer of programs around it", async () => {
    const work = path.join(folder, "work")
    await mkdir(work)
    for (const name of ["dist", "packaging"]) {
      await cp(path.join(folder, name), path.join(work, name), { recursive: true })
    }
    const before = JSON.stringify(manifest)
    await writeFile(path.join(work, "package.json"), before)
    const script = (word: string) =>
      run(process.execPath, [path.join(root, "scripts/manifest.mjs"), word], { cwd: work })
    const read = () => readFile(path.join(work, "package.json"), "utf8")
    for (const again of [1, 2]) {
      await script("packed")
      const packed: Partial<typeof manifest> & { readonly mcpName?: string } = JSON.parse(await read())
      // The registry of MCP servers looks for this field in the package on npm.
      assert.strictEqual(packed.mcpName, serverJson().name)
      assert.notProperty(packed, "dependencies", `attempt ${again}`)
      assert.deepStrictEqual(packed.peerDependencies, {
        effect: "~4.1.0",
        nodemailer: ">=7.0.0 <11.0.0",
        redis: ">=5.0.0 <7.0.0"
      })
      assert.deepStrictEqual(packed.bin, manifest.bin)
    }
    await script("restored")
    assert.strictEqual(await read(), before)
  })
})

/** Makes a workflow with an expression that no parser takes. */
const unreadable = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "create_workflow",
    arguments: {
      name: "Unreadable",
      nodes: [
        {
          name: "Set",
          type: "n8n-nodes-base.set",
          typeVersion: 3.4,
          position: [0, 0],
          parameters: { value: "={{ 1 + }}" }
        }
      ],
      connections: {}
    }
  }
}

/** The names that a module imports from, as its tokens have them. */
const importsIn = (text: string) => {
  const tokens = new Array<Token>()
  parse(text, { ecmaVersion: "latest", sourceType: "module", onToken: tokens })
  return tokens.flatMap(({ end, start, type }, index) => {
    const before = tokens[index - 1]
    const opening = before?.type.label === "(" ? tokens[index - 2] : before
    const isImported = opening !== undefined && /^(?:from|import)$/.test(text.slice(opening.start, opening.end))
    return type.label === "string" && isImported ? [text.slice(start + 1, end - 1)] : []
  })
}

/** An empty project with the tarball installed, which needs no network: it brings all that it runs. */
const installed = async () => {
  const project = await mkdtemp(path.join(folder, "project-"))
  await writeFile(path.join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }))
  const words = ["install", "--offline", "--no-audit", "--no-fund", path.join(folder, packed.filename)]
  await run("npm", words, { cwd: project })
  return project
}

describe("the tarball", () => {
  it("is small, holds the library module for module, and nothing that it can do without", () => {
    assert.isBelow(packed.size, 1_950_000)
    const paths = packed.files.map(({ path: file }) => file)
    const declared = Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [] : [target]))
    for (const { default: code, types } of declared) assert.includeMembers(paths, [code.slice(2), types.slice(2)])
    const library = paths.filter((file) => file.startsWith("dist/lib/") && file.endsWith(".js"))
    assert.isAbove(library.length, 300)
    for (const file of library) {
      const source = file.replace("dist/lib/", "src/").replace(/js$/, "ts")
      assert.isTrue(existsSync(path.join(root, source)), source)
    }
    const declarations = paths.filter((file) => file.endsWith(".d.ts"))
    assert.isBelow(declarations.length, library.length / 2)
    for (const file of declarations) {
      for (const [, name = ""] of readFileSync(path.join(folder, file), "utf8").matchAll(/"(\.{1,2}\/[^"]+)\.ts"/g)) {
        assert.include(declarations, path.join(path.dirname(file), `${name}.d.ts`), file)
      }
    }
    assert.deepStrictEqual(
      paths.filter((file) => /(?:^|\/)(?:src|test|scripts|node_modules)\//.test(file)),
      []
    )
  })

  it("imports nothing that a program around it does not have", async () => {
    const code = (await readdir(path.join(folder, "dist"), { recursive: true })).filter(
      (file) => file.endsWith(".js") && !file.startsWith("page/")
    )
    const texts = await Promise.all(code.map((file) => readFile(path.join(folder, "dist", file), "utf8")))
    const imported = texts.flatMap((text, index) => importsIn(text).map((name) => ({ file: code[index] ?? "", name })))
    const isThere = ({ file, name }: { readonly file: string; readonly name: string }) =>
      file.startsWith("lib/")
        ? /^(?:\.|effect(?:\/|$))/.test(name)
        : /^(?:node:|nodemailer$|redis$)/.test(name) || name.startsWith(".")
    assert.isAbove(imported.length, 100)
    assert.deepStrictEqual(
      imported.filter((one) => !isThere(one)),
      []
    )
  })

  it("says where it comes from", () => {
    assert.match(manifest.repository.url, /^git\+https:\/\/github\.com\/[\w-]+\/[\w-]+\.git$/)
    assert.isAbove(manifest.keywords.length, 4)
  })

  it("runs where it is installed into an empty folder, with every Node at hand", { timeout: 120_000 }, async () => {
    const project = await installed()
    const command = path.join(project, "node_modules/.bin/workflow-tool-server")
    const outside = (process.env["PATH"] ?? "").split(path.delimiter).filter((dir) => !dir.includes("node_modules"))
    const found = outside.map((dir) => path.join(dir, "node")).filter((file) => existsSync(file))
    for (const node of new Set([process.execPath, ...found.slice(0, 1)])) {
      const { stdout } = await run(node, [await realpath(command), "call", "list_workflows", "--embedded", "--json"], {
        cwd: project
      })
      assert.isNotEmpty(JSON.parse(stdout).data, node)
    }
    const { stdout } = await run(command, ["--version"], { cwd: project })
    assert.strictEqual(stdout, `${manifest.version}\n`)
  })

  it("gives a strict TypeScript project every subpath with its types", { timeout: 120_000 }, async () => {
    const project = await installed()
    await symlink(path.join(root, "node_modules/effect"), path.join(project, "node_modules/effect"), "junction")
    const names = Object.keys(manifest.exports).filter((subpath) => !subpath.endsWith(".json"))
    const imports = names.map(
      (subpath, index) => `import * as all${index} from "${subpath.replace(".", "workflow-tool-server")}"`
    )
    const lines = [
      ...imports,
      'import { Layer } from "effect"',
      'import { HttpRouter } from "effect/http"',
      'import { EngineToolset, Instances, McpHttp, Server } from "workflow-tool-server"',
      'import { EmbeddedEngine, layerInstance } from "workflow-tool-server/embedded"',
      'import { toolkit } from "workflow-tool-server/ai"',
      'import { MarketplaceToolset } from "workflow-tool-server/marketplace"',
      'import { Tool } from "workflow-tool-server/mcp"',
      `export const all: ReadonlyArray<object> = [${names.map((_, index) => `all${index}`).join(", ")}]`,
      'export const server = Server.layer({ toolsets: [EngineToolset], version: "1" })',
      "export const kit = toolkit(MarketplaceToolset)",
      "const instances = Instances.layer.pipe(Layer.provide(layerInstance()), Layer.provide(EmbeddedEngine.layer()))",
      "const routes = McpHttp.layer().pipe(Layer.provide(server), Layer.provide(instances))",
      "const { handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })",
      "export const make: typeof Tool.make = Tool.make",
      "// @ts-expect-error the types are real: a version is a text",
      "Server.layer({ toolsets: [], version: 1 })",
      "// @ts-expect-error and what is not exported is not offered",
      'export type Hidden = typeof import("workflow-tool-server/marketplace").MarketplaceError_base',
      "console.log(all.map((one) => Object.keys(one).length).join())",
      `const body = '${JSON.stringify(unreadable)}'`,
      'const headers = { "content-type": "application/json", host: "127.0.0.1" }',
      'const answer = await handler(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }))',
      "console.log(await answer.text())"
    ]
    await writeFile(path.join(project, "index.ts"), lines.join("\n"))
    // The programs of the pages export what they make: a library's declarations must be able to name all of it.
    const samples = (await readdir(embedding)).filter((name) => !name.endsWith(".test.ts"))
    for (const name of samples) await cp(path.join(embedding, name), path.join(project, name))
    const compilerOptions = {
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      isolatedModules: true,
      skipLibCheck: false,
      declaration: true,
      types: [],
      lib: ["es2023", "dom"]
    }
    const resolutions = [
      { module: "esnext", moduleResolution: "bundler", noEmit: true },
      { module: "nodenext", moduleResolution: "nodenext" }
    ]
    const tsc = path.join(root, "node_modules/typescript/bin/tsc")
    for (const resolution of resolutions) {
      const configuration = { compilerOptions: { ...compilerOptions, ...resolution }, files: ["index.ts", ...samples] }
      await writeFile(path.join(project, "tsconfig.json"), JSON.stringify(configuration))
      const compiled = await run(process.execPath, [tsc, "-p", project], { cwd: project }).catch(
        (error: unknown) => error
      )
      assert.deepInclude(compiled, { stdout: "", stderr: "" }, resolution.moduleResolution)
    }
    const { stdout } = await run(process.execPath, ["index.js"], { cwd: project })
    const [counts = "", answer] = stdout.trim().split("\n")
    for (const count of counts.split(",")) assert.isAbove(Number(count), 0)
    // What the library shares with the command worked, to the parser of expressions, on this program's copy of effect.
    assert.include(answer, "the expression cannot be read")
  })

  it(
    "is all that the examples need beside effect and its platform, wherever they are copied",
    { timeout: 120_000 },
    async () => {
      const project = await installed()
      await mkdir(path.join(project, "node_modules/@effect"))
      for (const name of ["effect", "@effect/platform-node", "@types"]) {
        await symlink(path.join(root, "node_modules", name), path.join(project, "node_modules", name), "junction")
      }
      await cp(path.join(root, "examples"), project, { recursive: true, filter: (file) => !file.endsWith(".test.ts") })
      const {
        include: _,
        compilerOptions,
        ...configuration
      } = JSON.parse(await readFile(path.join(root, "tsconfig.json"), "utf8"))
      const { paths: __, ...options } = compilerOptions
      await writeFile(
        path.join(project, "tsconfig.json"),
        JSON.stringify({ ...configuration, compilerOptions: options, include: ["*/*.ts"] })
      )
      const tsc = path.join(root, "node_modules/typescript/bin/tsc")
      assert.deepInclude(await run(process.execPath, [tsc, "-p", project]), { stdout: "", stderr: "" })
      const started = run(process.execPath, ["notes/main.ts"], { cwd: project })
      const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_notes", arguments: {} } }
      started.child.stdin?.end(`${JSON.stringify(request)}\n`)
      assert.include((await started).stdout, "Trip to Lyon")
    }
  )
})
