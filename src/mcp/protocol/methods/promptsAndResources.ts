import { Effect, Predicate, Schema } from "effect"

import { isView } from "../../AppViews.ts"
import type { Prompt } from "../../Prompt.ts"
import type { Resource, Resources, ResourceTemplate } from "../../Resources.ts"
import { type Skill, skillEntry, skillResources, uriOf } from "../../Skill.ts"
import { invalidParams } from "../errors.ts"
import * as Method from "../Method.ts"
import { firstPageParams, onePage, pageParams, shelfLife } from "../Method.ts"
import type { ProtocolVersion } from "../ProtocolVersion.ts"

/** `prompts/list` and `prompts/get`. */
export const promptMethods = (prompts: ReadonlyArray<Prompt>) => {
  const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]))

  return {
    "prompts/list": Method.make(
      () => pageParams,
      (params, { protocolVersion }) =>
        onePage(params, { prompts: prompts.map((prompt) => promptListing(prompt, protocolVersion)) }),
      firstPageParams
    ),
    "prompts/get": Method.make(
      () => ({
        name: Schema.String,
        arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
      }),
      Effect.fnUntraced(function* (params) {
        const prompt = byName.get(params.name)
        if (prompt === undefined) return yield* invalidParams(`unknown prompt ${params.name}`)
        const args = params.arguments ?? {}
        const missing = prompt.arguments.find(({ name, required }) => required && !Object.hasOwn(args, name))
        if (missing !== undefined) return yield* invalidParams(`arguments.${missing.name}: is required`)
        return { description: prompt.description, messages: yield* prompt.get(args) }
      })
    )
  } satisfies Method.Methods
}

const promptListing = ({ arguments: args, description, name, title }: Prompt, { structure }: ProtocolVersion) => ({
  name,
  ...(structure ? { title } : {}),
  description,
  arguments: args
})

/** The protocol's own limit. */
const mostCompletions = 100

const Reference = Schema.Union([
  Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
  Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })
])
type Reference = typeof Reference.Type

/** `completion/complete`, for the arguments of prompts and the variables of resource templates. */
export const completionMethods = (prompts: ReadonlyArray<Prompt>, resources: Resources["Service"]) => {
  const find = Effect.fnUntraced(function* (ref: Reference, name: string, value: string) {
    if (ref.type === "ref/resource") return yield* resources.complete(ref.uri, name, value)
    const prompt = prompts.find((prompt) => prompt.name === ref.name)
    if (prompt === undefined) return yield* invalidParams(`ref.name: unknown prompt ${ref.name}`)
    return { values: yield* prompt.complete(name, value) }
  })

  return {
    "completion/complete": Method.make(
      () => ({ ref: Reference, argument: Schema.Struct({ name: Schema.String, value: Schema.String }) }),
      Effect.fnUntraced(function* ({ argument, ref }) {
        const { values, ...rest } = yield* find(ref, argument.name, argument.value)
        const cut = values.length > mostCompletions ? { total: values.length, hasMore: true } : {}
        return { completion: { values: values.slice(0, mostCompletions), ...cut, ...rest } }
      }),
      { work: () => workOf(resources.concurrencyGroup)(undefined) }
    )
  } satisfies Method.Methods
}

/** The skills that the current caller is offered. */
type OfferedSkills = Effect.Effect<ReadonlyArray<Skill>>

/** `resources/list`, `resources/templates/list` and `resources/read`; skills are resources, too. */
export const resourceMethods = (
  { concurrencyGroup, list, read, templates }: Resources["Service"],
  skills: OfferedSkills
) =>
  ({
    "resources/list": Method.make(
      () => pageParams,
      (params, { protocolVersion, showsViews }) =>
        Effect.flatMap(Effect.map(skills, skillResources), (ofSkills) => {
          const useful = showsViews ? list : list.filter((resource) => !isView(resource))
          const resources = [...useful, ...ofSkills.list].map((resource) => resourceListing(resource, protocolVersion))
          return onePage(params, { resources })
        }),
      firstPageParams
    ),
    "resources/templates/list": Method.make(
      () => pageParams,
      (params, { protocolVersion }) =>
        onePage(params, { resourceTemplates: templates.map((template) => resourceListing(template, protocolVersion)) }),
      firstPageParams
    ),
    "resources/read": Method.make(
      () => ({ uri: Schema.String }),
      ({ uri }) =>
        Effect.flatMap(Effect.map(skills, skillResources), (ofSkills) =>
          Effect.catchTag(ofSkills.read(uri), "ResourceNotFound", () => read(uri))
        ).pipe(Effect.map((contents) => ({ contents: [contents] }))),
      { ttlMs: 0, work: workOf(concurrencyGroup) }
    )
  }) satisfies Method.Methods

/** `skills/list` and `skills/get`. */
export const skillMethods = (skills: OfferedSkills) =>
  ({
    "skills/list": Method.make(
      () => pageParams,
      (params) => Effect.flatMap(skills, (offered) => onePage(params, { skills: offered.map(skillEntry) })),
      firstPageParams
    ),
    "skills/get": Method.make(
      () => ({ uri: Schema.String }),
      Effect.fnUntraced(function* ({ uri }) {
        const skill = (yield* skills).find((one) => uriOf(one) === uri)
        return skill === undefined
          ? yield* invalidParams("uri: is not that of a skill of this server")
          : { skill: skillEntry(skill) }
      }),
      { ttlMs: shelfLife }
    )
  }) satisfies Method.Methods

const workOf =
  (concurrencyGroup: Resources["Service"]["concurrencyGroup"]) =>
  (params: unknown): Method.Work => ({
    concurrencyGroup: concurrencyGroup?.(Predicate.hasProperty(params, "uri") ? params.uri : undefined) ?? "Resources",
    isSafeToStop: true
  })

const resourceListing = <A extends Resource | ResourceTemplate>(
  { title, ...rest }: A,
  { structure }: ProtocolVersion
) => (structure ? { ...rest, title } : rest)
