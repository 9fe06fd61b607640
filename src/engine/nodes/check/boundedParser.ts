import type * as Acorn from "acorn"
import { Predicate, Result } from "effect"

/** Why there is no tree of some code. */
export interface Unreadable {
  readonly why: string
  /** Whether it is beyond the limits; else it is invalid. */
  readonly isUnparsed: boolean
}

/** Parses JavaScript, as an expression or a program. */
export type Parse = (code: string) => Result.Result<unknown, Unreadable>

/** Characters of an expression or a program; the parser takes 10 ms for as many of them, whatever they are. */
const maxLength = 50_000

/**
 * Parts of the stack that the parser's recursive methods take, and how many they may take together: a quarter of what
 * Node 20 has, so that 120 brackets or 1,900 additions are read. Where the stack is short, a regular expression that is
 * compiled there ends the whole process.
 */
const stackCosts: Readonly<Record<string, number>> = {
  parseStatement: 2,
  parseMaybeAssign: 4,
  parseExprOp: 0.5,
  parseMaybeUnary: 2,
  parseExprAtom: 2,
  parseBindingAtom: 4,
  regexp_disjunction: 4
}
const maxStack = 1000

/** Names that a program declares: the parser compares each of them with all others. */
const maxNames = 3000

/** A parser whose time and stack have limits. */
export const boundedParser = ({ Parser }: Pick<typeof Acorn, "Parser">): Parse => {
  const spent = { stack: 0, names: 0 }
  let refusal: string | undefined
  /** Puts a limit around a method, which is not among the parser's types. */
  const limit = (name: string, spend: () => string | undefined, giveBack: () => void) => {
    const method: unknown = Reflect.get(Parser.prototype, name)
    const raise: unknown = Reflect.get(Parser.prototype, "raise")
    if (!Predicate.isFunction(method) || !Predicate.isFunction(raise)) return
    Reflect.set(Bounded.prototype, name, function (this: unknown, ...given: ReadonlyArray<unknown>): unknown {
      refusal ??= spend()
      if (refusal !== undefined) Reflect.apply(raise, this, [0, refusal])
      const result: unknown = Reflect.apply(method, this, given)
      giveBack()
      return result
    })
  }
  class Bounded extends Parser {}
  for (const [name, cost] of Object.entries(stackCosts)) {
    limit(
      name,
      () => ((spent.stack += cost) > maxStack ? "it is nested too deeply" : undefined),
      () => {
        spent.stack -= cost
      }
    )
  }
  limit(
    "declareName",
    () => ((spent.names += 1) > maxNames ? `it declares more than ${maxNames} names` : undefined),
    () => {}
  )
  return (code) => {
    if (code.length > maxLength) {
      return Result.fail({ why: `it has more than ${maxLength} characters`, isUnparsed: true })
    }
    Object.assign(spent, { stack: 0, names: 0 })
    refusal = undefined
    return Result.try({
      try: () =>
        Bounded.parse(code, {
          ecmaVersion: "latest",
          allowReturnOutsideFunction: true,
          allowAwaitOutsideFunction: true
        }),
      catch: (error) =>
        refusal === undefined
          ? { why: error instanceof Error ? error.message : "it cannot be read", isUnparsed: false }
          : { why: refusal, isUnparsed: true }
    })
  }
}
