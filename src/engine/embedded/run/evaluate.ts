import { Effect, Option, Predicate, Result, Schema } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { sha256 } from "../../../internal/sha256.ts"
import { Thrown } from "../store/records.ts"
import { entryOf, textOf } from "../store/values.ts"
import { type Expression, parse } from "./Expression.ts"

/** A function that expressions can call; JavaScript's own functions are out of their reach. */
export class Callable {
  readonly call: (given: ReadonlyArray<unknown>) => unknown
  constructor(call: (given: ReadonlyArray<unknown>) => unknown) {
    this.call = call
  }
}

/** The names an expression can use. */
export type Scope = Readonly<Record<string, unknown>>

/** The reason why an expression has no value; errors that JavaScript would throw have its messages. */
interface EvaluationError {
  readonly text: string
  readonly isTypeError?: boolean
}

type Value = Result.Result<unknown, EvaluationError>

/** The value of an expression, or why it has none. */
export const evaluate = (expression: Expression, scope: Scope): Value => {
  const of = (part: Expression) => evaluate(part, scope)
  switch (expression._tag) {
    case "value":
      return Result.succeed(expression.value)
    case "name":
      return Object.hasOwn(scope, expression.name)
        ? Result.succeed(scope[expression.name])
        : Result.fail({ text: `${expression.name} is not known here` })
    case "array":
      return Result.all(expression.items.map(of))
    case "object":
      return Result.map(Result.all(expression.entries.map(([, part]) => of(part))), (values) =>
        Object.fromEntries(expression.entries.map(([key], index) => [key, values[index]]))
      )
    case "member":
      return Result.gen(function* () {
        const owner = yield* of(expression.of)
        const key = yield* of(expression.key)
        if (Predicate.isNullish(owner) && !expression.isOptional) return yield* Result.fail(unreadable(owner, key))
        return member(owner, key)
      })
    case "call":
      return Result.gen(function* () {
        const callee = yield* of(expression.of)
        const given = yield* Result.all(expression.given.map(of))
        return callee instanceof Callable ? callee.call(given) : yield* Result.fail(uncallable(expression.of, of))
      })
    case "unary":
      return Result.map(of(expression.operand), (value) => (expression.operator === "!" ? !value : -Number(value)))
    case "choice":
      return Result.flatMap(of(expression.test), (test) => of(test ? expression.yes : expression.no))
    default:
      return Result.flatMap(of(expression.left), (left) => {
        const decided = shortcuts[expression.operator]?.(left) === true
        return decided ? Result.succeed(left) : Result.map(of(expression.right), combine(expression.operator, left))
      })
  }
}

/** The error for a call of something that is not a function, such as a missing method. */
const uncallable = (callee: Expression, of: (part: Expression) => Value): EvaluationError => {
  const owner = callee._tag === "member" ? Result.getOrUndefined(of(callee.of)) : "there"
  const key = callee._tag === "member" ? Result.getOrUndefined(of(callee.key)) : ""
  return owner === undefined || owner === null ? unreadable(owner, key) : { text: "this cannot be called here" }
}

const unreadable = (owner: null | undefined, key: unknown): EvaluationError => ({
  text: `Cannot read properties of ${String(owner)} (reading '${String(key)}')`,
  isTypeError: true
})

/** When the left side alone is the result. */
const shortcuts: Readonly<Record<string, (left: unknown) => boolean>> = {
  "||": (left) => Boolean(left),
  "&&": (left) => !left,
  "??": (left) => left !== null && left !== undefined
}

const member = (value: unknown, key: unknown): unknown => {
  const name = String(key)
  if (Predicate.isString(value)) return name === "length" ? value.length : entryOf(textMethods, name)?.(value)
  if (Array.isArray(value)) {
    if (name === "length") return value.length
    return entryOf(listMethods, name)?.(value) ?? value[Number(name)]
  }
  return Predicate.isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

const textMethods: Readonly<Record<string, (text: string) => Callable>> = {
  toUpperCase: (text) => new Callable(() => text.toUpperCase()),
  toLowerCase: (text) => new Callable(() => text.toLowerCase()),
  trim: (text) => new Callable(() => text.trim()),
  includes: (text) => new Callable(([part]) => text.includes(String(part))),
  hash: (text) => new Callable(([algorithm]) => (algorithm === "sha256" ? sha256(text) : undefined)),
  split: (text) => new Callable(([separator]) => text.split(textOf(separator)))
}

const listMethods: Readonly<Record<string, (list: ReadonlyArray<unknown>) => Callable>> = {
  includes: (list) => new Callable(([item]) => list.includes(item)),
  join: (list) => new Callable(([separator]) => list.join(separator === undefined ? "," : textOf(separator)))
}

/** Arithmetic on numbers, `+` and comparisons on texts; other operands are taken as numbers. */
const combine =
  (operator: string, left: unknown) =>
  (right: unknown): unknown => {
    if (operator in shortcuts) return right
    if (operator === "===" || operator === "==") return left === right
    if (operator === "!==" || operator === "!=") return left !== right
    if (Predicate.isString(left) && Predicate.isString(right) && operator in textual)
      return textual[operator]?.(left, right)
    if (operator === "+" && (Predicate.isString(left) || Predicate.isString(right))) return textOf(left) + textOf(right)
    return numeric[operator]?.(Number(left), Number(right))
  }

const numeric: Readonly<Record<string, (left: number, right: number) => boolean | number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right
}

