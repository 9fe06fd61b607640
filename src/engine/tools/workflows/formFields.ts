import { Predicate, Result } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { type Workflow, nameOf } from "../../client/models.ts"

/**
 * A form trigger takes its fields by their places, `field-0` and on, where callers know them by their labels: what was
 * given by label, name or place, by place.
 */
export const formFields = (
  { nodes }: Workflow,
  form: string,
  data: JsonObject
): Result.Result<JsonObject, InvalidArgument> => {
  const fields = fieldsOf(nodes.find((node) => nameOf(node) === form))
  const placed = Object.entries(data).map(([given, value]) => ({ given, value, place: placeOf(fields, given) }))
  const stray = placed.find(({ place }) => place === -1)
  if (stray === undefined) {
    return Result.succeed(Object.fromEntries(placed.map(({ place, value }) => [`field-${place}`, value])))
  }
  const known = fields.map((field) => labelsOf(field)[0] ?? "").join(", ")
  return Result.fail(
    new InvalidArgument({
      argument: "data",
      problem: `the form ${form} has no field ${stray.given}. Its fields: ${known}`
    })
  )
}

const fieldsOf = (node: JsonObject | undefined): ReadonlyArray<unknown> => {
  const parameters = node?.parameters
  const collection = Predicate.hasProperty(parameters, "formFields") ? parameters.formFields : undefined
  return Predicate.hasProperty(collection, "values") && Array.isArray(collection.values) ? collection.values : []
}

const placeOf = (fields: ReadonlyArray<unknown>, given: string): number =>
  fields.findIndex((field, place) => labelsOf(field).includes(given) || given === `field-${place}`)

/** What a field is called: its label, and in newer forms its name. */
const labelsOf = (field: unknown): ReadonlyArray<string> =>
  [
    Predicate.hasProperty(field, "fieldLabel") ? field.fieldLabel : undefined,
    Predicate.hasProperty(field, "fieldName") ? field.fieldName : undefined
  ].filter(Predicate.isString)
