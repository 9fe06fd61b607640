import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import { type Finding, quoted } from "./Finding.ts"

/** Kinds that evaluate or display braces themselves. */
const computing = new Set([
  "code",
  "stickyNote",
  "function",
  "functionItem",
  "aiTransform",
  "html",
  "htmlExtract",
  "toolCode"
])

/** Parameters with code, queries and pages, in some of which nodes evaluate braces. */
const written = new Set([
  "html",
  "css",
  "customCss",
  "jsCode",
  "functionCode",
  "pythonCode",
  "code",
  "query",
  "sqlQuery",
  "workflowJson",
  "responseFormCustomCss"
])

const variable =
  /\$(?:json|node|input|item|items|now|today|workflow|execution|env|vars|itemIndex|runIndex|prevNode|binary|jmespath|fromAI)\b|\$\(/
const braces = /\{\{([^{}]{1,200})/g
const first = /^=\s*(\$\w*\(?)/

/** Whether braces hold something that only expressions have. */
const isInBraces = (text: string): boolean =>
  text.includes("{{") && [...text.matchAll(braces)].some(([, inside = ""]) => variable.test(inside))

const isWithoutBraces = (text: string): boolean => !text.includes("{{") && variable.test(first.exec(text)?.[1] ?? "")

/** Texts that look like expressions but are not: without `=` at the beginning, or without braces after it. */
export const checkTexts = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<Finding> =>
  nodes
    .filter((node) => isEnabled(node) && !computing.has(kindOf(node)))
    .flatMap((node) => {
      const findings: Array<Finding> = []
      const walk = (value: unknown, path: string) => {
        if (Predicate.isString(value)) {
          const problem = problemOf(value)
          if (problem !== undefined) findings.push({ level: "warning", node: nameOf(node), field: path, ...problem })
        } else if (Array.isArray(value)) value.forEach((one, index) => walk(one, `${path}[${index}]`))
        else if (isJsonObject(value)) {
          for (const [key, one] of Object.entries(value)) if (!written.has(key)) walk(one, `${path}.${key}`)
        }
      }
      walk(node.parameters, "parameters")
      return findings
    })

const problemOf = (text: string): Pick<Finding, "problem" | "fix"> | undefined => {
  if (!text.startsWith("=")) {
    return isInBraces(text)
      ? { problem: `is text as it stands, not an expression: ${quoted(text)}`, fix: 'Put "=" in front of it' }
      : undefined
  }
  return isWithoutBraces(text)
    ? { problem: `is text as it stands: ${quoted(text)}`, fix: "Put {{ }} around what is to be computed" }
    : undefined
}