const textual: Readonly<Record<string, (left: string, right: string) => boolean | string>> = {
  "+": (left, right) => left + right,
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right
}

/** A node cannot do its work; the message is what the execution shows. */
export class NodeFailure extends Schema.TaggedError<NodeFailure>()("NodeFailure", {
  message: Schema.String,
  /** For errors thrown by code: the kind of error, and the item if it runs once for each. */
  thrown: Schema.optionalKey(Thrown)
}) {}

const valueOf = (source: string, scope: Scope): Value =>
  parse(source).pipe(
    Result.mapError((text): EvaluationError => ({ text })),
    Result.flatMap((expression) => evaluate(expression, scope))
  )

const unable = (source: string, { text }: EvaluationError) =>
  new NodeFailure({ message: `The embedded engine cannot run "${source.trim()}": ${text}` })

/** Engines treat an expression that throws a type error as one without a value. */
const run = (source: string, scope: Scope): Effect.Effect<unknown, NodeFailure> => {
  const value = valueOf(source, scope)
  if (Result.isSuccess(value)) return Effect.succeed(value.success)
  return value.failure.isTypeError === true ? Effect.succeed(undefined) : Effect.fail(unable(source, value.failure))
}

/** A parameter with its expressions evaluated, at any depth: texts that begin with `=` are templates. */
export const resolve = (value: unknown, scope: Scope): Effect.Effect<unknown, NodeFailure> => {
  if (Predicate.isString(value)) return value.startsWith("=") ? template(value.slice(1), scope) : Effect.succeed(value)
  if (Array.isArray(value)) return Effect.forEach(value, (item) => resolve(item, scope))
  if (!Predicate.isObject(value)) return Effect.succeed(value)
  return Effect.map(
    Effect.forEach(Object.entries(value), ([key, item]) =>
      Effect.map(resolve(item, scope), (done) => [key, done] as const)
    ),
    Object.fromEntries<unknown>
  )
}

/** A value as it appears in text. */
const printed = (value: unknown): string => (Predicate.isObject(value) ? "[object Object]" : textOf(value))

/** Text and expressions in turns; braces that nobody closes are text. */
const partsOf = (source: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let from = 0
  for (;;) {
    const start = source.indexOf("{{", from)
    const end = start < 0 ? -1 : source.indexOf("}}", start + 2)
    if (end < 0) return [...parts, source.slice(from)]
    parts.push(source.slice(from, start), source.slice(start + 2, end))
    from = end + 2
  }
}

/** A single expression keeps its type; several, or one with text around it, become text. */
const template = (source: string, scope: Scope): Effect.Effect<unknown, NodeFailure> => {
  const parts = partsOf(source)
  const [before, alone = "", after] = parts
  if (parts.length === 3 && before === "" && after?.trim() === "") return run(alone, scope)
  const texts = Effect.forEach(parts, (part, index) =>
    index % 2 === 0 ? Effect.succeed(part) : Effect.map(run(part, scope), printed)
  )
  return Effect.map(texts, (all) => all.join(""))
}

/** Runs the program of a code node, which may only return an expression or throw an error; with an item if it runs once for each. */
export const runCode = (code: string, scope: Scope, item?: number): Effect.Effect<unknown, NodeFailure> => {
  const trimmed = code.trim()
  const given = /^throw new Error\(("(?:[^"\\]|\\.)*")\)$/s.exec(trimmed)?.[1]
  const message = given === undefined ? undefined : Option.getOrUndefined(parseJson(given))
  if (Predicate.isString(message)) {
    const thrown = { description: "Error", line: 1, ...(item === undefined ? {} : { item }) }
    return Effect.fail(new NodeFailure({ message, thrown }))
  }
  const body = /^return\s/.test(trimmed) ? trimmed.slice("return".length).replace(/;$/, "").trim() : undefined
  if (body === undefined) {
    return Effect.fail(
      new NodeFailure({
        message: "The embedded engine runs no code but `return <expression>` and `throw new Error(<text>)`"
      })
    )
  }
  const value = valueOf(body, scope)
  if (Result.isSuccess(value)) return Effect.succeed(value.success)
  const { isTypeError, text } = value.failure
  if (isTypeError !== true) return Effect.fail(unable(body, value.failure))
  const line = code.slice(0, code.indexOf("return")).split("\n").length
  const thrown = { description: "TypeError", line, ...(item === undefined ? {} : { item }) }
  return Effect.fail(new NodeFailure({ message: text, thrown }))
}
