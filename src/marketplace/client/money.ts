import { BigDecimal, Option, Schema, SchemaGetter } from "effect"

/** Hundredths of the account's currency: an integer, not negative, small enough to be exact. */
export const Kopecks = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(Schema.brand("Kopecks"))
export type Kopecks = typeof Kopecks.Type

const hundred = BigDecimal.fromBigInt(100n)
const mostKopecks = BigDecimal.fromBigInt(BigInt(Number.MAX_SAFE_INTEGER))

const inKopecks = (text: string): BigDecimal.BigDecimal | undefined =>
  Option.getOrUndefined(
    Option.map(BigDecimal.fromString(text), (amount) => BigDecimal.round(BigDecimal.multiply(amount, hundred)))
  )

const isPayable = Schema.makeFilter(
  (text: string) => {
    const kopecks = inKopecks(text)
    return kopecks !== undefined && BigDecimal.isLessThanOrEqualTo(kopecks, mostKopecks)
  },
  { message: "must be an amount of at most 90071992547409.91" }
)

/** Currency units as exact decimal text, such as `12.5`; a double could not hold every kopeck of a large amount. */
export const Rubles = Schema.String.check(
  Schema.isPattern(/^\d+(\.\d+)?$/, { message: 'must be an amount such as "12.50", not negative' }),
  isPayable
).pipe(Schema.brand("Rubles"))
export type Rubles = typeof Rubles.Type

/** Rubles as people write them: a number is taken by its decimal digits, so 1.005 means exactly that. */
export const RublesGiven = Schema.Union([Schema.Finite, Schema.String]).pipe(
  Schema.decodeTo(Rubles, {
    decode: SchemaGetter.transform((given) => (typeof given === "string" ? given : digits(given))),
    encode: SchemaGetter.transform((rubles): string | number => rubles)
  })
)

/** A number as decimal text without an exponent. */
export const digits = (amount: number): string => {
  const { scale, value } = BigDecimal.normalize(BigDecimal.fromNumberUnsafe(amount))
  const all = String(value < 0n ? -value : value).padStart(scale + 1, "0")
  const split = all.length - scale
  const text = scale <= 0 ? `${all}${"0".repeat(-scale)}` : `${all.slice(0, split)}.${all.slice(split)}`
  return value < 0n ? `-${text}` : text
}

/** Multiplied by 100 and rounded to an integer; exactly half a kopeck is rounded up. */
export const rublesToKopecks = (rubles: Rubles): Kopecks =>
  Kopecks.make(Number(BigDecimal.format(inKopecks(rubles) ?? BigDecimal.fromBigInt(0n))))

/** Divided by 100, exactly, always with two decimals. */
export const kopecksToRubles = (kopecks: Kopecks): Rubles => {
  const amount = BigInt(kopecks)
  return Rubles.make(`${amount / 100n}.${String(amount % 100n).padStart(2, "0")}`)
}

/** A percentage of an amount, by its decimal digits; half a kopeck is rounded up. Capped at what is exact. */
export const percentOf = (kopecks: Kopecks, percent: number): Kopecks => {
  const part = BigDecimal.multiply(BigDecimal.fromBigInt(BigInt(kopecks)), BigDecimal.fromStringUnsafe(digits(percent)))
  const rounded = BigDecimal.round(BigDecimal.multiply(part, hundredth))
  return Kopecks.make(Number(BigDecimal.format(BigDecimal.min(rounded, mostKopecks))))
}

const hundredth = BigDecimal.fromStringUnsafe("0.01")

/** The currency code if it is given and is not the ruble; hundredths are then not kopecks. */
export const foreign = (currency: string | null | undefined): string | undefined =>
  !currency || currency.toUpperCase() === "RUB" ? undefined : currency

/** One amount in both units, as results show it. */
export const Money = Schema.Struct({ kopecks: Kopecks, rubles: Rubles })
export type Money = typeof Money.Type

/** An amount of kopecks in both units. */
export const money = (kopecks: Kopecks): Money => ({ kopecks, rubles: kopecksToRubles(kopecks) })

/** A number that the marketplace may omit or send as null; numbers in JSON may be read as Infinity. */
export const Told = Schema.optionalKey(Schema.NullOr(Schema.Number))

/**
 * An amount as the marketplace returns it, in statistics and budgets: in both units if possible, also below zero. `odd` says
 * what is wrong with it.
 */
export interface AmountTold {
  /** Null if it does not fit into whole kopecks. */
  readonly kopecks: number | null
  readonly rubles: string
  readonly odd?: string
}

/** Any amount of rubles returned by the marketplace; null if it is missing. */
export const rublesTold = (amount: number | null | undefined): AmountTold | null => {
  if (amount === null || amount === undefined) return null
  const size = Number.isFinite(amount) ? inKopecks(digits(Math.abs(amount))) : undefined
  if (size === undefined || BigDecimal.isGreaterThan(size, mostKopecks)) {
    return { kopecks: null, rubles: size === undefined ? String(amount) : digits(amount), odd: tooLarge }
  }
  const { kopecks, rubles } = money(Kopecks.make(Number(BigDecimal.format(size))))
  return amount < 0 && kopecks > 0
    ? { kopecks: 0 - kopecks, rubles: `-${rubles}`, odd: "below zero" }
    : { kopecks, rubles }
}

/** The same for kopecks, in which the marketplace returns bids. */
export const kopecksTold = (amount: number | null | undefined): AmountTold | null => {
  if (isKopecks(amount)) return money(amount)
  const amountTold = rublesTold(typeof amount === "number" ? amount / 100 : amount)
  return amountTold === null ? null : { odd: "not whole kopecks", ...amountTold }
}

export const isKopecks = Schema.is(Kopecks)

const tooLarge = "too large to be an amount of money"
