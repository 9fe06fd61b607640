import { Result } from "effect"

import { jsonBytes } from "../../../internal/json/values.ts"
import { runsOf } from "./NodeOutput.ts"
import { shapeOf } from "./shape.ts"
import { type Expectation, printTest, type TestFile } from "./TestFile.ts"

/** Bytes that a test's file may have. */
const most = 512 * 1024

const encoder = new TextEncoder()

/**
 * Makes a test small enough for a file: the largest expected outputs are replaced by their shapes. Inputs and mocks cannot be
 * replaced; if these alone are too large, this fails.
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
      const told = `Too large to compare item by item, so only the shape is expected: ${cut.join(", ")}`
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
