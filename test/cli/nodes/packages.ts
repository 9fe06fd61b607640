/** Packages as registries hold them, made up for tests. */
import { createHash } from "node:crypto"
import type { RequestListener } from "node:http"
import { gzipSync } from "node:zlib"

import { standIn } from "../built.ts"

/** One file of a tar archive. */
const entry = (name: string, text: string): Buffer => {
  const body = Buffer.from(text)
  const head = Buffer.alloc(512)
  head.write(name, 0)
  head.write("0000644\0", 100)
  head.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124)
  head.write("        0", 148)
  head.write("ustar\0", 257)
  const sum = head.reduce((all, byte) => all + byte, 0) - 0x30 + 0x20
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return Buffer.concat([head, body, Buffer.alloc((512 - (body.length % 512)) % 512)])
}

/** A package file with these files in it. */
export const packed = (files: Readonly<Record<string, string>>): Buffer =>
  gzipSync(
    Buffer.concat([...Object.entries(files).map(([name, text]) => entry(`package/${name}`, text)), Buffer.alloc(1024)])
  )

/** A description of a node type, as small as it can be. */
export const described = (name: string, more: object = {}) => ({
  name,
  displayName: name,
  description: `Does ${name}`,
  group: ["transform"],
  version: 1,
  inputs: ["main"],
  outputs: ["main"],
  properties: [{ displayName: "Message", name: "message", type: "string", default: "", required: true }],
  ...more
})

export const withNodes = (...nodes: ReadonlyArray<object>) =>
  packed({ "package.json": "{}", "dist/types/nodes.json": JSON.stringify(nodes), "LICENSE.md": "x".repeat(5000) })

interface Published {
  readonly file?: Buffer
  readonly dependencies?: Readonly<Record<string, string>>
  readonly integrity?: string
}

/** A request that a registry had. */
export interface Asked {
  readonly url: string
  readonly authorization: string | undefined
}

/** A registry that holds these packages, under `name@version`. */
export const registry = async (packages: Readonly<Record<string, Published>>, answer?: RequestListener) => {
  const requests: Array<Asked> = []
  let url = ""
  url = await standIn((request, response) => {
    const path = decodeURIComponent(request.url ?? "")
    requests.push({ url: path, authorization: request.headers.authorization })
    const [, file] = /^\/files\/(.+)\.tgz$/.exec(path) ?? []
    const npmPackage = packages[file ?? path.slice(1).replace(/\/([^/]+)$/, "@$1")]
    if (npmPackage === undefined)
      return answer === undefined ? response.writeHead(404).end("{}") : answer(request, response)
    if (file !== undefined) return response.end(npmPackage.file)
    const [, version = ""] = /@([^@]+)$/.exec(path.replace(/\/([^/]+)$/, "@$1")) ?? []
    const bytes = npmPackage.file ?? Buffer.alloc(0)
    const integrity = npmPackage.integrity ?? `sha512-${createHash("sha512").update(bytes).digest("base64")}`
    const tarball = `${url}/files/${path.slice(1).replace(/\/([^/]+)$/, "@$1")}.tgz`
    return response.end(
      JSON.stringify({ version, dependencies: npmPackage.dependencies, dist: { tarball, integrity } })
    )
  })
  return { url, requests }
}

/** The packages of an engine: its own, and those that it depends on. */
export const engineWith = (base: Published, ai: Published = { file: withNodes(described("agent")) }) => ({
  "n8n@2.41.1": { dependencies: { "n8n-nodes-base": "2.41.0", "@n8n/n8n-nodes-langchain": "2.41.1", left: "1.0.0" } },
  "n8n-nodes-base@2.41.0": base,
  "@n8n/n8n-nodes-langchain@2.41.1": ai
})

/** An engine of generation 2, as far as these tests need one. */
export const engine = (installed: ReadonlyArray<object> = []) =>
  standIn((request, response) => {
    const url = request.url ?? ""
    const release = Buffer.from(JSON.stringify({ release: "n8n@2.41.1" })).toString("base64")
    if (url === "/") return response.end(`<html><meta name="n8n:config:sentry" content="${release}"></html>`)
    if (url.startsWith("/types/")) return response.writeHead(401).end("{}")
    if (url.startsWith("/api/v1/community-packages")) return response.end(JSON.stringify(installed))
    response.setHeader("content-type", "application/json")
    return response.end(JSON.stringify({ data: [], nextCursor: null }))
  })
