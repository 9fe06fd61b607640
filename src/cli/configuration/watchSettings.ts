import { Effect, Schema } from "effect"

import { isLoopback } from "../../internal/config/baseUrl.ts"
import {
  below,
  decode,
  fieldOf,
  matching,
  meaning,
  number,
  secret,
  text,
  texts,
  unknownFields,
  whole
} from "../../internal/config/fields.ts"

const severityWords = "error, warning or info"
const severity = Schema.Literals(["error", "warning", "info"]).annotate({ message: severityWords })

const hookWords = "the address of a webhook, which begins with https://"

/** An address that is a secret by itself, and is only used over a connection that nobody can read. */
const hookUrl = Schema.RedactedFromValue(
  text(hookWords).check(
    Schema.makeFilter((written) => {
      if (!URL.canParse(written)) return hookWords
      const { hostname, protocol } = new URL(written)
      return protocol === "https:" || (protocol === "http:" && isLoopback(hostname)) ? undefined : hookWords
    })
  )
)

const smtpWords = "the address of a mail server as smtps://user:password@host:465, or smtp:// with STARTTLS"

const least = { least: Schema.optionalKey(severity), name: Schema.optionalKey(text("a name")) }

/** A field that has to be there. */
const required =
  (words: string) =>
  <S extends Schema.Top>(field: S): S["Rebuild"] =>
    field.annotateKey({ messageMissingKey: `${words}, and there is none` })

const WebhookReceiver = Schema.Struct({
  type: Schema.Literal("webhook"),
  url: hookUrl.pipe(required(hookWords)),
  secret: secret("the secret that signs messages").pipe(required("the secret that signs messages")),
  ...least
})
const ChatReceiver = Schema.Struct({
  type: Schema.Literals(["slack", "teams"]),
  url: hookUrl.pipe(required(hookWords)),
  ...least
})
const MailReceiver = Schema.Struct({
  type: Schema.Literal("email"),
  smtp: Schema.RedactedFromValue(matching(/^smtps?:\/\/\S+$/, smtpWords)).pipe(required(smtpWords)),
  from: text("the address of the sender").pipe(required("the address of the sender")),
  to: texts("a list of addresses").pipe(required("a list of addresses")),
  ...least
})
const WorkflowReceiver = Schema.Struct({
  type: Schema.Literal("workflow"),
  id: text("the id of an active workflow with a webhook").pipe(required("the id of an active workflow with a webhook")),
  instance: Schema.optionalKey(text("the name of an instance")),
  ...least
})

const receiverWords = "a receiver with type webhook, slack, teams, email or workflow"

const ReceiverFields = Schema.Union([WebhookReceiver, ChatReceiver, MailReceiver, WorkflowReceiver]).annotate({
  message: receiverWords
})
export type ReceiverSettings = typeof ReceiverFields.Type

const timeWords = "a time of the day as 22:00"
const time = matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, timeWords)

const zoneWords = "a time zone as Europe/Berlin"

const isZone = (name: string): boolean => Intl.supportedValuesOf("timeZone").includes(name) || name === "UTC"

const QuietFields = Schema.Struct({
  from: time.pipe(required(timeWords)),
  to: time.pipe(required(timeWords)),
  timezone: text(zoneWords)
    .check(Schema.makeFilter((name) => isZone(name) || zoneWords))
    .pipe(required(zoneWords)),
  except: Schema.optionalKey(severity)
}).annotate({ message: "an object with from, to and timezone" })

const ExpectationFields = Schema.Struct({
  workflow: text("the name or id of a workflow").pipe(required("the name or id of a workflow")),
  instance: Schema.optionalKey(text("the name of an instance")),
  everyHours: Schema.optionalKey(number(0.1, 10_000, "a number of hours from 0.1")),
  maxSeconds: Schema.optionalKey(number(0.1, 10_000_000, "a number of seconds from 0.1")),
  failures: Schema.optionalKey(whole(0, 1000, "a whole number from 0 to 1000")),
  ignore: Schema.optionalKey(texts("a list of kinds of findings, or of all"))
}).annotate({ message: "an object with workflow and what is expected of it" })

/** The rounds of a watching process, and whom it tells. */
export const WatchFields = Schema.Struct({
  everyMinutes: number(1, 1440, "a number of minutes from 1 to 1440").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(5)),
    meaning("minutes from one round to the next")
  ),
  instances: Schema.optionalKey(texts("a list of names of instances")).pipe(
    meaning("the instances that are watched; all unless this says otherwise")
  ),
  receivers: Schema.Array(ReceiverFields)
    .annotate({ message: "a list of receivers" })
    .pipe(
      Schema.withDecodingDefaultKey(Effect.succeed([])),
      meaning("whom to tell: see [watch.md](watch.md#receivers)")
    ),
  workflows: Schema.Array(ExpectationFields)
    .annotate({ message: "a list of expectations" })
    .pipe(
      Schema.withDecodingDefaultKey(Effect.succeed([])),
      meaning(
        "what is expected of single workflows in place of what follows from their past, for `instance_health`, too"
      )
    ),
  ignore: texts("a list of kinds of findings").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed([])),
    meaning("kinds of findings that are not told")
  ),
  quietHours: Schema.optionalKey(QuietFields).pipe(
    meaning(
      "hours in which messages are held back: `from`, `to`, `timezone`; `except` names the severity that is sent all the same"
    )
  ),
  messagesPerHour: whole(1, 1000, "a whole number from 1 to 1000").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(20)),
    meaning("most messages to one receiver; beyond them, one message tells all that is left")
  ),
  page: Schema.optionalKey(matching(/^https?:\/\/\S+$/, "the address of the page")).pipe(
    meaning("address of [the page](page.md), for links in messages")
  ),
  state: text("the name of a file").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(".workflow-watch.jsonl")),
    meaning("file of what was told and of the past; several copies keep it in `shared.redis`")
  )
}).annotate({ message: "an object" })
export type WatchSettingsInFile = typeof WatchFields.Type

/** The settings as given, and the names among them that are not settings. */
export const readWatch = (given: unknown, place: (path: string) => string) => ({
  settings: decode(WatchFields, given, place),
  unknown: [
    ...unknownFields(WatchFields, given),
    ...below("quietHours", unknownFields(QuietFields, fieldOf(given, "quietHours")))
  ]
})
