import { Predicate, Result } from "effect"

import { isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { mergePatch } from "../../workflow/valuePaths.ts"
import { type Apply, withWorkflow } from "./Draft.ts"

export const settings: Apply<"settings"> = (draft, { parameters }) => {
  const merged = mergePatch(draft.workflow.settings ?? {}, parameters)
  return Result.succeed(isJsonObject(merged) ? withWorkflow(draft, { settings: merged }) : draft)
}

const asList = (value: ReadonlyArray<string> | string): ReadonlyArray<string> =>
  (Predicate.isString(value) ? [value] : value).map((name) => name.trim())

/** Longest name of a tag that engines take. */
const longest = 24

export const tag: Apply<"tag"> = (draft, { create = false, value }, lookups) =>
  Result.gen(function* () {
    const known = lookups.tags.map(({ name }) => name)
    for (const name of asList(value)) {
      if (name === "" || Array.from(name).length > longest) {
        return yield* Result.fail(`a tag has 1 to ${longest} characters: ${JSON.stringify(name)}`)
      }
      if (create || known.includes(name) || draft.tags.includes(name)) continue
      const guess = nearest(name, known)
      const hint = guess === undefined ? "" : ` Did you mean ${guess}?`
      return yield* Result.fail(`there is no tag ${JSON.stringify(name)}.${hint} create: true makes it`)
    }
    return { ...draft, tags: [...new Set([...draft.tags, ...asList(value)])] }
  })

export const untag: Apply<"untag"> = (draft, { value }) =>
  Result.gen(function* () {
    const names = asList(value)
    const stranger = names.find((name) => !draft.tags.includes(name))
    if (stranger !== undefined) {
      const own = draft.tags.length === 0 ? "It has no tags" : `Its tags: ${draft.tags.join(", ")}`
      return yield* Result.fail(`the workflow has no tag ${JSON.stringify(stranger)}. ${own}`)
    }
    return { ...draft, tags: draft.tags.filter((name) => !names.includes(name)) }
  })
