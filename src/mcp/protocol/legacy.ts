import { Effect, Schema } from "effect"

import { Audit } from "../Audit.ts"
import { clientName } from "./audited.ts"
import type { Era } from "./Era.ts"
import * as Method from "./Method.ts"
import { negotiate, type Revision } from "./Revision.ts"
import type { ServerInfo } from "./ServerInfo.ts"

/** 2024-11-05 to 2025-11-25: a handshake, or none at all, and every failure a JSON-RPC error. */
export const legacy = (shared: Method.Methods, info: ServerInfo["Service"]): Era => ({
  admit: () => Effect.void,
  methods: new Map(
    Object.entries<Method.Method>({
      ...shared,
      initialize: Method.make(
        { protocolVersion: Schema.String, clientInfo: Schema.optionalKey(Schema.Unknown) },
        Effect.fnUntraced(function* ({ clientInfo, protocolVersion }, { settle }) {
          const client = clientName(clientInfo)
          if (client !== undefined) yield* (yield* Audit).introduce(client)
          const revision = negotiate(protocolVersion)
          yield* settle(revision)
          return {
            protocolVersion: revision.version,
            capabilities: {
              tools: {},
              resources: {},
              prompts: {},
              ...(revision.hints ? { completions: {} } : {})
            },
            serverInfo: introduction(info, revision),
            instructions: info.instructions
          }
        })
      ),
      ping: Method.make({}, () => Effect.succeed({}))
    })
  ),
  result: (result) => result
})

const introduction = ({ name, title, version }: ServerInfo["Service"], { structure }: Revision) =>
  structure ? { name, title, version } : { name, version }
