/** The engine vendor's names that the wire needs; everything else says "engine". */

/** The name of the engine in texts for people and models. */
export const engineName = "n8n"

/** Texts of workflows and their runs that others have written. */
export const foreignTexts = ["names", "notes", "parameters", "execution data"]

/** Names of the key header, in the order in which they are tried. */
export const keyHeaders = ["X-ENGINE-API-KEY", "X-N8N-API-KEY"] as const

/** Prefixes of node types in the contract, and on real engines. */
const neutralPrefix = "engine-nodes-base."
const enginePrefix = "n8n-nodes-base."

/** `engine-nodes-base.webhook` becomes the engine's own name of that node type; every other type stays. */
export const toEngineType = (type: string): string =>
  type.startsWith(neutralPrefix) ? enginePrefix + type.slice(neutralPrefix.length) : type

/** The spelling of callers' node types for an engine: one that accepts the neutral key header has neutral types, too. */
export const spellingFor = (keyHeader: string): ((type: string) => string) =>
  keyHeader.toUpperCase() === keyHeaders[0] ? (type) => type : toEngineType

/** `webhook` as real engines name that type. */
export const nodeType = (kind: string): string => enginePrefix + kind

/** `agent` as real engines name that type of the AI package. */
export const agentType = (kind: string): string => `@n8n/n8n-nodes-langchain.${kind}`

/** `webhook` as callers may name that type for every engine. */
export const neutralType = (kind: string): string => neutralPrefix + kind

/** The part of a node type behind the package: `webhook`, `scheduleTrigger`, `chatTrigger`. */
export const nodeKind = (type: string): string => type.slice(type.lastIndexOf(".") + 1)

/** A node type as people call it: without the package, if every engine has it. */
export const shortType = (type: string): string => {
  const knownPrefix = [neutralPrefix, enginePrefix, agentType("")].find((prefix) => type.startsWith(prefix))
  return knownPrefix === undefined ? type : type.slice(knownPrefix.length)
}

/** The folder in which engines from version 2 on read and write files, where nobody has named another. */
export const filesFolder = "~/.n8n-files"

/** The whole body that an engine answers, with status 200 and on every path, while it is starting. */
export const startingUp = "n8n is starting up. Please wait"

/** Path of the public settings with a 1.x engine's version, and the field that contains it. */
export const settingsPath = "/rest/settings"
export const versionField = "versionCli" as const

/** Path of the descriptions of all credential types, which are public on 1.x engines. */
export const credentialTypesPath = "/types/credentials.json"

/** Path of the descriptions of all node types, which are public on 1.x engines. */
export const nodeTypesPath = "/types/nodes.json"

/** The package of the engine itself, whose manifest has the exact versions of those below. */
export const enginePackage = "n8n"

/** The packages that hold the engine's own node types. */
export const nodePackages = ["n8n-nodes-base", "@n8n/n8n-nodes-langchain"] as const

/** Name of the meta tag of an engine's start page that holds its release. */
export const releaseMeta = "n8n:config:sentry"

/** Whether a package has the name of a community package. */
export const isCommunityPackage = (name: string): boolean => /^(?:@[\w.-]+\/)?n8n-nodes-[\w.-]+$/.test(name)

/** Whether a name merely resembles that of one of the engine's own packages. */
export const isOwnInOtherWords = (name: string): boolean =>
  /^(?:@?n8n[-_/]?)*nodes?[-_.]?(?:base|langchain)$/i.test(name)

/** The package of a node type. */
export const packageOf = (type: string): string => type.slice(0, Math.max(type.lastIndexOf("."), 0))

/**
 * The name of a workflow that exists for one run: of which workflow it is a copy, who made it, and when. Its form must not
 * change: copies left by earlier versions are found by it.
 */
export const temporaryName = (original: string, mark: string, since: string): string =>
  `Temporary run of ${shortened(original)} (workflow-tool-server run ${mark} ${since})`

/** Engines of generation 2 allow 128 characters in total. */
const room = 44

const shortened = (name: string): string =>
  name.length <= room ? name : `${name.slice(0, room - 1).replace(/[\uD800-\uDBFF]$/, "")}…`

/** The search term for such names. */
export const temporaryWords = "(workflow-tool-server run "

const form = /^Temporary run of .*\(workflow-tool-server run ([a-z\d-]{8,40}) (\d{4}-\d\d-\d\dT[\d:.]+Z)\)$/s

/** The mark in the name of a workflow that exists for one run, and when it was created, in milliseconds. */
export const readTemporaryName = (name: unknown): { readonly mark: string; readonly since: number } | undefined => {
  const [, mark, since] = (typeof name === "string" ? form.exec(name) : null) ?? []
  return mark === undefined || since === undefined ? undefined : { mark, since: Date.parse(since) }
}
