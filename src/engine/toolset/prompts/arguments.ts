import { Cron, DateTime, Effect, Option, Result, Schema } from "effect"

/** A text that may be left out; then it is `value`. */
const textOr = (value: string, description: string) =>
  Schema.String.check(Schema.isPattern(/\S/, { message: "must not be empty" }))
    .annotate({ description: `${description}; default ${value}` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))

export const workflowName = (value: string) => textOr(value, "Name of the workflow")

export const task = () =>
  Schema.optionalKey(
    Schema.String.annotate({ description: "What the workflow is for, in a sentence; becomes a note on its main node" })
  )

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

export const method = (description: string) =>
  Schema.Literals(methods)
    .annotate({ description: `${description}; default POST`, examples: methods })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("POST" as const)))

const isCron = (text: string) => Result.isSuccess(Cron.parse(text)) || "must be a cron expression like 0 9 * * 1-5"

export const cron = () =>
  Schema.String.annotate({
    description: "When to run, as a cron expression: minute, hour, day, month, weekday",
    examples: ["0 9 * * *", "0 9 * * 1-5", "*/15 * * * *", "0 * * * *", "0 0 * * 0", "0 0 1 * *"]
  }).check(Schema.makeFilter(isCron))

const isTimeZone = (text: string) =>
  (/^[a-z]/i.test(text) && Option.isSome(DateTime.zoneMakeNamed(text))) || "must be a time zone like Europe/Berlin"

export const timezone = () =>
  Schema.optionalKey(
    Schema.String.annotate({
      description: "Time zone of the schedule; default that of the engine",
      examples: ["UTC", ...Intl.supportedValuesOf("timeZone")]
    }).check(Schema.makeFilter(isTimeZone))
  )

export const minutes = () =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 59 }, { message: "must be between 1 and 59" }))
    .annotate({ description: "Minutes between two calls, 1 to 59; default 15", examples: [5, 10, 15, 20, 30] })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(15)))

const Path = () =>
  Schema.String.check(
    Schema.isPattern(/^[\w-]+(\/[\w-]+)*$/, {
      message: "must be made of letters, digits, - and _, in parts joined by /, like orders/new"
    })
  )

export const path = () =>
  Path().annotate({ description: "Path of the webhook below /webhook/", examples: ["orders/new"] })

export const pathOr = (value: string) =>
  Path()
    .annotate({ description: `Path of the webhook below /webhook/; default ${value}`, examples: [value] })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))

const isAddress = (text: string) =>
  (/^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)) || "must be an address like https://api.example.com/items"

export const url = () =>
  Schema.String.annotate({
    description: "Address to call, http or https",
    examples: ["https://"]
  }).check(Schema.makeFilter(isAddress))

export const credentialId = () =>
  Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[\w-]+$/, { message: "must be the id of a credential" })).annotate({
      description: "Id of a credential of type httpHeaderAuth that holds the service's key; default no key is sent"
    })
  )

export const idField = () =>
  Schema.String.check(
    Schema.isPattern(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/, { message: "must be a field name like id or data.id" })
  )
    .annotate({ description: "Field that tells items apart; default id", examples: ["id", "uuid", "key"] })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("id")))

export const fields = () =>
  Schema.String.check(
    Schema.isPattern(
      /^\s*\w+\s*=\s*[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\s*(,\s*\w+\s*=\s*[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\s*)*$/,
      {
        message: "must be pairs of new=old field, like customer=user.name,total=amount"
      }
    )
  ).annotate({
    description: "Fields of the result and where they come from: new=old, comma separated",
    examples: ["customer=user.name,total=amount"]
  })
