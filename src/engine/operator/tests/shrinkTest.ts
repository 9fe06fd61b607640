import { Result } from "effect"

import { jsonBytes } from "../../../internal/json/jsonBytes.ts"
import { runsOf } from "./given.ts"
import { shapeOf } from "./shape.ts"
import { type Expectation, printTest, type TestFile } from "./TestFile.ts"

/** Bytes that a test's file may have. */
const most = 512 * 1024

const encoder = new TextEncoder()

/**
 * A test whose file is not too large: of what is expected, the largest becomes a shape. What is handed over cannot be
 * cut; where that alone is too large, there is no test.
 */
export const shrinkTest = (
  test: TestFile
): Result.Result<{ readonly test: TestFile; readonly cut: ReadonlyArray<string> }, string> => {
  const expect = new Map(Object.entries(test.expect))
  const cut: Array<string> = []
  for (;;) {
    const whole = { ...test, expect: Object.fromEntries(expect) }
    const size = encoder.encode(printTest(whole)).length
    if (size <= most) {
      const told = `Too large to be expected item by item, so that only the shape is: ${cut.join(", ")}`
      return Result.succeed({ test: whole, cut: cut.length === 0 ? [] : [told] })
    }
    const [largest] = [...expect]
      .filter(([, { exact }]) => exact !== undefined)
      .toSorted((a, b) => jsonBytes(b[1]) - jsonBytes(a[1]))
    if (largest === undefined) return Result.fail(tooLarge(test, size))
    const [name, expectation] = largest
    expect.set(name, asShape(expectation))
    cut.push(name)
  }
}

const asShape = ({ exact = [], ignore }: Expectation): Expectation => {
  const items = runsOf(exact).flat(2)
  return { shape: shapeOf(items), items: items.length, ...(ignore === undefined ? {} : { ignore }) }
}

const tooLarge = ({ mocks, trigger }: TestFile, size: number): string => {
  const [largest] = [
    [trigger.node, jsonBytes(trigger.items)] as const,
    ...Object.entries(mocks).map(([name, one]) => [name, jsonBytes(one)] as const)
  ].toSorted((a, b) => b[1] - a[1])
  return `a file of ${size} bytes would be too large (${most} at most), most of it what ${largest?.[0] ?? ""} gave out: record a smaller run`
}
