import { sdkV1 } from "./sdkV1.ts"
import { sdkV2 } from "./sdkV2.ts"
import { overHttp, overStdio } from "./servers.ts"

export const modern = "2026-07-28"

/** Speaks the modern revision and no other. */
export const pinned = sdkV2("pinned", modern, { versionNegotiation: { mode: { pin: modern } } })

/** Both generations, in every way to settle on a revision. */
export const clients = [
  sdkV1,
  sdkV2("by itself", "2025-11-25", {}),
  sdkV2("that probes", modern, { versionNegotiation: { mode: "auto" } }),
  pinned,
  ...["2025-06-18", "2025-03-26", "2024-11-05"].map((version) =>
    sdkV2(`of ${version}`, version, { supportedProtocolVersions: [version] })
  )
]

const transports = [
  ["stdio", overStdio],
  ["HTTP", overHttp]
] as const

export const combinations = clients.flatMap((client) =>
  transports.map(([transport, open]) => [client.name, transport, client, open] as const)
)
