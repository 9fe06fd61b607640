import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises"
import path from "node:path"

import { Effect } from "effect"
import { assert, describe, it } from "vitest"

import { cacheFolder } from "../../../src/cli/files/ownFolders.ts"
import { archiveFiles } from "../../../src/cli/nodes/archiveFiles.ts"
import { readNpmSettings } from "../../../src/cli/nodes/npmSettings.ts"
import { unpackFile } from "../../../src/cli/nodes/unpackFile.ts"
import { directory, run, standIn, useCommand } from "../built.ts"
import { described, engine, engineWith, packed, registry, withNodes } from "./packages.ts"

useCommand()

/** A home and an environment of their own, with an engine and a registry. */
const place = async (engineHost: string, registryUrl: string, more: Readonly<Record<string, unknown>> = {}) => {
  const cwd = await directory({
    "config.json": {
      environments: { main: { engine_host: engineHost, engine_api_key: "k".repeat(20) } },
      toolsets: ["operator"],
      ...more
    }
  })
  const env = {
    HOME: cwd,
    XDG_CACHE_HOME: path.join(cwd, "cache"),
    npm_config_registry: registryUrl,
    WORKFLOW_TOOL_SERVER_CONFIG: "config.json"
  }
  return { cwd, env, kept: path.join(cwd, "cache/workflow-tool-server/nodes") }
}

const describeNode = (type: string, at: Awaited<ReturnType<typeof place>>) =>
  run(["call", "describe_node", "--type", type, "--json"], at)

describe("nodes fetch", () => {
  it("fetches the packages of exactly the engine's version, and what it kept is there for the next process", async () => {
    const { requests, url } = await registry(
      engineWith({ file: withNodes(described("postcard", { version: [1, 2] })) })
    )
    const at = await place(await engine(), url)
    const fetched = await run(["nodes", "fetch"], at)
    assert.include(fetched.stdout, "main: version 2.41.1, 2 node types kept")
    assert.strictEqual(fetched.code, 0)
    assert.include(
      requests.map(({ url: one }) => one),
      "/n8n-nodes-base/2.41.0"
    )

    const before = requests.length
    const { code, stdout } = await describeNode("postcard", at)
    assert.strictEqual(code, 0, stdout)
    assert.deepInclude(JSON.parse(stdout), {
      type: "n8n-nodes-base.postcard",
      version: 2,
      parameters: "message*: string"
    })
    assert.lengthOf(requests, before, "nothing is fetched again")
  })

  it("knows community nodes by their package, or by their names where it tells nothing", async () => {
    const community = {
      "n8n-nodes-acme@1.2.0": { file: withNodes(described("rocket")) },
      "n8n-nodes-silent@3.0.0": { file: packed({ "package.json": "{}" }) }
    }
    const { url } = await registry({ ...engineWith({ file: withNodes(described("postcard")) }), ...community })
    const installed = [
      { packageName: "n8n-nodes-acme", installedVersion: "1.2.0", installedNodes: [] },
      {
        packageName: "n8n-nodes-silent",
        installedVersion: "3.0.0",
        installedNodes: [{ name: "Whisper", type: "n8n-nodes-silent.whisper", latestVersion: 2 }]
      }
    ]
    const at = await place(await engine(installed), url)
    assert.include((await run(["nodes", "fetch"], at)).stdout, "4 node types kept")
    const rocket = await describeNode("rocket", at)
    assert.deepInclude(JSON.parse(rocket.stdout), { type: "n8n-nodes-acme.rocket", parameters: "message*: string" })
    const whisper = await describeNode("Whisper", at)
    assert.deepInclude(JSON.parse(whisper.stdout), { type: "n8n-nodes-silent.whisper", version: 2 })
  })

  it("refuses a package that is not what the registry says, and keeps nothing of it", async () => {
    const integrity = `sha512-${"A".repeat(86)}==`
    const { url } = await registry(engineWith({ file: withNodes(described("postcard")), integrity }))
    const at = await place(await engine(), url)
    const { code, stdout } = await run(["nodes", "fetch"], at)
    assert.match(stdout, /main: .*n8n-nodes-base 2\.41\.0 does not match the registry.s sha512/)
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(
      (await readdir(at.kept)).filter((file) => !file.startsWith("seen@")),
      []
    )
  })

  it("says what is wrong where the registry lacks a package, tells no digest, or does not answer", async () => {
    const without = await registry({})
    const lacking = await run(["nodes", "fetch"], await place(await engine(), without.url))
    assert.match(
      lacking.stdout,
      /main: Node types could not be fetched: 127\.0\.0\.1:\d+ answers 404 for \/n8n\/2\.41\.1/
    )
    const weak = await registry(engineWith({ file: withNodes(), integrity: "sha1-abc" }))
    const digest = await run(["nodes", "fetch"], await place(await engine(), weak.url))
    assert.match(digest.stdout, /the registry has no sha512 of n8n-nodes-base 2\.41\.0/)
    const gone = await run(["nodes", "fetch"], await place(await engine(), "http://127.0.0.1:9"))
    assert.match(gone.stdout, /127\.0\.0\.1:9 does not answer \(ECONNREFUSED\)/)
    assert.deepStrictEqual([lacking.code, digest.code, gone.code], [1, 1, 1])
  })

  it("tells the registry who asks, and nobody else", async () => {
    const { requests, url } = await registry(engineWith({ file: withNodes(described("postcard")) }))
    const strangers: Array<string | undefined> = []
    const mirror = await standIn((request, response) => {
      strangers.push(request.headers.authorization)
      response.writeHead(302, { location: `${url}${request.url ?? ""}` }).end()
    })
    const at = await place(await engine(), mirror)
    const host = url.replace("http:", "")
    await writeFile(path.join(at.cwd, ".npmrc"), `${host}/:_authToken=\${REGISTRY_TOKEN}\n`)
    const { code, stdout } = await run(["nodes", "fetch"], { ...at, env: { ...at.env, REGISTRY_TOKEN: "t0ken" } })
    assert.strictEqual(code, 0, stdout)
    assert.deepStrictEqual([...new Set(strangers)], [undefined])
    assert.deepStrictEqual([...new Set(requests.map(({ authorization }) => authorization))], ["Bearer t0ken"])
  })

  it("reads a folder with the packages of an engine, and refuses that of another version", async () => {
    const files = {
      "n8n/package.json": { version: "2.41.1" },
      "n8n-nodes-base/package.json": { version: "2.41.0" },
      "n8n-nodes-base/dist/types/nodes.json": [described("postcard")],
      "@n8n/n8n-nodes-langchain/package.json": { version: "2.41.1" },
      "@n8n/n8n-nodes-langchain/dist/types/nodes.json": []
    }
    const at = await place(await engine(), "http://127.0.0.1:9", { nodeTypes: { folder: "installed" } })
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(at.cwd, "installed/node_modules", name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, JSON.stringify(content))
    }
    const { stdout } = await describeNode("postcard", at)
    assert.deepInclude(JSON.parse(stdout), { type: "n8n-nodes-base.postcard" })

    const other = await place(await engine(), "http://127.0.0.1:9", {
      nodeTypes: { folder: path.join(at.cwd, "installed") }
    })
    await writeFile(path.join(at.cwd, "installed/node_modules/n8n/package.json"), '{"version":"2.40.0"}')
    const refused = await describeNode("postcard", other)
    assert.match(refused.stdout, /holds version 2\.40\.0, and this engine runs 2\.41\.1/)
  })
})

