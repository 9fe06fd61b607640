import { parse } from "acorn"
import { Predicate } from "effect"
import { transformSync } from "rolldown/utils"

/** A regular expression in the sources; without a source if the program puts it together. */
export interface Pattern {
  readonly source?: string
  readonly flags: string
}

/** Every regular expression of a module. */
export const patternsIn = (code: string, loader: "ts" | "tsx"): ReadonlyArray<Pattern> => {
  const { code: script } = transformSync(`module.${loader}`, code, { target: "esnext", jsx: { runtime: "automatic" } })
  const patterns: Array<Pattern> = []
  const open: Array<unknown> = [parse(script, { ecmaVersion: "latest", sourceType: "module" })]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!Predicate.isObjectOrArray(node)) continue
    if (Predicate.hasProperty(node, "regex") && Predicate.isObject(node.regex)) {
      const { flags, pattern } = node.regex as Record<string, unknown>
      patterns.push({ source: String(pattern), flags: String(flags) })
    }
    const callee: unknown = Predicate.hasProperty(node, "callee") ? node.callee : undefined
    if (Predicate.hasProperty(callee, "name") && callee.name === "RegExp") patterns.push({ flags: "" })
    open.push(...Object.values(node).filter((value) => value !== null && value !== undefined))
  }
  return patterns
}
