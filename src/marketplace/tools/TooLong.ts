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

/** A read would take more calls than the marketplace's limits let through while the caller waits. */
export class TooManyCalls extends Schema.TaggedError<TooManyCalls>()("TooManyCalls", {
  calls: Schema.Int,
  most: Schema.Int,
  seconds: Schema.Int,
  /** The most that can be asked for at once. */
  fits: Schema.String
}) {
  override get message() {
    return (
      `This would take ${this.calls} calls, and the marketplace's limits allow ${this.most} within ${this.seconds} seconds; ` +
      `nothing was sent. Ask for at most ${this.fits} at once.`
    )
  }
}
