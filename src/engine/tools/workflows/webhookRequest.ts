import { Predicate, Result } from "effect"

import type { UpstreamRequest } from "../../../internal/http/Upstream.ts"
import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import type { Address } from "../../workflow/addresses.ts"
import { type Workflow, nameOf } from "../../workflow/models.ts"

const methods = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"] as const
const isMethod = (method: string): method is (typeof methods)[number] =>
  methods.some((supported) => supported === method)

/**
 * The call of a production address: variable segments of its path are taken from the data, the rest is the body, or
 * the query where the method has no body. The mark makes the run recognisable among others.
 */
export const requestFor = (
  address: Address,
  data: JsonObject,
  mark: string
): Result.Result<UpstreamRequest, InvalidArgument> => {
  const missing = address.variables.find((name) => !isScalar(data[name]))
  if (missing !== undefined) {
    return invalid(`must hold a value for the path variable ${missing} of ${address.path}`)
  }
  const divided = address.variables.find((name) => !isSegment(String(data[name])))
  if (divided !== undefined) {
    return invalid(`${divided} is one segment of ${address.path}: it can hold no slash, and be neither . nor ..`)
  }
  if (!isMethod(address.method)) return invalid(`cannot be sent: the trigger listens for ${address.method}`)

  const rest = Object.fromEntries(Object.entries(data).filter(([name]) => !address.variables.includes(name)))
  const request = { method: address.method, path: fill(address, data), headers: { "x-correlation-id": mark } }
  if (address.kind === "form") return Result.succeed({ ...request, form: texts(rest) })
  if (address.kind === "chat")
    return Result.succeed({ ...request, body: { action: "sendMessage", sessionId: mark, ...rest } })
  return Result.succeed(
    ["GET", "HEAD", "DELETE"].includes(address.method) ? { ...request, query: texts(rest) } : { ...request, body: rest }
  )
}

const invalid = (problem: string) => Result.fail(new InvalidArgument({ argument: "data", problem }))

const isScalar = (value: unknown) => (Predicate.isString(value) && value !== "") || Predicate.isNumber(value)

/** Whether a value can be one segment of a path: engines take an encoded slash for a slash as well. */
const isSegment = (value: string) => !value.includes("/") && value !== "." && value !== ".."

const fill = ({ path, variables }: Address, data: JsonObject): string =>
  variables.reduce(
    (filled, name) => filled.replace(`/:${encodeURIComponent(name)}`, `/${encodeURIComponent(String(data[name]))}`),
    path
  )

/** A query and a form hold texts only; anything else goes as JSON. */
const texts = (data: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Predicate.isString(value) ? value : JSON.stringify(value)])
  )

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
  const labels = fields.map((field) => labelsOf(field)[0] ?? "").join(", ")
  return Result.fail(
    new InvalidArgument({
      argument: "data",
      problem: `the form ${form} has no field ${stray.given}. Its fields: ${labels}`
    })
  )
}

const fieldsOf = (node: JsonObject | undefined): ReadonlyArray<unknown> =>
  listOf(objectOf(objectOf(node?.parameters).formFields).values)

const placeOf = (fields: ReadonlyArray<unknown>, given: string): number =>
  fields.findIndex((field, place) => labelsOf(field).includes(given) || given === `field-${place}`)

/** The names of a form's field: its label, and in newer forms its name. */
const labelsOf = (field: unknown): ReadonlyArray<string> =>
  [
    Predicate.hasProperty(field, "fieldLabel") ? field.fieldLabel : undefined,
    Predicate.hasProperty(field, "fieldName") ? field.fieldName : undefined
  ].filter(Predicate.isString)
