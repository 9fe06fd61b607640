import { Predicate } from "effect"

/** Whether a text stands anywhere in a value, names of fields among them. */
export const holdsText = (value: unknown, text: string): boolean => {
  if (Predicate.isString(value)) return value.includes(text)
  if (Array.isArray(value)) return value.some((item: unknown) => holdsText(item, text))
  return (
    Predicate.isObject(value) &&
    Object.entries(value).some(([name, item]) => name.includes(text) || holdsText(item, text))
  )
}
