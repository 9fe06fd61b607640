import type { SecureContext } from "node:tls"

import * as NodeFiles from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem } from "effect"

import { UnusableConnection } from "../../internal/http/HttpClients.ts"

/** Largest file with certificates: several times all that a system has. A device has no end. */
const mostBytes = 4 * 1024 * 1024

/** The certificates of a file, once it is known that it can be read and holds one. */
export const readCertificates = Effect.fnUntraced(function* (caFile: string) {
  const pem = yield* FileSystem.FileSystem.use((files) =>
    Effect.flatMap(files.stat(caFile), ({ size, type }) =>
      type === "File" && size <= mostBytes ? files.readFileString(caFile) : Effect.succeed("")
    )
  ).pipe(
    Effect.provide(NodeFiles.layer),
    Effect.mapError(() => new UnusableConnection({ message: `caFile: ${caFile} cannot be read` }))
  )
  const { X509Certificate } = yield* Effect.promise(() => import("node:crypto"))
  yield* Effect.try({
    try: () => new X509Certificate(pem),
    catch: () => new UnusableConnection({ message: `caFile: ${caFile} holds no certificate` })
  })
  return pem
})

/**
 * Trusts what this Node trusts, and these certificates. It takes long to make, so that a client makes one for all of its
 * connections.
 */
export const trusting = (pem: string): Effect.Effect<SecureContext> =>
  Effect.gen(function* () {
    const tls = yield* Effect.promise(() => import("node:tls"))
    const { createSecureContext, rootCertificates } = tls
    const trusted = "getCACertificates" in tls ? tls.getCACertificates() : yield* trustedBefore(rootCertificates)
    return createSecureContext({ ca: [...trusted, pem] })
  })

/** The same for a Node that cannot tell: its own roots, and those of the file that it was started with. */
const trustedBefore = (roots: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const file = process.env["NODE_EXTRA_CA_CERTS"]
    if (file === undefined) return roots
    const extra = yield* Effect.option(FileSystem.FileSystem.use((files) => files.readFileString(file)))
    return extra._tag === "None" ? roots : [...roots, extra.value]
  }).pipe(Effect.provide(NodeFiles.layer))
