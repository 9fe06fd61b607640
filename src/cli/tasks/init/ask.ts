import { Effect, Redacted } from "effect"
import { Prompt } from "effect/cli"

import { type ClientName, clientNames, clients } from "./clients.ts"

/** Asks a person for what the arguments leave open. */
export const askHost = (before: string | undefined) =>
  Prompt.String({
    message: "Address of your engine",
    ...(before === undefined ? {} : { default: before }),
    validate: (text) => (text.trim() === "" ? Effect.fail("such as https://engine.example.com") : Effect.succeed(text))
  })

export const askKey = Prompt.Hidden({
  message: "Its API key (made in its settings; what you paste is not shown)",
  validate: (text) => (text.trim() === "" ? Effect.fail("paste the key that the engine made") : Effect.succeed(text))
}).pipe(Effect.map((key) => Redacted.value(key).trim()))

export const askAgain = Prompt.Confirm({ message: "Try another address or key?", initial: true })

export const askClients: Effect.Effect<
  ReadonlyArray<ClientName>,
  Effect.Error<typeof askAgain>,
  Effect.Services<typeof askAgain>
> = Prompt.MultiSelect({
  message: "Which programs shall use it?",
  choices: clientNames.map((name) => ({ title: clients[name].title, value: name }))
})
