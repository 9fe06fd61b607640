import { Effect, Result } from "effect"

/** A list in two. */
export const halves = <A>(all: ReadonlyArray<A>): readonly [ReadonlyArray<A>, ReadonlyArray<A>] => {
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)]
}

/** The answers of reads, by the items that were asked for at once, and the items that the upstream does not show. */
interface BisectedReads<A, B, R> {
  readonly answers: ReadonlyArray<{ readonly items: ReadonlyArray<A>; readonly answer: B }>
  readonly refused: ReadonlyArray<{ readonly item: A; readonly reason: R }>
}

/** So many items refused without one that is shown are no accident of single items. */
const mostRefused = 20

/** Reads many items at once. One that the upstream refuses to show (`refusal` says why) does not hide the others. */
export const bisectReads = Effect.fnUntraced(function* <A, B, E, R>(
  all: ReadonlyArray<A>,
  read: (items: ReadonlyArray<A>) => Effect.Effect<B, E>,
  refusal: (error: E) => R | undefined
): Effect.fn.Return<BisectedReads<A, B, R>, E> {
  const answers: Array<BisectedReads<A, B, R>["answers"][number]> = []
  const refused: Array<BisectedReads<A, B, R>["refused"][number]> = []
  const open = all.length === 0 ? [] : [all]
  for (let items = open.pop(); items !== undefined; items = open.pop()) {
    const outcome = yield* Effect.result(read(items))
    if (Result.isSuccess(outcome)) {
      answers.push({ items, answer: outcome.success })
      continue
    }
    const { failure } = outcome
    const [item] = items
    const isHopeless = answers.length === 0 && refused.length >= mostRefused
    const reason = refusal(failure)
    if (isHopeless || item === undefined || reason === undefined) return yield* Effect.fail(failure)
    if (items.length === 1) refused.push({ item, reason })
    else open.push(...halves(items).toReversed())
  }
  return { answers, refused }
})
