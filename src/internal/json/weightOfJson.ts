import { Predicate } from "effect"

/** Characters of texts, and what any other value counts as, that take as long to work on as a node of a workflow does. */
const characters = 1000
const ofValue = 40

const charactersOf = (value: unknown): number => {
  if (Predicate.isString(value)) return ofValue + value.length
  if (!Predicate.isObjectOrArray(value)) return ofValue
  let sum = ofValue
  for (const item of Object.values(value)) sum += charactersOf(item)
  return sum
}

/** How long it takes to work on a JSON value, in slices of work: about 1 for a node of a workflow. */
export const weightOfJson = (value: unknown): number => charactersOf(value) / characters
