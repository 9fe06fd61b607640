import { Predicate, Result } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { withoutEnd } from "../../internal/texts.ts"
import { type Parse, type Source, sourcesOf, splitExpression } from "../nodes/check/javaScript.ts"
import { type FreeReference, freeReferences } from "./freeReferences.ts"

/** A reference in a parameter of a node, and its line where that holds a program. */
export interface Reference extends FreeReference {
  readonly field: string
  readonly isProgram: boolean
  readonly line?: number
}

/** Code that could not be read, and why. */
export interface UnreadCode {
  readonly field: string
  readonly why: string
}

/** The free references in expressions and code of a node, and what of it could not be parsed. */
export interface NodeCode {
  readonly references: ReadonlyArray<Reference>
  readonly unread: ReadonlyArray<UnreadCode>
}

/** Reads the code of a node in which one of these names may stand; other code is not parsed. */
export type Code = (node: JsonObject) => NodeCode

/** The names that rules look for. An escape may stand for any of them. */
const sought = /\$env|process|\$evaluateExpression|\$getPairedItem|\\u/

/** Whether a name that rules look for may stand in a text of a value. */
const holdsName = (value: unknown): boolean =>
  Predicate.isString(value)
    ? sought.test(value)
    : Predicate.isObjectOrArray(value) && Object.values(value).some(holdsName)

const noCode: NodeCode = { references: [], unread: [] }

/** Reads the code of each node once. */
export const codeReader = (parse: Parse): Code => {
  const read = new WeakMap<JsonObject, NodeCode>()
  return (node) => {
    const former = read.get(node)
    if (former !== undefined) return former
    const parts = (holdsName(node.parameters) ? sourcesOf(node) : [])
      .filter(({ text }) => sought.test(text))
      .flatMap((source) => (source.isProgram ? [readProgram(parse, source)] : readExpressions(parse, source)))
    const code =
      parts.length === 0
        ? noCode
        : { references: parts.flatMap((one) => one.references), unread: parts.flatMap((one) => one.unread) }
    read.set(node, code)
    return code
  }
}

const readProgram = (parse: Parse, { path, text }: Source): NodeCode =>
  Result.match(parse(text), {
    onFailure: ({ why }) => ({ references: [], unread: [{ field: path, why }] }),
    onSuccess: (tree) => ({
      references: freeReferences(tree).map((one) => ({
        ...one,
        field: path,
        isProgram: true,
        line: text.slice(0, one.start).split("\n").length
      })),
      unread: []
    })
  })

/** The code between braces; what is never closed is plain text. */
const readExpressions = (parse: Parse, { path, text }: Source): ReadonlyArray<NodeCode> =>
  splitExpression(text)
    .filter(({ isClosed, isCode, text: code }) => isCode && isClosed && sought.test(code))
    .map(({ text: code }) =>
      Result.match(parse(`(${withoutEnd(code.trim(), ";")}\n)`), {
        onFailure: ({ why }) => ({ references: [], unread: [{ field: path, why }] }),
        onSuccess: (tree) => ({
          references: freeReferences(tree).map((one) => ({ ...one, field: path, isProgram: false })),
          unread: []
        })
      })
    )
