import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { agentType, nodeType } from "../../workflow/naming.ts"

/** The kinds of moments at which runs of a seeded workflow began. */
export type Starts =
  /** Calls from outside, so many a day. */
  | { readonly calls: number }
  /** At every so many minutes of the clock, or so many minutes later. */
  | { readonly everyMinutes: number; readonly atMinute?: number }
  /** At so many minutes after midnight, each day or on weekdays. */
  | { readonly atMinute: number; readonly onWeekdays?: boolean }

/** One run of a seeded workflow: its number, the newest first, and how long ago it began. */
export interface Turn {
  readonly number: number
  readonly hoursAgo: number
}

/** A run that did not go as usual. */
export type Ending =
  | { readonly skipped: true }
  | { readonly slower: number }
  | { readonly path: ReadonlyArray<string> }
  | {
      readonly failsAt: string
      readonly message: string
      readonly item?: number
      readonly kind?: string
      /** The status of a service's answer, or the code of the network. */
      readonly httpCode?: string
      readonly path?: ReadonlyArray<string>
    }
  | { readonly waitsAt: string; readonly hours: number }
  | { readonly runsAt: string }

/** The runs of a seeded workflow in the last days. */
export interface Runs {
  readonly starts: Starts
  readonly seconds: number
  /** The nodes that run, in their order; all that are connected, where it is left out. */
  readonly path?: ReadonlyArray<string>
  /** The items that nodes return, by the number of the run; other nodes pass on what they get. */
  readonly items?: Readonly<Record<string, (number: number) => ReadonlyArray<JsonObject>>>
  readonly ending?: (turn: Turn) => Ending | undefined
}

/** A workflow that a seeded engine starts with. */
export interface SeedWorkflow {
  readonly id: string
  readonly name: string
  readonly active: boolean
  readonly tags: ReadonlyArray<string>
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
  readonly settings: JsonObject
  readonly pinData?: JsonObject
  readonly runs?: Runs
  /** The nodes before somebody changed them in the editor, and how long ago that was. */
  readonly former?: { readonly nodes: ReadonlyArray<JsonObject>; readonly hoursAgo: number }
}

/** Numbers that look random and are the same at every start, from 0 to 1. */
export const chance = (...parts: ReadonlyArray<number | string>): number => {
  let hash = 2_166_136_261
  for (const letter of parts.join("/")) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507)
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909)
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296
}

const lettersOf = (length: number, alphabet: string, ...parts: ReadonlyArray<number | string>): string => {
  let number = chance(...parts)
  let letters = ""
  while (letters.length < length) {
    number = (number * 9301 + 0.618) % 1
    letters += alphabet.charAt(Math.floor(number * alphabet.length))
  }
  return letters
}

