import { Predicate } from "effect"

import { listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Execution } from "../../workflow/models.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { secondsOf, statusOf } from "./describeExecution.ts"
import { messageOf } from "./failure.ts"
import type { FailureClass } from "./failureClass.ts"
import { fieldNotes, textsIn } from "./inputFields.ts"
import { nodeNamed, textIn } from "./runData.ts"
import type { FailedRun } from "./subRuns.ts"

/** The circumstances of a failure beyond its own record. */
export interface Circumstances {
  /** Whether the node, unchanged, was answered in the last success. */
  readonly wasAnswered?: boolean
}

/** The class of the failure of an execution; of one that failed in sub-workflows, by the innermost run. */
export const failureClassOf = (
  execution: Execution,
  innermost: FailedRun | undefined,
  circumstances: Circumstances = {}
): FailureClass => {
  const status = statusOf(execution)
  if (status === "canceled") return classOfCanceled(execution)
  if (status === "crashed") return "engine restarted in the midst"
  if (status !== "error" || innermost === undefined) return "unknown"
  const evidence = evidenceOf(innermost, circumstances)
  return rules.find(([, fits]) => fits(evidence))?.[0] ?? "unknown"
}

/** Milliseconds by which clocks and timers of an engine may be off. */
const slack = 0.05

/** A run that its workflow's limit ended took at least as long. */
const classOfCanceled = (execution: Execution): FailureClass => {
  const limit = Number(objectOf(objectOf(execution.workflowData).settings).executionTimeout)
  const seconds = secondsOf(execution)
  if (!(limit > 0)) return "stopped by a person"
  if (seconds === undefined) return "unknown"
  return seconds >= limit - slack ? "timed out" : "stopped by a person"
}

/** The parts of a record that rules look at. */
interface Evidence extends Circumstances {
  readonly kind: string
  readonly message: string
  /** The error's message, description and the service's answer, as one text. */
  readonly words: string
  /** The kind of error that code threw. */
  readonly thrown: string | undefined
  /** Status that a service answered with. */
  readonly status: number | undefined
  /** Code of a system or driver, such as ECONNREFUSED. */
  readonly code: string
  readonly isRequest: boolean
  readonly hasCredentials: boolean
  /** Whether the item that failed lacks a field that the node refers to. */
  readonly lacks: boolean
  /** Whether the error is about such a field. */
  readonly isAboutLacking: boolean
}

/** Characters of a text that are searched. */
const longest = 4000

const evidenceOf = ({ data, failure, references }: FailedRun, circumstances: Circumstances): Evidence => {
  const { at, error, input, item } = failure
  const node = nodeNamed(data, at?.node) ?? {}
  const message = messageOf(error).slice(0, longest)
  const thrown = textIn(error.description)
  const words = [message, thrown, ...listOf(error.messages).map(textIn)].join("\n").slice(0, longest)
  const stated = error.httpCode ?? objectOf(error.context).httpCode ?? objectOf(error.cause).status
  const said = /^Request failed with status code (\d{3})\b/.exec(message)?.[1]
  const status = [stated, said].map(Number).find((one) => one >= 100 && one < 600)
  const code = [stated, error.code, objectOf(error.cause).code, codeIn(words)].find(isCode) ?? ""
  const failing = item === undefined ? input : input.slice(item, item + 1)
  const lacking = Object.keys(fieldNotes({ data, input: failing }, undefined, references))
  return {
    ...circumstances,
    kind: kindOf(node),
    message,
    words,
    thrown,
    status,
    code,
    isRequest:
      kindOf(node) === "httpRequest" || objectOf(error.context).request !== undefined || thrown === "AxiosError",
    hasCredentials: Object.keys(objectOf(node.credentials)).length > 0,
    lacks: lacking.length > 0,
    isAboutLacking: isAboutOneOf(
      lacking,
      message,
      textsIn(node.parameters),
      Object.keys(objectOf(objectOf(failing[0]).json))
    )
  }
}

const isCode = (value: unknown): value is string => Predicate.isString(value) && /^[A-Z][A-Z\d_]{3,40}$/.test(value)

/** The code in the words of a failed connection: `connect ECONNREFUSED 127.0.0.1:9`. */
const codeIn = (words: string): string | undefined =>
  /\b(?:connect|getaddrinfo|read|write) (E[A-Z_]{3,20})\b/.exec(words)?.[1]

const escaped = (text: string): string => text.replace(/[^\w]/g, "\\$&")

/**
 * Whether an error of code is about a field that its item lacks: it read a property of such a field, or of one that is
 * neither in the item nor set by the code itself.
 */
