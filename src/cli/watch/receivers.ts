import { Console, Effect, Redacted, type Scope } from "effect"
import { HttpClientRequest } from "effect/http"

import type { Message } from "../../engine/operator/watch/messages.ts"
import { type Receiver, WatchError } from "../../engine/operator/watch/watch.ts"
import type { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { visible } from "../../internal/foreignText.ts"
import { HttpClients, type UnusableConnection } from "../../internal/http/HttpClients.ts"
import type { Tool } from "../../mcp/Tool.ts"
import { calledAtOnce } from "../audit/calledAtOnce.ts"
import type { ReceiverSettings } from "../configuration/watchSettings.ts"

/** Standard output, for people and for cron. */
export const stdout: Receiver = {
  name: "stdout",
  least: "info",
  send: ({ text }) => Console.log(visible(text))
}

/** The receivers of the configuration, each under its name, or its type and its place in the list. */
export const receiversOf = (settings: ReadonlyArray<ReceiverSettings>, tools: ReadonlyArray<Tool>) =>
  Effect.forEach(settings, (one, place) =>
    Effect.map(sendingOf(one, tools), (send): Receiver => ({
      name: one.name ?? `${one.type} ${place + 1}`,
      least: one.least ?? "info",
      send: (message) => send(message).pipe(Effect.timeoutOrElse({ duration: sendTime, orElse: () => noAnswer }))
    }))
  )

const sendTime = "20 seconds"
const noAnswer = Effect.fail(new WatchError({ message: "it did not answer within 20 seconds" }))

type Send = Receiver["send"]

const sendingOf = (
  settings: ReceiverSettings,
  tools: ReadonlyArray<Tool>
): Effect.Effect<Send, ConfigurationError | UnusableConnection, HttpClients | Scope.Scope> => {
  switch (settings.type) {
    case "webhook":
      return posting(settings.url, (message) => signed(message, settings.secret))
    case "slack":
      return posting(settings.url, (message) => Effect.succeed({ body: { text: message.text }, headers: {} }))
    case "teams":
      return posting(settings.url, (message) => Effect.succeed({ body: cardOf(message), headers: {} }))
    case "email":
      return Effect.flatMap(
        Effect.promise(() => import("./mail.ts")),
        ({ mailing }) => mailing(settings)
      )
    default:
      return Effect.succeed(running(settings, tools))
  }
}

interface Post {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** Sends each message by a POST; redirects are not followed, as they would take it elsewhere. */
const posting = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  write: (message: Message) => Effect.Effect<Post & { readonly text?: string }>
) {
  const client = yield* Effect.flatMap(HttpClients, ({ make }) => make({}))
  const send: Send = (message) =>
    Effect.flatMap(write(message), ({ body, headers, text = JSON.stringify(body) }) => {
      const request = HttpClientRequest.post(Redacted.value(url)).pipe(
        HttpClientRequest.setHeaders(headers),
        HttpClientRequest.bodyText(text, "application/json")
      )
      return client.execute(request).pipe(
        Effect.mapError(() => new WatchError({ message: "it could not be reached" })),
        Effect.flatMap(({ status }) =>
          status >= 200 && status <= 299 ? Effect.void : refused(`it answered with status ${status}`)
        )
      )
    })
  return send
})

/** A message signed as Standard Webhooks are: over its id, its time and its body. */
const signed = Effect.fnUntraced(function* (message: Message, secret: Redacted.Redacted) {
  const body = { type: "workflow-tool-server.watch", timestamp: message.at, data: message }
  const text = JSON.stringify(body)
  const seconds = String(Math.floor(Date.parse(message.at) / 1000))
  const signature = yield* Effect.promise(() => hmac(Redacted.value(secret), `${message.id}.${seconds}.${text}`))
  const headers = {
    "webhook-id": message.id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`
  }
  return { body, headers, text }
})

const encoder = new TextEncoder()

/** Signs in base64. A secret that begins with `whsec_` is base64 itself, as the standard has it. */
const hmac = (secret: string, text: string): Promise<string> => {
  const bytes = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : encoder.encode(secret)
  return crypto.subtle
    .importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
    .then((key) => crypto.subtle.sign("HMAC", key, encoder.encode(text)))
    .then((signature) => Buffer.from(signature).toString("base64"))
}

const colours = { error: "attention", warning: "warning", info: "default" } as const

/** A message as an adaptive card, which workflows of Teams take. */
const cardOf = ({ severity, text, title }: Message) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        type: "AdaptiveCard",
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        version: "1.4",
        body: [
          { type: "TextBlock", text: title, weight: "bolder", wrap: true, color: colours[severity] },
          ...text
            .split("\n")
            .slice(1)
            .map((line) => ({ type: "TextBlock", text: line, wrap: true, spacing: "small" }))
        ]
      }
    }
  ]
})

/** Runs a workflow through its webhook with each message. */
const running =
  ({ id, instance }: Extract<ReceiverSettings, { readonly type: "workflow" }>, tools: ReadonlyArray<Tool>): Send =>
  (message) => {
    const tool = tools.find(({ name }) => name === "execute_workflow")
    if (tool === undefined) return refused("no instance is configured that could run it")
    const input = { id, data: { ...message }, ...(instance === undefined ? {} : { instance }) }
    return calledAtOnce(tool, input).pipe(
      Effect.mapError((error) => new WatchError({ message: error.message })),
      Effect.flatMap(({ structured = {} }) => {
        const { guidance, status = "success" } = structured
        if (typeof guidance === "string") return refused(guidance)
        return wellEnded.has(String(status)) ? Effect.void : refused(`its run ended as ${String(status)}`)
      })
    )
  }

const refused = (message: string) => Effect.fail(new WatchError({ message }))

const wellEnded: ReadonlySet<string> = new Set(["running", "success", "waiting"])
