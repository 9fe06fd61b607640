import { holdsSecrets, secretsStay } from "../../../internal/secrets/maskSecrets.ts"
import type { Workflow } from "../../workflow/models.ts"
import { credentialsIn } from "../../workflow/nodes.ts"
import { tableUses } from "../../workflow/resources.ts"
import type { Mapping, Matches } from "../settings.ts"
import type { Input, Resources } from "./Input.ts"

/** The mappings of two places as one; what a later one says goes before. */
export const mappingOf = (
  mappings: ReadonlyArray<Mapping>,
  { from, given, to }: { readonly from: string; readonly to: string; readonly given: Matches | undefined }
): Mapping =>
  [...mappings.filter((mapping) => mapping.from === from && mapping.to === to), ...(given === undefined ? [] : [given])]
    .map(({ credentials, tables, tags, values, workflows }) => ({ credentials, tables, tags, values, workflows }))
    .reduce<Mapping>(
      (all, one) => ({
        from,
        to,
        credentials: { ...all.credentials, ...one.credentials },
        tables: { ...all.tables, ...one.tables },
        tags: { ...all.tags, ...one.tags },
        workflows: { ...all.workflows, ...one.workflows },
        values: { ...all.values, ...one.values }
      }),
      { from, to, credentials: {}, tables: {}, tags: {}, workflows: {}, values: {} }
    )

/** The entries of a mapping for one promotion that are about nothing of it: misspelt, mostly. */
export const uselessIn = (
  { credentials, tables, tags, workflows }: Matches,
  source: ReadonlyArray<Workflow>,
  { sourceTables }: Pick<Resources, "sourceTables">
): ReadonlyArray<string> => {
  const keysOfSource = {
    credentials: credentialsIn(source).flatMap(({ id, name, type }) => [id, name, `${type}/${name}`]),
    tables: [
      ...source.flatMap(({ nodes }) => tableUses(nodes).flatMap(({ name = "", value }) => [name, value])),
      ...sourceTables.items.flatMap(({ id, name }) => [id, name])
    ],
    tags: source.flatMap((workflow) => (workflow.tags ?? []).map(({ name }) => name)),
    workflows: source.flatMap(({ id, name }) => [String(id), name])
  }
  const strays = (field: keyof typeof keysOfSource, keys: object) =>
    Object.keys(keys)
      .filter((key) => !keysOfSource[field].includes(key))
      .map((key) => `mapping.${field}: nothing of the source is called ${key}`)
  return [
    ...strays("credentials", credentials),
    ...strays("tables", tables),
    ...strays("tags", tags),
    ...strays("workflows", workflows)
  ]
}

/** Said of values that were given, whatever they are, so that it tells nothing of what secrets hold. */
export const stayingIn = ({ givenValues = {}, selected, source }: Input): ReadonlyArray<string> => {
  const nodes = selected.flatMap((id) => source.get(id)?.nodes ?? [])
  const areGiven = Object.keys(givenValues).length > 0
  return areGiven && nodes.some(({ parameters }) => holdsSecrets(parameters)) ? [`mapping.values: ${secretsStay}`] : []
}