describe("nodeTypes in the configuration", () => {
  it("fetches at the first need with fetch, and nothing by itself or with off", async () => {
    const { requests, url } = await registry(engineWith({ file: withNodes(described("postcard")) }))
    const host = await engine()
    const silent = await describeNode("postcard", await place(host, url))
    assert.match(silent.stdout, /run \\"workflow-tool-server nodes fetch\\" once/)
    const off = await describeNode("postcard", await place(host, url, { nodeTypes: "off" }))
    assert.match(off.stdout, /nodeTypes is \\"off\\"/)
    assert.lengthOf(requests, 0)
    const fetching = await describeNode("postcard", await place(host, url, { nodeTypes: "fetch" }))
    assert.deepInclude(JSON.parse(fetching.stdout), { type: "n8n-nodes-base.postcard" })
  })

  it("is checked like every setting", async () => {
    const { code, stderr } = await run(["check"], await place("http://127.0.0.1:9", "", { nodeTypes: "sometimes" }))
    assert.strictEqual(code, 1)
    assert.match(stderr, /config\.json: nodeTypes: expected "off", "fetch" or \{"folder"/)
  })
})

describe("what is kept of node types", () => {
  it("is read whole or not at all, whoever writes it at the same time", async () => {
    const folder = path.join(await directory(), "nodes")
    const writers = [1, 2, 3, 4].map((writer) =>
      archiveFiles(folder).save("same", `index ${writer}`, [`text ${writer}`])
    )
    await Effect.runPromise(Effect.all(writers, { concurrency: "unbounded" }))
    const archive = await Effect.runPromise(
      Effect.flatten(Effect.map(archiveFiles(folder).open("same"), Effect.fromOption))
    )
    const [, writer] = /^index (\d)$/.exec(archive.index) ?? []
    assert.strictEqual(await Effect.runPromise(archive.read(0)), `text ${writer}`)
    assert.deepStrictEqual(await readdir(folder), ["same.nodes"])
  })

  it("goes when nobody has opened it for three months, and stays as long as somebody does", async () => {
    const folder = path.join(await directory(), "nodes")
    const { open, save } = archiveFiles(folder)
    for (const name of ["1.0.0@former", "2.0.0@opened", "2.0.0"]) await Effect.runPromise(save(name, "index", []))
    await writeFile(path.join(folder, "1.0.0@broken.nodes.7-00000000.new"), "half")
    await writeFile(path.join(folder, "mine.txt"), "of a person")
    const then = Date.now() / 1000 - 91 * 24 * 3600
    for (const name of await readdir(folder)) await utimes(path.join(folder, name), then, then)
    for (const name of ["2.0.0@opened", "2.0.0"]) await Effect.runPromise(open(name))
    await Effect.runPromise(save("3.0.0@new", "index", []))
    assert.sameMembers(await readdir(folder), ["2.0.0@opened.nodes", "2.0.0.nodes", "3.0.0@new.nodes", "mine.txt"])
  })

  it("counts as not there where it is damaged", async () => {
    const folder = path.join(await directory(), "nodes")
    const { open, save } = archiveFiles(folder)
    await Effect.runPromise(save("one", "index", ["text"]))
    const file = path.join(folder, "one.nodes")
    const bytes = await readFile(file)
    for (const damaged of [bytes.subarray(0, -3), Buffer.from("nonsense"), Buffer.alloc(0)]) {
      await writeFile(file, damaged)
      assert.strictEqual((await Effect.runPromise(open("one")))._tag, "None")
    }
    assert.strictEqual((await Effect.runPromise(open("never")))._tag, "None")
  })

  it("lies where each system keeps caches", () => {
    assert.strictEqual(cacheFolder({ XDG_CACHE_HOME: "/var/me" }, "linux"), "/var/me/workflow-tool-server")
    assert.match(cacheFolder({ XDG_CACHE_HOME: "relative" }, "linux"), /\/\.cache\/workflow-tool-server$/)
    assert.match(cacheFolder({}, "darwin"), /\/Library\/Caches\/workflow-tool-server$/)
    assert.match(cacheFolder({ LOCALAPPDATA: "C:\\me" }, "win32"), /^C:\\me.workflow-tool-server.Cache$/)
  })
})

describe("a package file", () => {
  const unpack = (bytes: Uint8Array, name = "dist/types/nodes.json") =>
    Effect.runPromise(Effect.result(unpackFile(bytes, name)))

  it("gives one of its files, in whatever folder they lie", async () => {
    const text = JSON.stringify(Array.from({ length: 5000 }, (_, index) => described(`node${index}`)))
    const unpacked = await unpack(packed({ "a.txt": "a".repeat(70_000), "dist/types/nodes.json": text, "b.txt": "b" }))
    assert.deepStrictEqual(unpacked._tag === "Success" ? unpacked.success : unpacked, text)
    const none = await unpack(packed({ "a.txt": "a" }))
    assert.deepStrictEqual(none._tag === "Success" ? none.success : none, undefined)
  })

  it("is refused where it is damaged or no package", async () => {
    const whole = packed({ "dist/types/nodes.json": "x".repeat(100_000) })
    assert.strictEqual((await unpack(whole.subarray(0, whole.length / 2)))._tag, "Failure")
    assert.strictEqual((await unpack(Buffer.from("not a package")))._tag, "Failure")
  })
})

describe("npm's settings", () => {
  it("come from variables before the user's file, and by scope", async () => {
    const home = await directory({
      ".npmrc":
        "registry=https://file.example/\n@n8n:registry = https://scoped.example/npm/\n; comment\n//scoped.example/npm/:_authToken=abc\n"
    })
    const file = readNpmSettings({ HOME: home })
    assert.strictEqual(file.registryOf("n8n-nodes-base"), "https://file.example")
    assert.strictEqual(file.registryOf("@n8n/n8n-nodes-langchain"), "https://scoped.example/npm")
    assert.isDefined(file.authorizationFor(new URL("https://scoped.example/npm/a")))
    assert.isUndefined(file.authorizationFor(new URL("https://scoped.example/other")))
    assert.isUndefined(file.authorizationFor(new URL("https://scoped.example.evil.example/npm/a")))
    const variable = readNpmSettings({ HOME: home, NPM_CONFIG_REGISTRY: "https://variable.example" })
    assert.strictEqual(variable.registryOf("n8n"), "https://variable.example")
    assert.strictEqual(readNpmSettings({ HOME: "/nowhere" }).registryOf("n8n"), "https://registry.npmjs.org")
  })

  it("fill in variables, and leave what is none", async () => {
    const home = await directory({
      ".npmrc": "registry=${HERE}\ncafile=${THERE}\n# proxy=http://proxy.example\n[section]\n"
    })
    const settings = readNpmSettings({ HOME: home, HERE: "https://here.example" })
    assert.strictEqual(settings.registryOf("n8n"), "https://here.example")
    assert.strictEqual(settings.caFile, "${THERE}")
    assert.isUndefined(settings.proxyFor(new URL("http://here.example")))
  })
})
