import { Effect, Predicate, Redacted } from "effect"

import { type Receiver, WatchError } from "../../engine/operator/watch/watch.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import type { ReceiverSettings } from "../configuration/watchSettings.ts"

/** The part of the library that is used. */
interface Mailer {
  readonly createTransport: (options: object) => { readonly sendMail: (mail: object) => Promise<unknown> }
}

const isMailer = (value: unknown): value is Mailer =>
  Predicate.hasProperty(value, "createTransport") && Predicate.isFunction(value.createTransport)

/** The library is installed separately, as few send mail. */
const library: string = "nodemailer"

const load: Effect.Effect<Mailer, ConfigurationError> = Effect.tryPromise({
  try: (): Promise<unknown> => import(library),
  catch: () => missing
}).pipe(
  Effect.flatMap((loaded) => {
    const module = Predicate.hasProperty(loaded, "default") ? loaded.default : loaded
    return isMailer(module) ? Effect.succeed(module) : Effect.fail(missing)
  })
)

const missing = new ConfigurationError({
  message: "watch.receivers: email needs the package nodemailer: npm install nodemailer, beside workflow-tool-server"
})

/** Sends each message as plain text; to another machine only encrypted. */
export const mailing = Effect.fnUntraced(function* ({
  from,
  smtp,
  to
}: Extract<ReceiverSettings, { readonly type: "email" }>) {
  const { createTransport } = yield* load
  const url = new URL(Redacted.value(smtp))
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (url.protocol === "smtps:" ? 465 : 587) : Number(url.port),
    secure: url.protocol === "smtps:",
    requireTLS: url.protocol === "smtp:" && !isHere,
    ignoreTLS: url.protocol === "smtp:" && isHere,
    ...(url.username === ""
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return (({ id, text, title }) =>
    Effect.asVoid(
      Effect.tryPromise({
        try: () =>
          transport.sendMail({
            from,
            to: [...to],
            subject: title.slice(0, 200),
            text,
            headers: { "X-Entity-Ref-ID": id.slice(0, 100) }
          }),
        catch: (error) => new WatchError({ message: `the mail server did not take it (${codeOf(error)})` })
      })
    )) satisfies Receiver["send"]
})

/** The code of a failure; its words may hold what was sent. */
const codeOf = (error: unknown): string => {
  const status = Predicate.hasProperty(error, "responseCode") ? error.responseCode : undefined
  return typeof status === "number" ? `status ${status}` : (transportCode(error) ?? "unknown reason")
}
