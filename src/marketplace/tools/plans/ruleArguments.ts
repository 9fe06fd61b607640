import { Effect, Schema } from "effect"

import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { MarketplaceConfig } from "../../client/MarketplaceConfig.ts"
import { Rule, RuleAction, ruleProblem } from "../../client/Rule.ts"
import type { NamedRule } from "../../plan/judging.ts"
import { notEmpty, numberOrText } from "../parameters.ts"
import { conditionsIn } from "../reportLines.ts"

/* Rules as callers give them, or name them in the configuration. */

/** Rules of one plan: more could not be looked through by a person. */
const mostRules = 20

const evidence = { type: "object", description: "Evidence: spent (rubles), clicks or days" }

const positive = numberOrText(Schema.Finite.check(Schema.isGreaterThan(0, { message: "must be above 0" })))

export const rules = Schema.Array(
  Schema.Struct({
    ...Rule.fields,
    at_least: Schema.Struct({
      spent: Schema.optionalKey(positive),
      clicks: Schema.optionalKey(positive),
      days: Schema.optionalKey(positive)
    }),
    percent: Schema.optionalKey(numberOrText(Schema.Finite)),
    target_drr: Schema.optionalKey(positive)
  })
)
  .check(notEmpty, Schema.isMaxLength(mostRules, { message: `must be at most ${mostRules} rules` }))
  .annotate({
    inputSchema: {
      type: "array",
      description: "The first about a place counts",
      items: {
        type: "object",
        properties: {
          name: { type: "string", description: "Its name" },
          when: {
            type: "array",
            items: { type: "string" },
            description: "Like where of ads_report"
          },
          at_least: evidence,
          do: {
            type: "string",
            enum: RuleAction.literals,
            description: "exclude makes a minus-phrase"
          },
          percent: { type: "number", description: "Of a bid: -20" },
          target_drr: { type: "number", description: "Or towards this ДРР" },
          level: { type: "string", enum: ["campaign", "article"], description: "Default campaign" },
          may_raise: { type: "boolean", description: "Else no bid rises" }
        },
        required: ["when", "at_least", "do"]
      }
    }
  })

export const invalid = (argument: string, problem: string) => new InvalidArgument({ argument, problem })

/** The rules of a call, and those of the configuration that it names, with their conditions read. */
export const rulesIn = Effect.fnUntraced(function* (given: ReadonlyArray<Rule>, names: ReadonlyArray<string>) {
  const configured = (yield* MarketplaceConfig).rules
  const all: Array<{ readonly at: string; readonly rule: Rule; readonly name: string }> = given.map((rule, index) => ({
    at: `rules.${index}`,
    rule,
    name: rule.name ?? String(index + 1)
  }))
  for (const [index, name] of names.entries()) {
    const some = Object.hasOwn(configured, name) ? configured[name] : undefined
    if (some === undefined) {
      const others = Object.keys(configured)
      const choices = others.length === 0 ? "there are none in marketplace.rules" : `there are ${others.join(", ")}`
      return yield* invalid(`named.${index}`, `must be the name of rules in the configuration; ${choices}`)
    }
    all.push(
      ...some.map((rule, at) => ({
        at: `named.${index}`,
        rule,
        name: rule.name ?? (some.length === 1 ? name : `${name} ${at + 1}`)
      }))
    )
  }
  if (all.length === 0) return yield* invalid("rules", "must be given, or named")
  const twice = all.find(({ name }, index) => all.findIndex((one) => one.name === name) < index)
  if (twice !== undefined) return yield* invalid(`${twice.at}.name`, `must not be that of another rule: ${twice.name}`)
  return yield* Effect.forEach(all, ({ at, name, rule }) =>
    Effect.gen(function* () {
      const problem = ruleProblem(rule)
      if (problem !== undefined) return yield* invalid(`${at}.${problem[0]}`, problem[1])
      const named: NamedRule = { ...rule, name, conditions: yield* conditionsIn(`${at}.when`, rule.when) }
      return named
    })
  )
})
