import { Equal, Predicate, Result } from "effect"

import { nodeKind } from "../../../workflow/naming.ts"
import { groupProblem } from "../../../workflow/nodeGroups.ts"
import type { CredentialType, Dialect, Messages, WorkflowRules } from "../../api/Dialect.ts"
import { entryOf, pick } from "../../store/values.ts"
import { badRequest, conflict, Refusal } from "../../wire/http.ts"
import { type Given, type Parameters, readQuery, reservedProblem } from "../../wire/query.ts"
import { typeName } from "../../wire/shapes.ts"
import { boolean, choice, credentialTypes, text } from "../v1/v1.ts"
import { activationProblem, callProblem, creationProblem, graphProblem } from "./checks.ts"
import { endpoints, nodeOrder, settingsOrder } from "./endpoints.ts"
import { views } from "./views.ts"

const messages: Messages = {
  reportsMissingFirst: false,
  missing: (path, name, shape) =>
    shape?._tag === "map" ? `${path}/${name} must be object` : `${path} must have required property '${name}'`,
  unknown: (path, names) => `${path} Unrecognized key(s) in object: ${quoted(names, ", ")}`,
  type: (path, expected, value) => `${path} Expected ${expected}, received ${typeName(value)}`,
  choice: (path, allowed, value) =>
    Predicate.isString(value)
      ? `${path} Invalid enum value. Expected ${quoted(allowed, " | ")}, received '${value}'`
      : `${path} Expected ${quoted(allowed, " | ")}, received ${typeName(value)}`,
  json: (path, value) => (Predicate.isString(value) ? `${path} must be a JSON string` : `${path} Invalid input`),
  unauthorized: () => "Unauthorized",
  noWorkflow: (verb) => `You do not have permission to ${verb} this workflow. Ask the owner to share it with you.`,
  noRespondent: "No Respond to Webhook node found in the workflow",
  noItem: "No item to return was found",
  testButton: "Execute workflow"
}

const quoted = (names: ReadonlyArray<string>, separator: string) => names.map((name) => `'${name}'`).join(separator)

const momentForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/

/** Unknown or empty values are ignored. */
const queryProblem =
  (parameters: Parameters) =>
  (given: Given): string | undefined => {
    const { name, values } = given
    const parameter = entryOf(parameters, name)
    const [value = ""] = values
    const path = `request/query/${name}`
    if (parameter === undefined) return undefined
    if (values.length > 1) return messages.type(path, "string", values)
    if (parameter === "any" || parameter === "encoded") return undefined
    if (parameter === "escaped") return reservedProblem(given)
    if (parameter === "moment") return momentForm.test(value) ? undefined : `${path} Invalid datetime`
    if (parameter !== "limit") {
      const allowed = parameter === "boolean" ? ["true", "false"] : parameter
      return allowed.includes(value) ? undefined : messages.choice(path, allowed, value)
    }
    if (value === "") return undefined
    if (!/^[+-]?\d+(\.\d+)?$/.test(value)) return `${path} Param \`limit\` must be a valid integer`
    return value.startsWith("-") ? `${path} Param \`limit\` must be a non-negative integer` : undefined
  }

/** Kinds of nodes that are called from outside, under their own id. */
const called = new Set(["webhook", "formTrigger", "chatTrigger", "form", "wait"])

/** Values with which an update removes settings. */
const lostAs = { errorWorkflow: "DEFAULT", timezone: "DEFAULT", executionTimeout: -1 }

/** A workflow has versions: a new graph makes one, and the published one keeps running besides the saved one. */
const workflows: WorkflowRules = {
  keptNode: (node) => pick(nodeOrder, node),
  keptSettings: (settings) => pick(settingsOrder, settings),
  needsWebhookId: ({ type, webhookId }) =>
    webhookId === undefined && Predicate.isString(type) && called.has(nodeKind(type)),
  graphProblem,
  groupProblem,
  creationProblem,
  updatedSettings: (before, sent) =>
    Object.fromEntries(
      Object.entries({ ...before, ...sent }).filter(([name, value]) => value !== entryOf(lostAs, name))
    ),
  isNewVersion: (before, draft) =>
    !Equal.equals(draft.nodes, before.nodes) ||
    !Equal.equals(draft.connections, before.connections) ||
    (draft.nodeGroups !== undefined && !Equal.equals(draft.nodeGroups, before.nodeGroups)),
  afterRefusedUpdate: (updated) => updated,
  activatesAgain: true,
  sharesAddresses: false,
  activationProblem,
  callProblem,
  deletionProblem: ({ published }) =>
    published === null ? undefined : conflict("Cannot delete a published workflow. Unpublish it before deleting."),
  ignoresUnknownTags: false
}

/** Most credential types can be restricted to some hosts. */
const hosts = { allowedHttpRequestDomains: choice("all", "domains", "none"), allowedDomains: text }
const notice = { type: "notice" }

/** Fields that credential types have gained since 1.x. */
const gained: Readonly<Record<string, CredentialType>> = {
  httpBasicAuth: { properties: hosts },
  httpDigestAuth: { properties: hosts },
  httpHeaderAuth: { properties: { useCustomAuth: notice, ...hosts } },
  httpQueryAuth: { properties: hosts },
  httpCustomAuth: { properties: hosts },
  slackApi: { properties: { signatureSecret: text, notice, ...hosts } },
  telegramApi: { properties: {}, required: ["accessToken"] },
  githubApi: { properties: hosts },
  openAiApi: { properties: { header: boolean, headerName: text, headerValue: text, ...hosts } }
}

const withGained = ([name, { properties, required = [] }]: [string, CredentialType]): [string, CredentialType] => [
  name,
  {
    properties: { ...properties, ...entryOf(gained, name)?.properties },
    required: entryOf(gained, name)?.required ?? required
  }
]

/** The engine 2.41.1. */
export const v2: Dialect["Service"] = {
  endpoints,
  version: "2.41.1",
  publicSettings: { settingsMode: "public" },
  answersHeadAndOptions: true,
  messages,
  readQuery: (parameters, source) => readQuery(source, queryProblem(parameters)),
  paging: {
    limit: (size) => Result.succeed(Math.min(Math.trunc(size), 250)),
    badNumber: new Refusal({ status: 500, message: "Internal server error" })
  },
  views,
  workflows,
  publishing: {
    listensAfter: 150,
    busyFor: 75,
    keepsHistory: true,
    isUpdate: false,
    scheduleState: { recurrenceRules: [null], recurrenceRuleSignatures: [null] }
  },
  executions: {
    id: (text) =>
      /^0*[1-9]\d*$/.test(text)
        ? Result.succeed(Number(text))
        : Result.fail(badRequest("request/params/executionId must be a positive integer")),
    isListed: (status, wanted) => (wanted === undefined ? status !== "running" : status === wanted)
  },
  credentialTypes: Object.fromEntries(Object.entries(credentialTypes).map(withGained))
}
