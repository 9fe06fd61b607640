import { Predicate } from "effect"

import { lazy } from "../../internal/caching.ts"
import type { Tool } from "../../mcp/Tool.ts"
import { inputJson } from "../../mcp/Tools.ts"
import type { InstanceNames } from "../client/config/EngineConfig.ts"
import type { ChangingCall } from "../client/rights.ts"
import { engineName } from "../workflow/naming.ts"

/** The argument that every tool of one instance takes. */
export const instanceSchema = { type: "string", description: engineName }

/** The header that repeats the instance, where there is a choice. */
const instanceHeader = { instance: "Instance" }

/** The tools with the names of these instances in the schemas of those that take one. */
export const naming = <R>(tools: ReadonlyArray<Tool<R>>, instances: InstanceNames): ReadonlyArray<Tool<R>> => {
  // A single name is told whatever room there is.
  const description = lazy(() => instanceNames(instances, instances.names.length === 1 ? 0 : roomIn(tools)))
  const argument = lazy(() => argumentJson(description()))
  const isGuarded = ({ annotations }: Tool<R>) => instances.isProtecting === true && !annotations.readOnlyHint
  const headers = instances.names.length > 1 ? instanceHeader : undefined
  return tools.map((tool) => ({
    ...tool,
    headers,
    areHeadersOptional: true,
    inputSchema: () => {
      const schema = tool.inputSchema()
      if (!("instance" in Object(schema.properties))) return schema
      const described = {
        instance: { ...instanceSchema, description: description() },
        ...(isGuarded(tool) ? { confirm_protected: agreementSchema } : {})
      }
      return { ...schema, properties: Object.assign({}, schema.properties, described) }
    },
    inputJson:
      tool.inputJson &&
      (() =>
        inputJson(tool).replace(unnamed(), () => (isGuarded(tool) ? `${argument()},${agreementJson}` : argument())))
  }))
}

/**
 * The tools over these instances, which their schemas name. Tools that change something are not listed where all instances
 * are read-only; a call of one is refused with the reason.
 */
export const over = <R>(tools: ReadonlyArray<Tool<R>>, instances: InstanceNames): ReadonlyArray<Tool<R>> => {
  const isAllReadOnly = instances.names.every((name) => instances.readOnly.has(name))
  return naming(tools, instances).map((tool) => ({
    ...tool,
    isListed: tool.isListed ?? (tool.annotations.readOnlyHint || !isAllReadOnly),
    refusal: refusalOf(tool.name, instances),
    concurrencyGroup: (input) => concurrencyGroupOf(takeInstance(input).instance, instances)
  }))
}

/** The calls of which a tool always makes one. A tool that can also say what it would change is of use without rights. */
const callsOf = new Map<string, ReadonlyArray<ChangingCall>>([
  ["create_workflow", ["POST /workflows"]],
  ["update_workflow", ["PUT /workflows/{}", "POST /workflows/{}/activate", "POST /workflows/{}/deactivate"]],
  ["delete_workflow", ["DELETE /workflows/{}"]],
  ["activate_workflow", ["POST /workflows/{}/activate"]],
  ["deactivate_workflow", ["POST /workflows/{}/deactivate"]],
  ["archive_workflow", ["POST /workflows/{}/archive", "POST /workflows/{}/unarchive"]],
  ["delete_execution", ["DELETE /executions/{}"]],
  ["retry_execution", ["POST /executions/{}/retry"]],
  ["stop_execution", ["POST /executions/{}/stop"]],
  ["create_credential", ["POST /credentials"]],
  ["delete_credential", ["DELETE /credentials/{}"]],
  ["create_tag", ["POST /tags"]],
  ["update_tag", ["PUT /tags/{}"]],
  ["delete_tag", ["DELETE /tags/{}"]]
])

const refusalOf = (name: string, { refusing }: InstanceNames) => {
  const calls = callsOf.get(name)
  return calls === undefined || refusing === undefined ? undefined : { calls, refusing }
}

/** The argument of tools that change something, where workflows are protected: without one there is nothing to say. */
const agreementSchema = { type: "boolean", description: "true after a person has agreed to what is protected" }
const agreementJson = `"confirm_protected":${JSON.stringify(agreementSchema)}`

/** The argument `instance` as JSON: with its quotes, it can only be the argument itself. */
const argumentJson = (description: string) => `"instance":${JSON.stringify({ ...instanceSchema, description })}`

const unnamed = lazy(() => argumentJson(engineName))

/** Bytes that a list of all tools may have; a model reads it before anything else. */
const maxListBytes = 13_950

/** Characters for the names of instances, whatever room there is: the instructions have all names. */
const mostNameCharacters = 80

/** Characters that the names of the instances may have in each tool, so that the list stays as short as it should be. */
const roomIn = <R>(tools: ReadonlyArray<Tool<R>>): number => {
  const bytes = tools.map((tool) => {
    const { annotations, description, meta, name, title } = tool
    const besides = JSON.stringify({ name, title, description, inputSchema: null, annotations, _meta: meta })
    return besides.length - "null".length + inputJson(tool).length
  })
  const all = bytes.reduce((sum, each) => sum + each, "[]".length) + tools.length - 1
  return Math.min(mostNameCharacters, Math.floor((maxListBytes - all) / tools.length) - 2)
}

/** The concurrency group of calls to an instance, by the name that was given; calls that name no known instance share one. */
export const concurrencyGroupOf = (given: unknown, { defaultName, names }: InstanceNames): string => {
  const name = given === undefined ? defaultName : names.find((configuredName) => configuredName === given)
  return name === undefined ? "This server" : `Instance ${name}`
}

/**
 * Takes the argument `instance` out of an input; any value is looked up as a name, and only an omitted one means the
 * default.
 */
export const takeInstance = (input: unknown): { readonly instance?: unknown; readonly rest: unknown } => {
  if (!Predicate.isObject(input)) return { rest: input }
  const { instance, ...rest } = { instance: undefined, ...input }
  return { instance, rest }
}

/**
 * The configured instances in one line, the default one first: `production (default), staging (read-only)`. What does
 * not fit into this many characters is counted.
 */
export const instanceNames = ({ defaultName, names, readOnly }: InstanceNames, room: number): string => {
  const marks = (name: string) => [
    ...(name === defaultName && names.length > 1 ? ["default"] : []),
    ...(readOnly.has(name) ? ["read-only"] : [])
  ]
  const words = [...names]
    .sort((a, b) => Number(b === defaultName) - Number(a === defaultName))
    .map((name) => (marks(name).length === 0 ? name : `${name} (${marks(name).join(", ")})`))
  const all = words.join(", ")
  if (all.length <= room) return all
  const most = words.findLastIndex((_, last) => shortened(words, last).length <= room)
  return shortened(words, Math.max(most, 0))
}

const shortened = (words: ReadonlyArray<string>, last: number): string => {
  const listedWords = words.slice(0, last + 1).join(", ")
  return last + 1 === words.length ? listedWords : `${listedWords} and ${words.length - last - 1} more`
}
