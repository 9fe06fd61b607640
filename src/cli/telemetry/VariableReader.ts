import { Result } from "effect"

export type Variables = Readonly<Record<string, string | undefined>>

/** Reads variables as OpenTelemetry specifies: a blank one, or one that cannot be used, counts as not set. */
export const make = (variables: Variables) => {
  const problems = new Set<string>()
  const report = (name: string, problem: string) => void problems.add(`${name}: ${problem}`)
  const text = (name: string) => variables[name]?.trim() || undefined

  const choice = <A extends string>(name: string, allowed: ReadonlyArray<A>, otherwise: A): A => {
    const given = text(name)
    if (given === undefined) return otherwise
    const found = allowed.find((one) => one === given.toLowerCase())
    if (found === undefined) report(name, `expected ${allowed.join(" or ")}`)
    return found ?? otherwise
  }

  const milliseconds = (name: string, otherwise: number): number => {
    const given = text(name)
    if (given === undefined) return otherwise
    if (/^\d{1,9}$/.test(given) && Number(given) > 0) return Number(given)
    report(name, "expected a whole number of milliseconds")
    return otherwise
  }

  const pairs = (name: string): Readonly<Record<string, string>> => {
    const read = (text(name) ?? "")
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .map((pair) => {
        const [key = "", ...values] = pair.split("=")
        const name = values.length === 0 ? "" : key.trim()
        return Result.try(() => [decodeURIComponent(name), decodeURIComponent(values.join("=").trim())] as const)
      })
    const good = read.flatMap((pair) => (Result.isSuccess(pair) && pair.success[0] !== "" ? [pair.success] : []))
    if (good.length < read.length) report(name, "expected name=value pairs with commas between")
    return Object.fromEntries(good)
  }

  const url = (name: string): string | undefined => {
    const given = text(name)
    if (given === undefined || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) return given
    report(name, "expected an address that begins with http:// or https://")
    return undefined
  }

  return { choice, milliseconds, pairs, problems, report, text, url }
}

export type VariableReader = ReturnType<typeof make>
