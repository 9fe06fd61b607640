import { Data } from "effect"

import { quotedText } from "../../../internal/foreignText.ts"

/** A temporary copy that could not be deleted. */
export class LeftCopy extends Data.TaggedError("LeftCopy")<{
  readonly id: string
  readonly name: string
  readonly instance: string
  /** Why it could not be deleted. */
  readonly problem: string
  readonly isOff: boolean
}> {
  override get message() {
    const { id, instance, isOff, name, problem } = this
    return (
      `The temporary copy ${id} could not be deleted (${problem}). It is left on instance ${instance} as ${quotedText(name)}, ` +
      `${isOff ? "switched off" : "and may still be active, as it could not be switched off either"}: delete it with ` +
      "delete_workflow once the API key may do that, or in the engine UI."
    )
  }
}
