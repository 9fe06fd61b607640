import { Effect, Schema } from "effect"

import {
  below,
  fieldOf,
  meaning,
  text,
  texts,
  type UnknownField,
  unknownFields,
  whole
} from "../../internal/config/fields.ts"
import { fits } from "../../internal/fits.ts"
import { type Protected, protectsAnything } from "../client/Protection.ts"

/** Number of single changes that one plan may hold unless a guard says otherwise. */
export const maxItemsPerApply = 10_000

const orElse = <const A>(value: A) => Effect.succeed(value)

/** Workflows that a person has to agree to by name before a plan changes them. */
const ProtectedFields = Schema.Struct({
  tags: texts("a list of tag names").pipe(Schema.withDecodingDefaultKey(orElse([]))),
  names: texts("a list of names, in which * stands for any characters").pipe(Schema.withDecodingDefaultKey(orElse([]))),
  /** Whether that holds for single changes as well: update_workflow, delete_workflow, edit_workflow, … */
  directWrites: Schema.Boolean.annotate({ message: "true or false" }).pipe(Schema.withDecodingDefaultKey(orElse(true)))
}).annotate({ message: "an object with tags, names and directWrites" })

/** The limits of plans of workflows, checked when a plan is made and again when it is applied. */
export const GuardFields = Schema.Struct({
  /** The number of single changes that one plan may hold. */
  maxItemsPerApply: whole(1, 1_000_000, "a whole number from 1").pipe(
    Schema.withDecodingDefaultKey(orElse(maxItemsPerApply)),
    meaning("how many single changes one plan may hold")
  ),
  /** The only instances that plans may change. Default: all. */
  allowedInstances: Schema.optionalKey(texts("a list of instance names")).pipe(
    meaning("the only instances that plans may change")
  ),
  /** Only workflows with one of these tags may be changed. Default: all. */
  allowedTags: Schema.optionalKey(texts("a list of tag names")).pipe(
    meaning("only workflows with one of these tags may be changed")
  ),
  protected: ProtectedFields.pipe(
    Schema.withDecodingDefaultKey(orElse({})),
    meaning(
      "workflows that a person has to agree to: `{ tags, names }`; `directWrites: false` leaves out single changes"
    )
  )
}).annotate({ message: "an object with maxItemsPerApply, allowedInstances, allowedTags and protected" })
export type Guards = typeof GuardFields.Type

/** The settings of plans of workflows: their file, their lifetime and their guards. */
export const PlanFields = Schema.Struct({
  journal: text("the name of a file").pipe(
    Schema.withDecodingDefaultKey(orElse(".workflow-journal.jsonl")),
    meaning("file that keeps plans and their progress; a relative path counts from the configuration file")
  ),
  planMinutes: whole(1, 100_000, "a whole number of minutes from 1").pipe(
    Schema.withDecodingDefaultKey(orElse(60)),
    meaning("how long a plan can wait to be applied")
  ),
  guards: GuardFields.pipe(Schema.withDecodingDefaultKey(orElse({})), meaning("what plans may change at all"))
}).annotate({ message: "an object with journal, planMinutes and guards" })
export type PlanSettings = typeof PlanFields.Type

const pairs = (what: string, description: string) =>
  Schema.Record(Schema.String, text(what))
    .annotate({ message: "an object from names to names" })
    .pipe(Schema.withDecodingDefaultKey(orElse({})), meaning(description))

const matches = {
  credentials: pairs("the name or id of a credential", "from a credential there to one here"),
  tables: pairs("the name or id of a data table", "from a data table there to one here"),
  tags: pairs("the name of a tag", "from a tag there to one here"),
  workflows: pairs("the name or id of a workflow", "from a workflow there to one here"),
  values: pairs("a text", "from a text in parameters there to the one here")
}

/** The matches on another instance, whichever two they are. */
export const MatchFields = Schema.Struct(matches).annotate({
  message: "an object with credentials, tables, tags, workflows and values"
})
export type Matches = typeof MatchFields.Type

