import { Predicate } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"

/** The name of a node, "" if it has none. */
export const nameOf = ({ name }: JsonObject): string => (Predicate.isString(name) ? name : "")
