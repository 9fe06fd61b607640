import { Flag } from "effect/cli"

/** A flag with a text, of which the last counts where it is given more than once. */
export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((texts) => texts.at(-1))
  )
