import { Predicate } from "effect"

import { atMost, type Restricts } from "../../engine/client/config/instanceRules.ts"
import { type Guards, maxItemsPerApply, type PlanSettings } from "../../engine/plans/settings.ts"
import { AnswerLimit } from "../../mcp/Tool.ts"
import type { FileFields } from "./fileFields.ts"

/** The rule for a setting of a file that merely lies in the working folder: whether it counts, which its value may decide. */
export type FolderRule = "counts" | "needs trust" | Restricts | FolderRules
interface FolderRules {
  readonly [setting: string]: FolderRule
}

/**
 * The settings of a configuration file that merely lies in the working folder, where anybody may have put it. Instances, whose
 * fields have rules of their own, and what only restricts always count; any other stops the start. Each setting has its row, so
 * that a new one does not compile without.
 */
export const folderRules = {
  environments: "counts",
  defaultEnv: "counts",
  http: "needs trust",
  readOnly: "counts",
  toolsets: "needs trust",
  tools: "needs trust",
  answerLimit: atMost(AnswerLimit.defaultValue()),
  audit: "needs trust",
  history: "needs trust",
  shared: "needs trust",
  telemetry: "needs trust",
  watch: "needs trust",
  prices: "counts",
  tests: "needs trust",
  nodeTypes: "needs trust",
  credentialSources: "needs trust",
  marketplace: "needs trust",
  plans: {
    journal: "needs trust",
    planMinutes: "needs trust",
    guards: {
      maxItemsPerApply: atMost(maxItemsPerApply),
      allowedInstances: "counts",
      allowedTags: "counts",
      protected: "counts"
    } satisfies Readonly<Record<keyof Guards, FolderRule>>
  } satisfies Readonly<Record<keyof PlanSettings, FolderRule>>,
  promotion: "needs trust"
} satisfies Readonly<Record<keyof (typeof FileFields)["fields"], FolderRule>>

/** A setting that needs trust, by its path. */
export interface TrustedSetting {
  readonly name: string
  readonly value: unknown
}

/** The settings of a file that do not count unless somebody trusts the file. */
export const needingTrust = (json: unknown): ReadonlyArray<TrustedSetting> => refused(folderRules, json, "")

const refused = (rules: FolderRules, given: unknown, path: string): ReadonlyArray<TrustedSetting> =>
  Predicate.isObject(given)
    ? Object.entries(given).flatMap(([name, value]) => {
        const rule = Object.hasOwn(rules, name) ? rules[name] : ruleOfUnknown(name)
        const place = path + name
        if (rule === "counts") return []
        if (rule === undefined || rule === "needs trust") return parts(place, value)
        if (Predicate.isFunction(rule)) return rule(value) ? [] : [{ name: place, value }]
        return Predicate.isObject(value) ? refused(rule, value, `${place}.`) : [{ name: place, value }]
      })
    : []

/** A setting that is not known here may be one of another version; `$schema` is for editors. */
const ruleOfUnknown = (name: string): FolderRule => (name === "$schema" ? "counts" : "needs trust")

/** A group of settings as its parts. */
const parts = (name: string, value: unknown): ReadonlyArray<TrustedSetting> => {
  const inside = Predicate.isObject(value) ? Object.entries(value) : []
  return inside.length === 0
    ? [{ name, value }]
    : inside.map(([part, partial]) => ({ name: `${name}.${part}`, value: partial }))
}