const isAboutOneOf = (
  lacking: ReadonlyArray<string>,
  message: string,
  texts: ReadonlyArray<string>,
  present: ReadonlyArray<string>
): boolean => {
  const [, read] = /^Cannot read propert(?:y|ies) of (?:undefined|null) \(reading '([^']{1,80})'\)/.exec(message) ?? []
  const steps = lacking.map((path) => path.split(/\.| → /))
  if (read === undefined) {
    const [, what] = /^(.{1,200}?) is not (?:iterable|a function)/.exec(message) ?? []
    return what !== undefined && steps.some((path) => what.split(/[.?[\]"']+/).includes(path.at(-1) ?? ""))
  }
  const follows = (name: string) =>
    new RegExp(`${escaped(name)}["'\\]]{0,2}\\s{0,5}\\??(?:\\.|\\.?\\[\\s{0,5}["'])\\s{0,5}${escaped(read)}(?![\\w$])`)
  if (steps.some((path) => path.includes(read) || texts.some((text) => follows(path.at(-1) ?? "").test(text))))
    return true
  const property = new RegExp(
    `([\\w$]{0,80})\\.([A-Za-z_$][\\w$]{0,80})\\s{0,5}\\.\\s{0,5}${escaped(read)}(?![\\w$])`,
    "g"
  )
  const isSet = (name: string, text: string) => new RegExp(`(?<![\\w$])${escaped(name)}\\s{0,5}[:=](?!=)`).test(text)
  return texts.some((text) =>
    [...text.matchAll(property)].some(
      ([, of = "", name = ""]) => !isGlobal(of) && !present.includes(name) && !isSet(name, text)
    )
  )
}

/** Whether a name is one of the engine's own, which no item has. */
const isGlobal = (name: string) => name.startsWith("$") && name !== "$json"

const isOneOf =
  <A>(...values: ReadonlyArray<A>) =>
  (value: A) =>
    values.includes(value)

const refusesLogin = isOneOf("EAUTH", "ER_ACCESS_DENIED_ERROR", "INVALID_LOGIN")
const isGone = isOneOf("ERR_INVALID_URL", "ERR_UNESCAPED_CHARACTERS", "ENOTFOUND")
const unreachable = new Set(
  (
    "ECONNABORTED ECONNREFUSED ECONNRESET EAI_AGAIN EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH EPIPE ESOCKETTIMEDOUT " +
    "ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_SOCKET"
  ).split(" ")
)
const isDown = isOneOf<number | undefined>(408, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530)
const isOfCode = isOneOf<string | undefined>("EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError")

/** The words of engines and drivers, each of which stands for one class alone. */
const says = {
  missing:
    /^(?:Workflow does not exist|The workflow .{0,200} (?:does not exist|could not be found|is not (?:active|published))|Workflow .{0,200} (?:has no (?:active|published) version|is not (?:active|published))|Credential with ID .{0,200} does not exist|Credentials? not found|Node .{0,200} does not have any credentials|Node does not have any credentials)/i,
  unknownNode: /^(?:Unrecognized node type:|Unknown node type:|Node type .{0,200} is not (?:available|known))/,
  crashed: /^Workflow did not finish, possible out-of-memory issue/,
  timedOut: /^(?:Task execution timed out|The execution (?:timed out|was cancell?ed because it timed out))/i,
  memory:
    /^(?:Invalid (?:string|array|typed array) length|Array buffer allocation failed)|\bheap out of memory\b|\bran out of memory\b/i,
  tooLarge: /\b(?:payload|request entity|message|body) (?:is )?too large\b/i,
  rate: /\brate[ _-]?limit|\btoo many requests\b|\bquota (?:has been )?exceeded\b|\bthrottl/i,
  login:
    /\bpassword authentication failed\b|\baccess denied for user\b|\binvalid login\b|\binvalid_grant\b|\bauthentication failed\b/i,
  expression:
    /^(?:Referenced node (?:doesn't|does not) exist|invalid syntax|Code doesn't return (?:items properly|a single object)|Maximum call stack size exceeded)/,
  required: /\b(?:required|missing|undefined|null|empty)\b/i
} as const

const isAnswered = ({ status }: Evidence) => status !== undefined && status >= 400

/** The first rule that fits gives the class. A node that only stops the workflow with a text of its own fits none. */
const rules: ReadonlyArray<readonly [FailureClass, (evidence: Evidence) => boolean]> = [
  ["unknown", ({ kind }) => kind === "stopAndError"],
  ["engine restarted in the midst", ({ message }) => says.crashed.test(message)],
  ["missing sub-workflow or credential", ({ message }) => says.missing.test(message)],
  ["node unknown here", ({ message }) => says.unknownNode.test(message)],
  ["timed out", ({ message }) => says.timedOut.test(message)],
  [
    "item limit or memory",
    ({ code, message, status, words }) =>
      status === 413 ||
      isOneOf("ENOMEM", "ENOBUFS")(code) ||
      (status === undefined ? says.memory.test(message) : says.tooLarge.test(words))
  ],
  ["rate limit", (all) => all.status === 429 || (isAnswered(all) && says.rate.test(all.words))],
  [
    "credential refused",
    ({ code, hasCredentials, status, words }) =>
      isOneOf<number | undefined>(401, 403, 407)(status) ||
      refusesLogin(code) ||
      (hasCredentials && says.login.test(words))
  ],
  ["service down or slow", ({ code, wasAnswered }) => code === "ENOTFOUND" && wasAnswered === true],
  [
    "address wrong",
    ({ code, isRequest, message, status }) =>
      isGone(code) ||
      /^Invalid URL\b/.test(message) ||
      (isRequest && isOneOf<number | undefined>(404, 405, 410)(status))
  ],
  [
    "service down or slow",
    ({ code, message, status }) => isDown(status) || unreachable.has(code) || message === "socket hang up"
  ],
  [
    "data without a field",
    ({ isAboutLacking, lacks, message, status, thrown }) =>
      isAboutLacking ||
      (lacks && isOneOf<number | undefined>(400, 422)(status)) ||
      (lacks && status === undefined && thrown === undefined && says.required.test(message))
  ],
  [
    "expression or code wrong",
    ({ message, status, thrown }) => status === undefined && (isOfCode(thrown) || says.expression.test(message))
  ]
]
