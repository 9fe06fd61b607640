import { assert, describe, it } from "vitest"

import { mergeSettings } from "../../../src/engine/plans/promotion/settingsAndTags.ts"

const sides = {
  workflow: "Orders",
  given: { executionOrder: "v1", executionTimeout: 60 },
  current: { executionOrder: "v0", timezone: "Europe/Berlin", errorWorkflow: "e1", saveManualExecutions: true },
  brought: { tags: [], settings: ["timezone", "errorWorkflow", "saveManualExecutions", "executionOrder"] },
  keep: [{ fields: ["settings.timezone", "settings.callerPolicy", "notes"], workflow: "Ord*" }],
  generation: "2.x"
} as const

describe("the settings of a promoted workflow", () => {
  it("are those of the source; what promotions brought and it has no more goes, where the engine can lose it", () => {
    assert.deepStrictEqual(mergeSettings(sides), {
      settings: { executionOrder: "v1", timezone: "Europe/Berlin", saveManualExecutions: true, executionTimeout: 60 },
      removed: ["errorWorkflow"],
      unremovable: ["saveManualExecutions"],
      kept: ["timezone"],
      missing: []
    })
    const onOlder = mergeSettings({ ...sides, generation: "1.x" })
    assert.deepInclude(onOlder, { removed: ["errorWorkflow", "saveManualExecutions"], unremovable: [] })
  })

  it("stay as they are where no promotion is known to have brought them", () => {
    const { removed, settings } = mergeSettings({ ...sides, brought: undefined })
    assert.deepStrictEqual(removed, [])
    assert.deepStrictEqual(settings, { ...sides.current, ...sides.given })
  })

  it("tell which rules had nothing to keep, and heed no rule of other workflows", () => {
    const given = { ...sides.given, callerPolicy: "any" }
    assert.deepStrictEqual(mergeSettings({ ...sides, given }).missing, ["callerPolicy"])
    const other = mergeSettings({ ...sides, workflow: "Invoices" })
    assert.deepInclude(other, { kept: [], removed: ["timezone", "errorWorkflow"] })
  })
})
