import { everything, lineEnds, type Part, parsePattern } from "./parsePattern.ts"

/** A place of the expression that reads one character, and the places that may read the next. */
interface Place {
  readonly chars: ReadonlyArray<boolean>
  readonly next: Set<number>
  /** Whether the whole has matched here, whatever follows. */
  isEnd: boolean
}

/** The places at which a part begins and ends. */
interface Ends {
  readonly first: ReadonlyArray<number>
  readonly last: ReadonlyArray<number>
  /** Those behind which it has matched, whatever follows. */
  readonly done: ReadonlyArray<number>
  /** Whether the part may read nothing. */
  readonly isEmpty: boolean
  /** Whether it may read nothing wherever it stands. */
  readonly isFree: boolean
}

/** Repeats of one character up to here are a constant factor. */
const fewRepeats = 64
const fewGroups = 8
/** Products of repeats within each other up to here are a constant size: engines unroll them. */
const smallSize = 2000

/** Whether a part matches only at the beginning of the text, or of a line. */
const beginsAt = (part: Part, place: "line" | "text"): boolean => {
  if (part._tag === "assertion") return part.of === place
  if (part._tag === "choice") return part.of.every((one) => beginsAt(one, place))
  if (part._tag === "sequence") return part.of[0] !== undefined && beginsAt(part.of[0], place)
  return part._tag === "repeat" && part.min > 0 && beginsAt(part.of, place)
}

const sizeOf = (part: Part): number => {
  if (part._tag === "choice" || part._tag === "sequence") return part.of.reduce((sum, one) => sum + sizeOf(one), 0)
  if (part._tag === "repeat") {
    return part.of._tag === "chars" ? 1 : sizeOf(part.of) * Math.max(1, part.max === Infinity ? part.min : part.max)
  }
  return part._tag === "look" ? sizeOf(part.of) : 1
}

const hasLoop = (part: Part): boolean => {
  if (part._tag === "choice" || part._tag === "sequence") return part.of.some(hasLoop)
  if (part._tag === "repeat") return part.max > fewRepeats || hasLoop(part.of)
  return part._tag === "look" && hasLoop(part.of)
}

/** Reasons for which the time of a search may grow faster than the text; none if it grows with the text. */
export const slowness = (source: string, flags: string): ReadonlyArray<string> => {
  const whole = parsePattern(source, flags)
  const reasons: Array<string> = []
  if (sizeOf(whole) > smallSize) reasons.push("repeats within repeats unroll to a large program")

  const places: Array<Place> = []
  const add = (chars: ReadonlyArray<boolean>): number => places.push({ chars, next: new Set(), isEnd: false }) - 1
  const link = (from: ReadonlyArray<number>, to: ReadonlyArray<number>) => {
    for (const one of from) for (const other of to) places[one]?.next.add(other)
  }
  const nothing: Ends = { first: [], last: [], done: [], isEmpty: true, isFree: false }

  const build = (part: Part): Ends => {
    if (part._tag === "chars") {
      const ends = [add(part.chars)]
      return { first: ends, last: ends, done: ends, isEmpty: false, isFree: false }
    }
    if (part._tag === "choice") {
      const all = part.of.map(build)
      return {
        first: all.flatMap(({ first }) => first),
        last: all.flatMap(({ last }) => last),
        done: all.flatMap(({ done }) => done),
        isEmpty: all.some(({ isEmpty }) => isEmpty),
        isFree: all.some(({ isFree }) => isFree)
      }
    }
    if (part._tag === "sequence") {
      return part.of.map(build).reduce<Ends>(
        (before, after) => {
          link(before.last, after.first)
          return {
            first: before.isEmpty ? [...before.first, ...after.first] : before.first,
            last: after.isEmpty ? [...before.last, ...after.last] : after.last,
            done: after.isFree ? [...before.done, ...after.done] : after.done,
            isEmpty: before.isEmpty && after.isEmpty,
            isFree: before.isFree && after.isFree
          }
        },
        { ...nothing, isFree: true }
      )
    }
    if (part._tag === "repeat") {
      if (part.max > 1 && part.max <= (part.of._tag === "chars" ? fewRepeats : fewGroups)) {
        const once: Part = { ...part, min: 0, max: 1 }
        return build({
          _tag: "sequence",
          of: Array.from({ length: part.max }, (_, at) => (at < part.min ? part.of : once))
        })
      }
      const ends = build(part.of)
      if (part.max > 1) {
        const isLooped = ends.last.some((from) => ends.first.some((to) => places[from]?.next.has(to)))
        if (isLooped) reasons.push("a loop in a loop can read the same characters")
        link(ends.last, ends.first)
      }
      return part.min === 0 ? { ...ends, isEmpty: true, isFree: true } : ends
    }
    if (part._tag === "reference") reasons.push("it refers to what a group has matched")
    if (part._tag !== "look") return nothing
    if (part.isBehind && hasLoop(part.of)) reasons.push("it looks behind without a bound")
    // A look ahead costs what it reads, and leads no further.
    return part.isBehind ? nothing : { ...nothing, first: build(part.of).first }
  }

  // A search begins anew at every character, unless it is tied to a place.
  const start = add(everything.chars)
  if (!flags.includes("y")) places[start]?.next.add(start)
  for (const one of whole._tag === "choice" ? whole.of : [whole]) {
    const { done, first } = build(one)
    if (beginsAt(one, "line")) {
      const end = add(lineEnds)
      link([start], [end])
      link([end], first)
    } else if (!beginsAt(one, "text")) link([start], first)
    for (const place of done) {
      const end = places[place]
      if (end !== undefined) end.isEnd = true
    }
  }
  return [...new Set([...reasons, ...ambiguities(places)])]
}

