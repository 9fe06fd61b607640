import { assert, it } from "vitest"

import { withoutFormerNames } from "../../../src/engine/workflow/valuePaths.ts"

const pointing = (value: string, more: object = {}) => ({
  options: {},
  calls: [{ workflowId: { __rl: true, mode: "list", value, ...more } }]
})

it("a parameter that points elsewhere loses the name and address of what it pointed at", () => {
  const names = { cachedResultName: "Orders", cachedResultUrl: "/workflow/a" }
  assert.deepStrictEqual(withoutFormerNames(pointing("a", names), pointing("b", names)), pointing("b"))
})

it("a parameter keeps a name that came with its new value, or that it had with the same", () => {
  const [orders, bills] = [{ cachedResultName: "Orders" }, { cachedResultName: "Bills" }]
  assert.deepStrictEqual(withoutFormerNames(pointing("a", orders), pointing("b", bills)), pointing("b", bills))
  assert.deepStrictEqual(withoutFormerNames(pointing("a", orders), pointing("a", orders)), pointing("a", orders))
  assert.deepStrictEqual(withoutFormerNames({}, pointing("a", orders)), pointing("a", orders))
})
