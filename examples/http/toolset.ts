import { Context, Effect, Layer, Ref, Schema } from "effect"
import { Annotations, text, Tool, type Toolset } from "workflow-tool-server/mcp"

/** Votes by place; gone with the process. */
export class Votes extends Context.Service<
  Votes,
  {
    readonly all: Effect.Effect<Readonly<Record<string, number>>>
    /** Counts one more and answers how many a place has. */
    readonly add: (place: string) => Effect.Effect<number>
  }
>()("examples/http/Votes") {
  static readonly layer = Layer.effect(
    Votes,
    Effect.map(Ref.make(new Map<string, number>()), (votes) => ({
      all: Effect.map(Ref.get(votes), Object.fromEntries<number>),
      add: (place) =>
        Ref.modify(votes, (before) => {
          const count = (before.get(place) ?? 0) + 1
          return [count, new Map(before).set(place, count)]
        })
    }))
  )
}

const listVotes = Tool.make("list_votes", {
  title: "List votes",
  description: "List the places that people want to have lunch at, with their votes",
  annotations: Annotations.reads,
  arguments: {},
  result: Schema.Struct({ votes: Schema.Record(Schema.String, Schema.Int) }),
  run: () =>
    Effect.map(
      Votes.use(({ all }) => all),
      (votes) => ({ votes })
    )
})

const voteFor = Tool.make("vote_for", {
  title: "Vote for a place",
  description: "Add one vote for a place to have lunch at",
  annotations: Annotations.creates,
  arguments: { place: text("Name of the place") },
  result: Schema.Struct({ place: Schema.String, votes: Schema.Int }),
  run: ({ place }) =>
    Effect.map(
      Votes.use(({ add }) => add(place)),
      (votes) => ({ place, votes })
    )
})

export const LunchToolset: Toolset.Toolset<Votes> = {
  name: "lunch",
  instructions: "These tools count where people want to have lunch.",
  data: ["places"],
  tools: [listVotes, voteFor]
}