/** The matches of one instance on another. */
export const MappingFields = Schema.Struct({
  from: text("the name of an instance").pipe(
    Schema.annotateKey({ messageMissingKey: "the name of an instance" }),
    meaning("instance that is promoted from")
  ),
  to: text("the name of an instance").pipe(
    Schema.annotateKey({ messageMissingKey: "the name of an instance" }),
    meaning("instance that is promoted to")
  ),
  ...matches
}).annotate({ message: "an object with from, to, credentials, tables, tags, workflows and values" })
export type Mapping = typeof MappingFields.Type

/** Fields of nodes whose values belong to the place, and stay as they are there. */
export const KeepFields = Schema.Struct({
  workflow: Schema.optionalKey(text("the name of workflows, in which * stands for any characters")).pipe(
    meaning("only in these workflows")
  ),
  node: Schema.optionalKey(text("the name of nodes, in which * stands for any characters")).pipe(
    meaning("only in these nodes")
  ),
  type: Schema.optionalKey(text("the type of nodes, such as httpRequest")).pipe(meaning("only in nodes of this type")),
  fields: texts("a list of fields, such as parameters.url").pipe(
    Schema.annotateKey({ messageMissingKey: "a list of fields, such as parameters.url" }),
    meaning("the fields that stay")
  )
}).annotate({ message: "an object with fields, and workflow, node or type" })
export type Keep = typeof KeepFields.Type

/** The settings of promotions about what differs from place to place. */
export const PromotionFields = Schema.Struct({
  mappings: Schema.Array(MappingFields)
    .annotate({ message: "a list of mappings" })
    .pipe(Schema.withDecodingDefaultKey(orElse([])), meaning("what stands for what on another instance")),
  keep: Schema.Array(KeepFields)
    .annotate({ message: "a list of rules" })
    .pipe(
      Schema.withDecodingDefaultKey(orElse([])),
      meaning("fields of nodes whose values stay as they are on the target")
    ),
  /** Whether recorded tests run on the source when a promotion is planned, and block what does not pass them. */
  tests: Schema.Literals(["off", "run", "required"])
    .annotate({ message: '"off", "run" or "required"' })
    .pipe(
      Schema.withDecodingDefaultKey(orElse("off")),
      meaning(
        "whether recorded tests run on the source when a promotion is planned, and block what does not pass; `required` also blocks what has none"
      )
    )
}).annotate({ message: "an object with mappings, keep and tests" })
export type PromotionSettings = typeof PromotionFields.Type

/** The protection from single changes, as far as it is configured. */
export const protectionOf = ({ protected: { names, tags, ...rest } }: Guards): Protected | undefined =>
  protectsAnything({ ...rest, names, tags })
    ? { hasName: (name) => names.some((pattern) => fits(pattern, name)), tags: new Set(tags) }
    : undefined

/** Names of given fields that no setting of plans or promotions has: a guard that is misspelt guards nothing. */
export const unknownPlanFields = (plans: unknown, promotion: unknown): ReadonlyArray<UnknownField> => {
  const guards = fieldOf(plans, "guards")
  return [
    ...below("plans", unknownFields(PlanFields, plans)),
    ...below("plans.guards", unknownFields(GuardFields, guards)),
    ...below("plans.guards.protected", unknownFields(ProtectedFields, fieldOf(guards, "protected"))),
    ...below("promotion", unknownFields(PromotionFields, promotion)),
    ...listAt(promotion, "mappings").flatMap((mapping, index) =>
      below(`promotion.mappings.${index}`, unknownFields(MappingFields, mapping))
    ),
    ...listAt(promotion, "keep").flatMap((rule, index) =>
      below(`promotion.keep.${index}`, unknownFields(KeepFields, rule))
    )
  ]
}

const listAt = (json: unknown, name: string): ReadonlyArray<unknown> => {
  const list = fieldOf(json, name)
  return Array.isArray(list) ? list : []
}
