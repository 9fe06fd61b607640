import { Predicate } from "effect"

import { isJsonObject } from "../../internal/schema/JsonObject.ts"
import { idPattern, type Workflow } from "./models.ts"

/**
 * Whether JSON has the shape of `Workflow`, without copying it: workflows are read more often than anything else, and passed on
 * unchanged. If not, the schema explains why.
 */
export const isWorkflow = (value: unknown): value is Workflow =>
  isJsonObject(value) &&
  Predicate.isString(value.id) &&
  idPattern.test(value.id) &&
  Predicate.isString(value.name) &&
  Predicate.isBoolean(value.active) &&
  Array.isArray(value.nodes) &&
  value.nodes.every(isJsonObject) &&
  isJsonObject(value.connections) &&
  isAbsentOr(value.activeVersionId, isTextOrNull) &&
  isAbsentOr(value.triggerCount, isFiniteOrNull) &&
  isAbsentOr(value.createdAt, Predicate.isString) &&
  isAbsentOr(value.updatedAt, Predicate.isString) &&
  isAbsentOr(value.settings, isObjectOrNull) &&
  isAbsentOr(value.tags, isTags)

const isAbsentOr = (value: unknown, isFine: (value: unknown) => boolean) => value === undefined || isFine(value)
const isTextOrNull = (value: unknown) => value === null || Predicate.isString(value)
const isFiniteOrNull = (value: unknown) => value === null || Number.isFinite(value)
const isObjectOrNull = (value: unknown) => value === null || isJsonObject(value)
const isTags = (value: unknown) => Array.isArray(value) && value.every(isTag)
const isTag = (value: unknown) => isJsonObject(value) && Predicate.isString(value.id) && Predicate.isString(value.name)
