import { compareVersions, numbersOf } from "../workflow/releases.ts"
import type { Facts, Finding, Rule, RuleId, Severity, Subject } from "./Rule.ts"
import { ruleIds } from "./Rule.ts"
import type { Definition } from "./rules/defining.ts"
import { flow } from "./rules/flow.ts"
import { toVersion2 } from "./rules/toVersion2.ts"
import { ai, code, files, triggers } from "./rules/toVersion3.ts"

const definitions: Readonly<Record<RuleId, Definition>> = {
  ...toVersion2,
  ...code,
  ...triggers,
  ...files,
  ...flow,
  ...ai
}

/** All rules, in the order of the versions that they are about. */
export const rules: ReadonlyArray<Rule> = ruleIds.map((id) => {
  const definition = definitions[id]
  return {
    ...definition,
    id,
    find: (workflow, facts) => definition.find(workflow, facts).map((finding) => ({ ...finding, rule: id }))
  }
})

const rulesById: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

/** The rule of an id; undefined where a finding comes from comparing node types. */
export const ruleOf = (id: string): Rule | undefined => rulesById.get(id)

/** The newest version that the rules know. */
export const newestVersion = "3.0"

/** Whether a version is newer than the last one that the rules know. */
export const isBeyondRules = (version: string): boolean => {
  const [major = 0, minor = 0] = numbersOf(version)
  return compareVersions(`${major}.${minor}`, newestVersion) > 0
}

/** The way from the version of an instance, undefined where it does not tell it, to another. */
export interface Way {
  readonly from: string | undefined
  readonly to: string
}

/** Whether an upgrade makes the change of a rule, only freezes the nodes that it is about, or neither. */
export const stageOf = ({ frozen, since, until }: Rule, { from, to }: Way): "changed" | "frozen" | undefined => {
  if (compareVersions(since, to) <= 0) {
    return from !== undefined && until !== undefined && compareVersions(from, until) >= 0 ? undefined : "changed"
  }
  return frozen !== undefined && compareVersions(frozen, to) <= 0 ? "frozen" : undefined
}

const frozenWords = "It runs, but can be neither created, copied nor changed any more"

/** The rules that tell of something on the way of an instance. */
export const rulesOn = (way: Way, isMeant: (rule: Rule) => boolean = () => true): ReadonlyArray<Rule> =>
  rules.flatMap((rule): ReadonlyArray<Rule> => {
    const stage = isMeant(rule) ? stageOf(rule, way) : undefined
    if (stage !== "frozen") return stage === undefined ? [] : [rule]
    const find: Rule["find"] = (workflow, facts) =>
      rule.find(workflow, facts).map((one) => ({ ...one, severity: "cosmetic", message: frozenWords }))
    return [{ ...rule, find }]
  })

/** All that rules find in a workflow. */
export const findingsIn = (workflow: Subject, facts: Facts, all: ReadonlyArray<Rule>): ReadonlyArray<Finding> =>
  all.flatMap(({ find }) => find(workflow, facts))

/** The effect of a finding. */
export const severityOf = ({ rule, severity }: { readonly rule: string; readonly severity?: Severity }): Severity =>
  severity ?? ruleOf(rule)?.severity ?? "cosmetic"
