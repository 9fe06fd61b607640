import { Predicate, Result } from "effect"

import { keyHeaders, versionField } from "../../../workflow/naming.ts"
import type { CredentialType, Dialect, Messages, WorkflowRules } from "../../api/Dialect.ts"
import { missingCredential, nodeTypes } from "../../nodes/nodeTypes.ts"
import { hasBadSchedule, isTrigger, kindOf } from "../../run/triggers.ts"
import type { WorkflowRecord } from "../../store/records.ts"
import { entryOf } from "../../store/values.ts"
import { badRequest, type Refusal } from "../../wire/http.ts"
import { type Given, type Parameters, readQuery, reservedProblem } from "../../wire/query.ts"
import { endpoints } from "./endpoints.ts"
import { views } from "./views.ts"

const messages: Messages = {
  reportsMissingFirst: true,
  missing: (path, name) => `${path} must have required property '${name}'`,
  unknown: (path) => `${path} must NOT have additional properties`,
  type: (path, expected) => `${path} must be ${expected}`,
  choice: (path, allowed) => `${path} must be equal to one of the allowed values: ${allowed.join(", ")}`,
  json: (path, value) =>
    [
      ...(Predicate.isString(value) ? [`must match format "jsonString"`] : ["must be string"]),
      "must be object",
      "must match a schema in anyOf"
    ]
      .map((demand) => `${path} ${demand}`)
      .join(", "),
  unauthorized: (key) => (key === "" ? `'${keyHeaders[1]}' header required` : "unauthorized"),
  noWorkflow: () => "Not Found",
  noRespondent: "Workflow Webhook Error: Workflow could not be started!",
  noItem: "No item to return got found",
  testButton: "Test workflow"
}

/** Unknown or empty values are refused. */
const queryProblem =
  (parameters: Parameters) =>
  (given: Given): string | undefined => {
    const { name, values } = given
    const parameter = entryOf(parameters, name)
    const [value = ""] = values
    const path = `request/query/${name}`
    if (parameter === undefined) return `Unknown query parameter '${name}'`
    if (value === "") return `Empty value found for query parameter '${name}'`
    const problem = parameter === "any" ? undefined : reservedProblem(given)
    if (problem !== undefined) return problem
    if (values.length > 1) return messages.type(path, "string", values)
    if (parameter === "boolean") return /^(true|false)$/.test(value) ? undefined : `${path} must be boolean`
    if (parameter === "limit") {
      if (!Number.isFinite(Number(value))) return `${path} must be number`
      return Number(value) > 250 ? `${path} must be <= 250` : undefined
    }
    return Predicate.isString(parameter) || parameter.includes(value)
      ? undefined
      : messages.choice(path, parameter, value)
  }

/** The first trigger that cannot listen is reported, with a message that depends on its kind. */
const activationProblem = ({ id, name, nodes }: WorkflowRecord): Refusal | undefined => {
  const triggers = nodes.filter(isTrigger)
  if (triggers.length === 0) {
    return badRequest(
      `Workflow "${name}" (ID: ${id}) has no node to start the workflow - at least one trigger, poller or webhook node is required`
    )
  }
  const bare = triggers.find((node) => missingCredential(node) !== undefined)
  if (bare !== undefined) {
    const problem = "Node does not have any credentials set"
    return badRequest(kindOf(bare) === "emailReadImap" ? inQuotes(problem) : problem)
  }
  return triggers.some(hasBadSchedule) ? badRequest(inQuotes("Invalid cron expression")) : undefined
}

const inQuotes = (problem: string) => `There was a problem activating the workflow: "${problem}"`

/** A workflow is a single record, stored as it was sent, and its saved nodes run. */
const workflows: WorkflowRules = {
  keptNode: (node) => node,
  keptSettings: (settings) => settings,
  needsWebhookId: () => false,
  graphProblem: () => undefined,
  groupProblem: () => undefined,
  creationProblem: () => undefined,
  updatedSettings: (_, sent) => sent,
  isNewVersion: () => true,
  afterRefusedUpdate: (updated) => ({ ...updated, published: null }),
  activatesAgain: false,
  sharesAddresses: true,
  activationProblem,
  callProblem: () => undefined,
  deletionProblem: () => undefined,
  ignoresUnknownTags: true
}

type Property = CredentialType["properties"][string]

export const text: Property = { type: "string" }
const number: Property = { type: "number" }
export const boolean: Property = { type: "boolean" }
export const choice = (...values: ReadonlyArray<string>): Property => ({ type: "string", enum: values })

/** Some of the types that engines know: the most common ones. */
export const credentialTypes: Readonly<Record<string, CredentialType>> = {
  httpBasicAuth: { properties: { user: text, password: text } },
  httpDigestAuth: { properties: { user: text, password: text } },
  httpHeaderAuth: { properties: { name: text, value: text } },
  httpQueryAuth: { properties: { name: text, value: text } },
  httpCustomAuth: { properties: { json: { type: "json" } }, required: ["json"] },
  slackApi: { properties: { accessToken: text }, required: ["accessToken"] },
  telegramApi: { properties: { accessToken: text, baseUrl: text } },
  githubApi: { properties: { server: text, user: text, accessToken: text } },
  openAiApi: { properties: { apiKey: text, organizationId: text, url: text }, required: ["apiKey"] },
  postgres: {
    properties: {
      host: text,
      database: text,
      user: text,
      password: text,
      maxConnections: number,
      allowUnauthorizedCerts: boolean,
      ssl: choice("allow", "disable", "require"),
      port: number,
      sshTunnel: boolean,
      sshAuthenticateWith: choice("password", "privateKey"),
      sshHost: text,
      sshPort: number,
      sshUser: text,
      sshPassword: text,
      privateKey: text,
      passphrase: text
    }
  }
}

/** The engine 1.82.3. */
export const v1: Dialect["Service"] = {
  endpoints,
  version: "1.82.3",
  publicSettings: { [versionField]: "1.82.3" },
  publicNodeTypes: () => nodeTypes(1),
  answersHeadAndOptions: false,
  messages,
  readQuery: (parameters, source) => readQuery(source, queryProblem(parameters)),
  paging: {
    limit: (size) =>
      Number.isInteger(size) ? Result.succeed(size) : Result.fail(badRequest("SQLITE_MISMATCH: datatype mismatch")),
    badNumber: badRequest(`Provided "skip" value is not a number. Please provide a numeric value.`)
  },
  views,
  workflows,
  publishing: {
    listensAfter: 0,
    busyFor: 0,
    keepsHistory: false,
    isUpdate: true,
    scheduleState: { recurrenceRules: [] }
  },
  executions: {
    id: (text) =>
      Number.isNaN(Number(text))
        ? Result.fail(badRequest("request/params/id must be number"))
        : Result.succeed(Number(text)),
    isListed: (status, wanted) =>
      status !== "running" &&
      (wanted === undefined || status === wanted || (wanted === "error" && status === "crashed"))
  },
  credentialTypes
}
