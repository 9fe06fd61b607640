import { Result } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { mapTextsApart } from "../../internal/secrets/maskSecrets.ts"
import { type Growth, replaceTexts } from "../../internal/texts.ts"
import { toEngineType } from "../workflow/naming.ts"
import { isStickyNote } from "../workflow/placing.ts"
import { kindOf } from "../workflow/triggers.ts"
import { parsePath, type Path, withoutFormerNames } from "../workflow/valuePaths.ts"

/** The places in which texts are replaced: by default in all parameters, and in no notes. */
export interface Scope {
  /** The type of nodes, with its package or without. */
  readonly nodeType?: string | undefined
  /** Names of fields, or paths as answers show them. */
  readonly field?: string | ReadonlyArray<string> | undefined
  /** Whether also in notes: those of nodes, and sticky notes. */
  readonly notes?: boolean | undefined
}

/** Texts and what stands for each of them, in place of whole values or of parts of them. */
export interface Replacement {
  readonly texts: ReadonlyMap<string, string>
  readonly match: "part" | "whole"
  readonly scope: Scope
}

/** A node after a replacement, and the texts in it that hold what is looked for and stay as they are. */
export interface Replaced<Node> {
  readonly node: Node
  readonly stays: ReadonlyArray<string>
}

/** Changes of what is not replaced: of what callers may see, and of secrets. By default it stays. */
interface Otherwise {
  readonly otherwise?: (text: string) => string
  readonly hidden?: (text: string) => string
}

const same = (text: string) => text

/**
 * Replaces texts in nodes. A value that is not shown to callers stays, unless `hidden` changes it, and nothing is told of what it
 * holds. A whole value may be one that is written as an expression without any (`=#alerts`).
 */
export const replacingIn = (
  { match, scope, texts }: Replacement,
  { hidden = same, otherwise = same }: Otherwise = {}
): (<Node extends JsonObject>(node: Node, growth: Growth) => Replaced<Node>) => {
  const sought = [...texts.keys()]
  const isField = fieldTest(scope.field)
  const isType = typeTest(scope.nodeType)
  return (node, growth) => {
    const stays: Array<string> = []
    const replaceParts = replaceTexts(texts, growth)
    const isIn = isType(node)
    const changing =
      (isNote: boolean) =>
      (text: string, { isWhole, path }: { isWhole: boolean; path: Path }) => {
        const holding = sought.find((one) => text.includes(one))
        if (holding === undefined) return otherwise(text)
        const isMeant = isIn && (isNote ? scope.notes === true : isField(path))
        if (isMeant && match === "part") return replaceParts(text)
        const whole = isMeant && isWhole ? wholeFor(texts, text) : undefined
        if (whole !== undefined) return growth.take(whole.length - text.length) ? whole : text
        stays.push(around(text, holding))
        return otherwise(text)
      }
    const changed = (value: unknown, isNote: boolean) => mapTextsApart(value, changing(isNote), hidden)
    const { notes, parameters } = node
    return {
      node: {
        ...node,
        ...(parameters === undefined
          ? {}
          : { parameters: withoutFormerNames(parameters, changed(parameters, isStickyNote(node))) }),
        ...(typeof notes === "string" ? { notes: changed(notes, true) } : {})
      },
      stays
    }
  }
}

/** The text in place of a whole one, if it is one of those that are replaced. */
const wholeFor = (texts: ReadonlyMap<string, string>, text: string): string | undefined => {
  const plain = texts.get(text)
  if (plain !== undefined || !text.startsWith("=")) return plain
  const expressed = texts.get(text.slice(1))
  return expressed === undefined ? undefined : `=${expressed}`
}

/** Whether a place is one of the fields that are given by name or path; a path without numbers means every item. */
const fieldTest = (field: Scope["field"]): ((path: Path) => boolean) => {
  if (field === undefined) return () => true
  const all = (typeof field === "string" ? [field] : field).map((text): Path => {
    const path = Result.getOrElse(parsePath(text), (): Path => [text])
    return path[0] === "parameters" && path.length > 1 ? path.slice(1) : path
  })
  return (path) =>
    all.some((wanted) => {
      const steps = wanted.some((step) => typeof step === "number")
        ? path
        : path.filter((step) => typeof step === "string")
      return steps.some((_, from) => wanted.every((step, index) => steps[from + index] === step))
    })
}

const typeTest = (nodeType: string | undefined): ((node: JsonObject) => boolean) => {
  if (nodeType === undefined) return () => true
  const whole = toEngineType(nodeType).toLowerCase()
  const kind = nodeType.toLowerCase()
  return (node) =>
    (typeof node["type"] === "string" && toEngineType(node["type"]).toLowerCase() === whole) ||
    (!kind.includes(".") && kindOf(node).toLowerCase() === kind)
}

/** Characters of a text that is told to hold something. */
const room = 60

/** A text, or of a long one the part around what it holds. */
const around = (text: string, held: string): string => {
  if (text.length <= room) return text
  const from = Math.max(0, text.indexOf(held) - Math.max(0, Math.floor((room - held.length) / 2)))
  return `${from > 0 ? "…" : ""}${text.slice(from, from + room)}${from + room < text.length ? "…" : ""}`
}

/** Whether a text stands anywhere in the parameters or notes of a node: most hold nothing of it, and to look for secrets takes far longer. */
export const holdsText = ({ notes, parameters }: JsonObject, text: string): boolean =>
  holds(parameters, text) || holds(notes, text)

const holds = (value: unknown, text: string, depth = 0): boolean => {
  if (typeof value === "string") return value.includes(text)
  if (typeof value !== "object" || value === null || depth > maxDepth) return false
  return Object.values(value).some((inner) => holds(inner, text, depth + 1))
}

/** Nothing deeper is changed either. */
const maxDepth = 60

/** The number of times that each text stays as it is, the most frequent first. */
export const counted = (texts: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return new Map([...counts].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)))
}
