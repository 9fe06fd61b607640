import { Result } from "effect"

/** An expression of the engine's language, as far as this engine supports it. */
export type Expression =
  | { readonly _tag: "value"; readonly value: unknown }
  | { readonly _tag: "name"; readonly name: string }
  | { readonly _tag: "member"; readonly of: Expression; readonly key: Expression; readonly isOptional: boolean }
  | { readonly _tag: "call"; readonly of: Expression; readonly given: ReadonlyArray<Expression> }
  | { readonly _tag: "array"; readonly items: ReadonlyArray<Expression> }
  | { readonly _tag: "object"; readonly entries: ReadonlyArray<readonly [string, Expression]> }
  | { readonly _tag: "unary"; readonly operator: string; readonly operand: Expression }
  | { readonly _tag: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | {
      readonly _tag: "choice"
      readonly test: Expression
      readonly yes: Expression
      readonly no: Expression
    }

type Parsed<A> = Result.Result<A, string>

const token =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([A-Za-z_$][\w$]*)|(===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|[-+*/%!<>()[\]{}.,:?]))/y

interface Token {
  readonly kind: "name" | "number" | "symbol" | "text"
  readonly text: string
}

const strength: Readonly<Record<string, number>> = {
  "??": 1,
  "||": 2,
  "&&": 3,
  "==": 4,
  "!=": 4,
  "===": 4,
  "!==": 4,
  "<": 5,
  ">": 5,
  "<=": 5,
  ">=": 5,
  "+": 6,
  "-": 6,
  "*": 7,
  "/": 7,
  "%": 7
}

const constants: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, undefined }

/** Tokens of an expression, and brackets and operators within each other: more would take the stack of who evaluates it. */
const maxTokens = 1500
const maxDepth = 60

/** Parses paths, literals, operators and calls. Anything else is a failure that quotes the place. */
export const parse = (source: string): Parsed<Expression> =>
  Result.flatMap(tokenize(source), (tokens) => {
    let at = 0
    let depth = 0
    /** Parses something that may hold another of its kind. */
    const inside = (read: () => Parsed<Expression>): Parsed<Expression> => {
      depth += 1
      const expression = depth > maxDepth ? Result.fail("it is nested too deeply") : read()
      depth -= 1
      return expression
    }
    const peek = () => tokens[at]?.text ?? ""
    const isNext = (symbol: string) => tokens[at]?.kind === "symbol" && peek() === symbol
    const take = (symbol: string): boolean => {
      const isTaken = isNext(symbol)
      at += isTaken ? 1 : 0
      return isTaken
    }
    const unexpected = () => Result.fail(at < tokens.length ? `unexpected "${peek()}"` : "unexpected end")
    const demand = (symbol: string): Parsed<true> => (take(symbol) ? Result.succeed(true) : unexpected())

    const whole = (): Parsed<Expression> => inside(choice)
    const choice = (): Parsed<Expression> =>
      Result.gen(function* () {
        const test = yield* binary(1)
        if (!take("?")) return test
        const yes = yield* whole()
        yield* demand(":")
        return { _tag: "choice", test, yes, no: yield* whole() } as const
      })

    const binary = (weakest: number): Parsed<Expression> =>
      Result.gen(function* () {
        let left = yield* unary()
        for (let power = powerOfNext(); power >= weakest; power = powerOfNext()) {
          const operator = peek()
          at += 1
          left = { _tag: "binary", operator, left, right: yield* binary(power + 1) }
        }
        return left
      })
    const powerOfNext = () => (tokens[at]?.kind === "symbol" ? (strength[peek()] ?? 0) : 0)

    const unary = (): Parsed<Expression> => {
      const operator = isNext("!") || isNext("-") ? peek() : undefined
      if (operator === undefined) return Result.flatMap(primary(), suffixes)
      at += 1
      return Result.map(inside(unary), (operand) => ({ _tag: "unary", operator, operand }))
    }

    const suffixes = (start: Expression): Parsed<Expression> =>
      Result.gen(function* () {
        let of = start
        /** Whatever follows `?.` in one chain is left out together with it. */
        let isOptional = false
        for (;;) {
          const isNextOptional = isNext("?.")
          if (take(".") || take("?.")) {
            isOptional ||= isNextOptional
            if (tokens[at]?.kind !== "name") return yield* unexpected()
            of = { _tag: "member", of, key: { _tag: "value", value: peek() }, isOptional }
            at += 1
          } else if (take("[")) {
            of = { _tag: "member", of, key: yield* whole(), isOptional }
            yield* demand("]")
          } else if (take("(")) of = { _tag: "call", of, given: yield* list(")", whole) }
          else return of
        }
      })

    const list = <A>(end: string, item: () => Parsed<A>): Parsed<ReadonlyArray<A>> =>
      Result.gen(function* () {
        const items: Array<A> = []
        while (!take(end)) {
          if (items.length > 0) yield* demand(",")
          if (take(end)) return items
          items.push(yield* item())
        }
        return items
      })

    const entry = (): Parsed<readonly [string, Expression]> =>
      Result.gen(function* () {
        const key = tokens[at]
        if (key === undefined || key.kind === "symbol") return yield* unexpected()
        at += 1
        const name = key.kind === "text" ? unquote(key.text) : key.text
        if (key.kind === "name" && (isNext(",") || isNext("}"))) return [name, { _tag: "name", name }] as const
        yield* demand(":")
        return [name, yield* whole()] as const
      })

    const primary = (): Parsed<Expression> => {
      if (take("(")) return Result.flatMap(whole(), (inner) => Result.map(demand(")"), () => inner))
      if (take("[")) return Result.map(list("]", whole), (items) => ({ _tag: "array", items }))
      if (take("{")) return Result.map(list("}", entry), (entries) => ({ _tag: "object", entries }))
      const next = tokens[at]
      if (next === undefined || next.kind === "symbol") return unexpected()
      at += 1
      if (next.kind === "number") return Result.succeed({ _tag: "value", value: Number(next.text) })
      if (next.kind === "text") return Result.succeed({ _tag: "value", value: unquote(next.text) })
      return Result.succeed(
        Object.hasOwn(constants, next.text)
          ? { _tag: "value", value: constants[next.text] }
          : { _tag: "name", name: next.text }
      )
    }

    return Result.flatMap(whole(), (expression) => (at === tokens.length ? Result.succeed(expression) : unexpected()))
  })

const tokenize = (source: string): Parsed<ReadonlyArray<Token>> => {
  const tokens: Array<Token> = []
  const text = source.trimEnd()
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    if (tokens.length > maxTokens) return Result.fail(`more than ${maxTokens} words and signs`)
    const place = token.lastIndex
    const [, number, quoted, name, symbol] = token.exec(text) ?? []
    if (number !== undefined) tokens.push({ kind: "number", text: number })
    else if (quoted !== undefined) tokens.push({ kind: "text", text: quoted })
    else if (name !== undefined) tokens.push({ kind: "name", text: name })
    else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol })
    else return Result.fail(`unexpected "${text.slice(place).trimStart().slice(0, 20)}"`)
  }
  return Result.succeed(tokens)
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }

const unquote = (text: string): string =>
  text
    .slice(1, -1)
    .replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_, code: string | undefined, character: string) =>
      code === undefined ? (escapes[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16))
    )
