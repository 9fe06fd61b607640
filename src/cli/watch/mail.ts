import { Effect, Predicate, Redacted } from "effect"

import { type Receiver, WatchError } from "../../engine/operator/watch/watch.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import type { ReceiverSettings } from "../configuration/watchSettings.ts"

/** The mail library, which is installed separately, as few send mail. */
const load = Effect.tryPromise({
  try: () => import("nodemailer"),
  catch: () =>
    new ConfigurationError({
      message:
        "watch.receivers: email needs the package nodemailer: npm install nodemailer, beside workflow-tool-server"
    })
})

/** Sends each message as plain text; to another machine only encrypted. */
export const mailing = Effect.fnUntraced(function* ({
  from,
  smtp,
  to
}: Extract<ReceiverSettings, { readonly type: "email" }>) {
  const { default: library } = yield* load
  const url = new URL(Redacted.value(smtp))
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  const transport = library.createTransport({
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