/** An id that stays the same at every start. */
export const idFor = (name: string): string =>
  lettersOf(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", name)

export const uuidFor = (...parts: ReadonlyArray<number | string>): string => {
  const digits = lettersOf(30, "0123456789abcdef", ...parts)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-a${digits.slice(15, 18)}-${digits.slice(18)}`
}

const settings = { executionOrder: "v1", timezone: "UTC" }

export const node = (
  name: string,
  type: string,
  typeVersion: number,
  parameters: JsonObject = {},
  more: JsonObject = {}
): JsonObject => ({ name, type: type.includes(".") ? type : nodeType(type), typeVersion, parameters, ...more })

export const schedule = (name: string, expression: string) =>
  node(name, "scheduleTrigger", 1.2, { rule: { interval: [{ field: "cronExpression", expression }] } })

export const webhook = (name: string, path: string, responseMode = "onReceived") =>
  node(
    name,
    "webhook",
    2,
    { path, httpMethod: "POST", responseMode, options: {} },
    { webhookId: uuidFor("webhook", path) }
  )

export const called = (name: string) => node(name, "executeWorkflowTrigger", 1.1, { inputSource: "passthrough" })

export const http = (name: string, url: string, more: JsonObject = {}) =>
  node(name, "httpRequest", 4.2, { url, ...more, options: {} })

/** Credentials by the name that nodes give them. */
export const credentials = {
  shop: { id: "Hn5uPa1eGk8DfC2j", name: "Shop database", type: "postgres" },
  slack: { id: "Yx9iVt3bOz6RmW4q", name: "Team Slack", type: "slackApi" },
  model: { id: "Ek2mSw7fQb4TyN0z", name: "Language model", type: "openAiApi" },
  mail: { id: "Rb4kJd8sVn2LhX6c", name: "Shop mail", type: "smtp" },
  archive: { id: "Ug7wPz1mCe5TaQ9y", name: "Document archive", type: "s3" },
  crm: { id: "Jf2qNs6vYk0RbD4x", name: "CRM", type: "hubspotAppToken" }
} as const

const using = (name: keyof typeof credentials): JsonObject => {
  const { type, ...credential } = credentials[name]
  return { credentials: { [type]: credential } }
}

export const query = (name: string, sql: string) =>
  node(name, "postgres", 2.5, { operation: "executeQuery", query: sql, options: {} }, using("shop"))

export const slack = (name: string, channel: string, text: string) =>
  node(
    name,
    "slack",
    2.2,
    { select: "channel", channelId: { __rl: true, mode: "name", value: channel }, text, otherOptions: {} },
    using("slack")
  )

export const mail = (name: string, subject: string, text: string, more: JsonObject = using("mail")) =>
  node(
    name,
    "emailSend",
    2.1,
    {
      fromEmail: "shop@northmill.example",
      toEmail: "={{ $json.email }}",
      subject,
      emailFormat: "text",
      text,
      options: {}
    },
    more
  )

export const archive = (name: string, fileName: string) =>
  node(name, "s3", 1, { operation: "upload", bucketName: "northmill", fileName }, using("archive"))

export const crm = (name: string) =>
  node(
    name,
    "hubspot",
    2.1,
    { authentication: "appToken", resource: "contact", email: "={{ $json.email }}", options: {} },
    using("crm")
  )

/** A node that runs its code once for each item. */
export const code = (name: string, jsCode: string) => node(name, "code", 2, { mode: "runOnceForEachItem", jsCode })

export const edited = (name: string, values: Readonly<Record<string, string>>) =>
  node(name, "set", 3.4, {
    assignments: {
      assignments: Object.entries(values).map(([key, value]) => ({ id: key, name: key, type: "string", value }))
    },
    includeOtherFields: true,
    options: {}
  })

export const test = (kind: "filter" | "if", name: string, leftValue: string, operation: string, rightValue: unknown) =>
  node(name, kind, 2.2, {
    conditions: {
      combinator: "and",
      conditions: [
        {
          id: uuidFor(name),
          leftValue,
          rightValue,
          operator: { type: typeof rightValue === "number" ? "number" : "string", operation }
        }
      ]
    },
    options: {}
  })

export const calling = (name: string, workflow: string) =>
  node(name, "executeWorkflow", 1.2, {
    workflowId: { __rl: true, mode: "list", value: idFor(workflow), cachedResultName: workflow },
    workflowInputs: { mappingMode: "defineBelow", value: {} },
    options: {}
  })

export const languageNode = (
  name: string,
  kind: string,
  typeVersion: number,
  parameters: JsonObject = {},
  more: JsonObject = {}
) => node(name, agentType(kind), typeVersion, parameters, more)

export const languageModel = (name: string) =>
  languageNode(
    name,
    "lmChatOpenAi",
    1.2,
    { model: { __rl: true, mode: "list", value: "gpt-4o-mini" }, options: {} },
    using("model")
  )

/** A connection: from, to, the output, and the kind. */
type Link = readonly [from: string, to: string, output?: number, kind?: string]

/** A workflow of these nodes, one behind the other unless `links` connect them. */
export const workflow = (
  name: string,
  given: Pick<SeedWorkflow, "nodes" | "tags"> & Partial<SeedWorkflow> & { readonly links?: ReadonlyArray<Link> }
): SeedWorkflow => {
  const { links = chainOf(given.nodes), nodes, ...rest } = given
  const placed = placedBy(links)
  return {
    id: idFor(name),
    name,
    active: true,
    settings,
    ...rest,
    nodes: nodes.map(placed),
    connections: connectionsOf(links),
    ...(rest.former === undefined ? {} : { former: { ...rest.former, nodes: rest.former.nodes.map(placed) } })
  }
}

const chainOf = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<Link> =>
  nodes.slice(1).map(({ name }, index) => [String(nodes[index]?.name), String(name)])

const connectionsOf = (links: ReadonlyArray<Link>): JsonObject => {
  const connections: Record<string, Record<string, Array<Array<object>>>> = {}
  for (const [from, to, output = 0, type = "main"] of links) {
    const outputs = ((connections[from] ??= {})[type] ??= [])
    while (outputs.length <= output) outputs.push([])
    outputs[output]?.push({ node: to, type, index: 0 })
  }
  return connections
}

/** Nodes from left to right as they follow each other, those for language models below the one they belong to. */
const placedBy = (links: ReadonlyArray<Link>) => {
  const columns = new Map<string, number>()
  const rows = new Map<string, number>()
  const taken = new Map<number, number>()
  const place = (name: string, column: number, row: number) => {
    columns.set(name, column)
    rows.set(name, row)
  }
  for (const [from, to, output = 0, type = "main"] of links) {
    if (!columns.has(from)) place(from, 0, 0)
    if (type !== "main") {
      const beside = taken.get(columns.get(to) ?? 1) ?? 0
      taken.set(columns.get(to) ?? 1, beside + 1)
      place(from, (columns.get(to) ?? 1) - 0.5 + beside * 0.75, 2)
    } else if (!columns.has(to)) place(to, (columns.get(from) ?? 0) + 1, (rows.get(from) ?? 0) + output)
  }
  return (one: JsonObject): JsonObject => {
    const name = String(one.name)
    return { ...one, position: [(columns.get(name) ?? 0) * 240, (rows.get(name) ?? 0) * 180] }
  }
}
