import { Effect } from "effect"

import type { Era } from "./Era.ts"
import { toErrorResult } from "./errors.ts"
import * as Method from "./Method.ts"
import { shelfLife } from "./methods/paging.ts"
import { ProtocolError } from "./ProtocolError.ts"
import { admit } from "./RequestMeta.ts"
import { versions } from "./Revision.ts"
import type { ServerInfo } from "./ServerInfo.ts"

/** 2026-07-28: every request stands alone, and what a tool fails with is a result that the model gets to read. */
export const modern = (
  shared: Method.Methods & { readonly "tools/call": Method.Method },
  { instructions, name, title, version }: ServerInfo["Service"]
): Era => ({
  admit,
  methods: new Map(
    Object.entries<Method.Method>({
      ...shared,
      "tools/call": toldToTheModel(shared["tools/call"]),
      "server/discover": Method.make(
        {},
        () =>
          Effect.succeed({
            supportedVersions: versions,
            capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
            instructions
          }),
        { ttlMs: shelfLife }
      )
    })
  ),
  result: (result, { ttlMs }) => ({
    resultType: "complete",
    ...result,
    ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
    _meta: { "io.modelcontextprotocol/serverInfo": { name, title, version } }
  })
})

const toldToTheModel = (method: Method.Method): Method.Method => ({
  ...method,
  run: (params, call) =>
    method
      .run(params, call)
      .pipe(
        Effect.catch((failure) =>
          failure instanceof ProtocolError ? Effect.fail(failure) : Effect.succeed(toErrorResult(failure))
        )
      )
})
