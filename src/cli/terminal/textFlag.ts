import { Flag } from "effect/cli"

/** A flag with a text; the last counts if it is repeated. */
export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((texts) => texts.at(-1))
  )
