import { createHash } from "node:crypto"

import { Effect, Predicate, Redacted, Schema, Stream } from "effect"
import { Headers, HttpClientRequest } from "effect/http"

import { type NodePackage, NodePackagesError } from "../../engine/nodes/NodePackages.ts"
import { enginePackage, nodePackages } from "../../engine/workflow/naming.ts"
import { HttpClients } from "../../internal/http/HttpClients.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import { descriptionsFile } from "./folder.ts"
import type { NpmSettings } from "./npmSettings.ts"
import { unpackFile } from "./unpackFile.ts"

const Manifest = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.String,
    dependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    dist: Schema.Struct({ tarball: Schema.String, integrity: Schema.optionalKey(Schema.String) })
  })
)
const Descriptions = Schema.fromJsonString(Schema.Array(Schema.Unknown))

/** Most bytes of a manifest and of a package that are read. */
const largestManifest = 4 * 1024 * 1024
const largestPackage = 128 * 1024 * 1024

/** Timeout of one answer. */
const timeout = "5 minutes"

const maxRedirects = 5

/** Reports the progress of a download. */
type Tell = (words: string) => Effect.Effect<void>

/**
 * The packages of an engine of exactly this version from the user's package registry: its manifest has their versions, theirs
 * the files, whose digests must match those of the registry.
 */
export const readRegistry = (settings: NpmSettings, tell: Tell = () => Effect.void) =>
  Effect.fnUntraced(function* (engineVersion: string) {
    const engine = yield* manifestOf(settings, enginePackage, engineVersion)
    const wanted = nodePackages.flatMap((name) => {
      const version = engine.dependencies?.[name]
      return version === undefined ? [] : [{ name, version }]
    })
    if (wanted.length === 0) return yield* failed(`${enginePackage} ${engineVersion} names none of its packages`)
    return yield* Effect.forEach(wanted, ({ name, version }) => readPackage(settings, name, version, tell))
  })

const failed = (problem: string) => new NodePackagesError({ message: `Node types could not be fetched: ${problem}` })

/** The node types of one package; undefined without descriptions that can be read without running it. */
export const readPackage = Effect.fnUntraced(function* (
  settings: NpmSettings,
  name: string,
  version: string,
  tell: Tell
): Effect.fn.Return<NodePackage, NodePackagesError, HttpClients> {
  const manifest = yield* manifestOf(settings, name, version)
  const { integrity, tarball } = manifest.dist
  const expected = /\bsha512-([A-Za-z0-9+/]{86}==)/.exec(integrity ?? "")?.[1]
  if (expected === undefined) return yield* failed(`the registry has no sha512 of ${name} ${version}`)
  yield* tell(`Fetching ${name} ${manifest.version}`)
  const bytes = yield* download(settings, tarball, largestPackage)
  if (createHash("sha512").update(bytes).digest("base64") !== expected) {
    return yield* failed(`${name} ${version} does not match the registry's sha512; nothing of it was kept`)
  }
  const text = yield* Effect.mapError(unpackFile(bytes, descriptionsFile), ({ message }) =>
    failed(`${name}: ${message}`)
  )
  if (text === undefined) return { name, version: manifest.version, nodes: [] }
  const nodes = yield* Effect.mapError(Schema.decodeEffect(Descriptions)(text), () =>
    failed(`${descriptionsFile} of ${name} ${version} cannot be read`)
  )
  return { name, version: manifest.version, nodes }
})

const manifestOf = Effect.fnUntraced(function* (settings: NpmSettings, name: string, version: string) {
  if (!/^[\w.+-]+$/.test(version)) return yield* failed(`${version} is no exact version of ${name}`)
  const url = `${settings.registryOf(name)}/${name.replace("/", "%2F")}/${version}`
  const bytes = yield* download(settings, url, largestManifest)
  return yield* Effect.mapError(Schema.decodeEffect(Manifest)(new TextDecoder().decode(bytes)), () =>
    failed(`the registry's answer about ${name} ${version} cannot be read`)
  )
})

/** The content of an address, limited in size and time. Credentials are sent only to the registry itself. */
const download = (settings: NpmSettings, address: string, limit: number) =>
  Effect.gen(function* () {
    let url = yield* parse(address)
    const isSecure = url.protocol === "https:"
    for (let hops = 0; hops <= maxRedirects; hops++) {
      if (isSecure && url.protocol !== "https:") return yield* failed(`${url.host} is not contacted without encryption`)
      const client = yield* clientFor(settings, url)
      const authorization = settings.authorizationFor(url)
      const request = HttpClientRequest.get(url).pipe(
        HttpClientRequest.setHeaders({
          accept: "*/*",
          "accept-encoding": "identity",
          ...(authorization === undefined ? {} : { authorization: Redacted.value(authorization) })
        })
      )
      const response = yield* Effect.mapError(client.execute(request), (error) =>
        failed(`${url.host} does not answer (${transportCode(error) ?? "no reason told"})`)
      )
      const location = response.headers["location"]
      if (response.status >= 300 && response.status < 400 && location !== undefined) {
        url = yield* parse(location, url)
        continue
      }
      if (response.status !== 200) {
        return yield* failed(`${url.host} answers ${response.status} for ${url.pathname}`)
      }
      return yield* collected(response.stream, limit, url)
    }
    return yield* failed(`${address} redirects too often`)
  }).pipe(
    Effect.scoped,
    Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, "authorization"]),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(failed(`${address} took longer than ${timeout}`))
    })
  )

const parse = (address: string, base?: URL) =>
  Effect.filterOrFail(
    Effect.sync(() => (URL.canParse(address, base?.href) ? new URL(address, base) : undefined)),
    (url): url is URL => Predicate.isNotUndefined(url) && /^https?:$/.test(url.protocol),
    () => failed("the registry names an invalid address")
  )

const clientFor = ({ caFile, proxyFor }: NpmSettings, url: URL) => {
  const proxy = proxyFor(url)
  const options = { ...(caFile === undefined ? {} : { caFile }), ...(proxy === undefined ? {} : { proxy }) }
  return HttpClients.use(({ make }) => make(options)).pipe(Effect.mapError(({ message }) => failed(message)))
}

const collected = <E>(stream: Stream.Stream<Uint8Array, E>, limit: number, url: URL) =>
  Effect.gen(function* () {
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    yield* Stream.runForEach(stream, (chunk) => {
      bytes += chunk.byteLength
      if (bytes > limit) return Effect.fail(failed(`${url.host} sends more than ${limit} bytes`))
      chunks.push(chunk)
      return Effect.void
    })
    return Buffer.concat(chunks)
  }).pipe(
    Effect.mapError((error) =>
      Schema.is(NodePackagesError)(error) ? error : failed(`the connection to ${url.host} broke`)
    )
  )
