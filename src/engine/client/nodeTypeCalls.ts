import { Effect, Option, Schema } from "effect"

import { CommunityPackage } from "../workflow/models.ts"
import { nodeTypesPath } from "../workflow/naming.ts"
import type * as Call from "./call.ts"

export const nodeTypeCalls = ({ callIfSupported, publicJson }: Call.Calls) => ({
  nodeTypesIfSupported: Effect.map(
    publicJson(nodeTypesPath),
    Option.flatMap((body) => (Array.isArray(body) ? Option.some<ReadonlyArray<unknown>>(body) : Option.none()))
  ),
  communityPackagesIfSupported: callIfSupported(Schema.Array(CommunityPackage), {
    operation: "list community packages",
    method: "GET",
    path: "/community-packages"
  })
})
