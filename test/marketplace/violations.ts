import { Predicate } from "effect"
import * as fc from "fast-check"

import { ajv } from "./frontDoor.ts"

type Shape = Readonly<Record<string, unknown>>
type At = ReadonlyArray<number | string>

/** A place in a body, the shape that holds there, and whether it may be left out. */
interface Place {
  readonly at: At
  readonly shape: Shape
  readonly required: boolean
}

const isShape = (value: unknown): value is Shape => Predicate.isObject(value)

/** Every place that a shape speaks of, the first of every list standing for all. */
const placesIn = (shape: Shape, at: At = [], required = true): ReadonlyArray<Place> => {
  const { items, properties = {}, required: needed = [] } = shape
  const fields = Object.entries(isShape(properties) ? properties : {}).flatMap(([name, inner]) =>
    isShape(inner) ? placesIn(inner, [...at, name], Array.isArray(needed) && needed.includes(name)) : []
  )
  return [{ at, shape, required }, ...fields, ...(isShape(items) ? placesIn(items, [...at, 0]) : [])]
}

const nothing = Symbol("nothing")

/** A body with something else at one place; with nothing there the field is left out. */
const withAt = (body: unknown, [step, ...rest]: At, value: unknown): unknown => {
  if (step === undefined) return value
  if (Array.isArray(body)) return body.map((item, index) => (index === step ? withAt(item, rest, value) : item))
  if (!isShape(body)) return body
  const { [step]: inner, ...others } = body
  return rest.length === 0 && value === nothing ? others : { ...others, [step]: withAt(inner, rest, value) }
}

const at = (body: unknown, path: At): unknown =>
  path.reduce<unknown>((inner, step) => (Predicate.hasProperty(inner, step) ? inner[step] : undefined), body)

const longer = (list: unknown, max: unknown): ReadonlyArray<unknown> =>
  Array.from({ length: Number(max) + 1 }, () => (Array.isArray(list) ? list[0] : undefined))

const strays = ["", "today", "2026-02-30", "1", 0.5, 0, -1, null, true, [], {}, [null], { a: 1 }]

/** Bodies that break a shape at one place: a field left out or too many, another type, a value or a length past its bounds. */
export const violationsOf = (shape: Shape, body: unknown): fc.Arbitrary<unknown> => {
  const broken = placesIn(shape).map(({ at: path, required, shape: inner }) => {
    const fits = ajv.compile(inner)
    const strange = fc.oneof(fc.constantFrom<unknown>(...strays), fc.jsonValue()).filter((value) => !fits(value))
    const { additionalProperties, maxItems, minItems } = inner
    const whole = at(body, path)
    const others = [
      ...(required && typeof path.at(-1) === "string" ? [nothing] : []),
      ...(additionalProperties === false && isShape(whole) ? [{ ...whole, unheard_of: 1 }] : []),
      ...(maxItems === undefined ? [] : [longer(whole, maxItems)]),
      ...(minItems === undefined ? [] : [[]])
    ]
    const values = others.length === 0 ? strange : fc.oneof(strange, fc.constantFrom<unknown>(...others))
    return values.map((value) => withAt(body, path, value))
  })
  return fc.oneof(...broken).filter((value) => !ajv.validate(shape, value))
}