const ambiguities = (places: ReadonlyArray<Place>): ReadonlyArray<string> => {
  const reach = places.map((_, from) => reachable(places, from))
  const loops = [...places.keys()].filter((place) => reach[place]?.has(place))
  const areLooped = (a: number, b: number) => reach[a]?.has(b) === true && reach[b]?.has(a) === true
  const overlap = (...of: ReadonlyArray<number>) =>
    everything.chars.some((_, character) => of.every((place) => places[place]?.chars[character] === true))
  const nextOf = (place: number) => [...(places[place]?.next ?? [])]

  /** Whether a word leads from `p` to `p`, from `p` to `q` and from `q` to `q`. */
  const isCounted = (p: number, q: number): boolean => {
    const seen = new Set<string>()
    const open: Array<readonly [number, number, number]> = [[p, p, q]]
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      const [a, b, c] = state
      for (const x of nextOf(a)) {
        if (!areLooped(p, x)) continue
        for (const z of nextOf(c)) {
          if (!areLooped(q, z) || !overlap(x, z)) continue
          for (const y of nextOf(b)) {
            const key = `${x} ${y} ${z}`
            if (seen.has(key) || !(y === q || reach[y]?.has(q)) || !overlap(x, y, z)) continue
            if (x === p && y === q && z === q) return true
            seen.add(key)
            open.push([x, y, z])
          }
        }
      }
    }
    return false
  }

  /** Whether a word leads from `p` to `p` in two ways. */
  const isDoubled = (p: number): boolean => {
    const seen = new Set<string>()
    const open: Array<readonly [number, number]> = [[p, p]]
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      const [a, b] = state
      for (const x of nextOf(a)) {
        for (const y of nextOf(b)) {
          const key = `${x} ${y}`
          if (!areLooped(p, x) || !areLooped(p, y) || seen.has(key) || !overlap(x, y)) continue
          if (x === p && y === p && a !== b) return true
          seen.add(key)
          open.push([x, y])
        }
      }
    }
    return false
  }

  const slow = loops.some((p) =>
    loops.some((q) => p !== q && places[q]?.isEnd !== true && reach[p]?.has(q) === true && isCounted(p, q))
  )
  return [
    ...(slow
      ? ["the same characters can be read by one loop or by another one behind it, as a search itself is a loop"]
      : []),
    ...(loops.some(isDoubled) ? ["one loop can read the same characters in two ways"] : [])
  ]
}

const reachable = (places: ReadonlyArray<Place>, from: number): ReadonlySet<number> => {
  const seen = new Set<number>()
  const open = [...(places[from]?.next ?? [])]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (seen.has(place)) continue
    seen.add(place)
    open.push(...(places[place]?.next ?? []))
  }
  return seen
}
