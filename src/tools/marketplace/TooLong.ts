import { Schema } from "effect"

/** A read or a plan was not done in time, because the marketplace allows few of the calls that it takes. */
export class TooLong extends Schema.TaggedError<TooLong>()("TooLong", { seconds: Schema.Int }) {
  override get message() {
    return (
      `Not done within ${this.seconds} seconds under the marketplace's limits; nothing was changed. Ask for fewer days, ` +
      "campaigns or articles at once, or again in a minute."
    )
  }
}
