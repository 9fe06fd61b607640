import { Effect, Option } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { nameOf } from "../../workflow/models.ts"
import { isCommunityPackage, toEngineType } from "../../workflow/naming.ts"
import { isEnabled } from "../../workflow/triggers.ts"
import type { Catalog } from "../Catalog.ts"
import { textOf } from "../json.ts"
import { packageOf } from "../packageOf.ts"
import type { Finding } from "./Finding.ts"
import { mustBeThere } from "./node.ts"

/** Nodes of packages that are not installed, as far as the engine lists them. */
export const checkPackages = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  nodes: ReadonlyArray<JsonObject>,
  catalog: Catalog | undefined
) {
  const typeOf = (node: JsonObject) => toEngineType(textOf(node.type))
  const strange = nodes.filter((node) => {
    const type = typeOf(node)
    if (catalog === undefined || !isEnabled(node) || !isCommunityPackage(packageOf(type))) return false
    return catalog.find(type) === undefined && !mustBeThere(type, catalog)
  })
  if (strange.length === 0) return []
  const told = yield* Effect.orElseSucceed(engine.communityPackagesIfSupported, () => Option.none())
  if (Option.isNone(told)) return []
  const installed = new Set(told.value.map(({ packageName }) => packageName))
  return strange
    .filter((node) => !installed.has(packageOf(typeOf(node))))
    .map((node): Finding => ({
      level: "error",
      node: nameOf(node),
      field: "type",
      problem: `the package ${packageOf(typeOf(node))} is not installed on this engine`,
      fix: "Install it, or take a node that find_nodes knows"
    }))
})
