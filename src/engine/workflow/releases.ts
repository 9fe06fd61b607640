/** The numbers of a version: `2.41.1`, `3.0`, `2.50.0-rc.1`. */
export const numbersOf = (version: string): ReadonlyArray<number> =>
  version
    .split(/[-+]/, 1)
    .flatMap((release) => release.split("."))
    .map(Number)

/** Negative where the first version is the older one; a number that is left out is 0. */
export const compareVersions = (a: string, b: string): number => {
  const [those, these] = [numbersOf(a), numbersOf(b)]
  for (let place = 0; place < Math.max(those.length, these.length); place++) {
    const difference = (those[place] ?? 0) - (these[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** The minor that a version belongs to: `2.41`. */
export const minorOf = (version: string): string => numbersOf(version).slice(0, 2).join(".")

/** The version from which on engines freeze types before they remove them. */
export const frozenFrom = "2.42.6"

/** The versions on which the contract was tried, the oldest first: `npm run test:versions`. */
export const triedVersions: ReadonlyArray<string> = [
  "1.82.3",
  "1.115.4",
  "2.20.12",
  "2.30.8",
  "2.35.7",
  "2.40.7",
  "2.41.1"
]

/** The minors of which something was read that the tools go by, without a try; `docs/engines.md` says the same. */
export const readMinors: ReadonlyArray<string> = ["1.123", "2.10", "2.15", minorOf(frozenFrom)]

/** The standing of a version on `docs/engines.md`. */
export interface Standing {
  readonly standing: "newer than any known" | "not tried" | "older than any tried" | "read, not tried" | "tried"
  /** The tried version of the same minor, else the nearest ones. */
  readonly nearest: ReadonlyArray<string>
}

/** The standing of a version there; nothing where it is not known as a number. */
export const standingOf = (version: string): Standing | undefined => {
  if (!/^\d+\.\d+/.test(version)) return undefined
  const minor = minorOf(version)
  const same = triedVersions.filter((tried) => minorOf(tried) === minor).slice(-1)
  if (same.length > 0) return { standing: "tried", nearest: same }
  const isOlder = (one: string) => compareVersions(one, minor) < 0
  const [before, after] = [triedVersions.filter(isOlder).slice(-1), triedVersions.filter((one) => !isOlder(one))]
  const nearest = [...before, ...after.slice(0, 1)]
  if (before.length === 0) return { standing: "older than any tried", nearest }
  if (readMinors.includes(minor)) return { standing: "read, not tried", nearest }
  const isNewest = after.length === 0 && readMinors.every(isOlder)
  return { standing: isNewest ? "newer than any known" : "not tried", nearest }
}
