import { assert, describe, it } from "vitest"

import { search } from "../../../src/engine/nodes/searchNodes.ts"
import { suggestTypes } from "../../../src/engine/nodes/suggestNodes.ts"
import { nodeKind } from "../../../src/engine/workflow/naming.ts"
import { meaningless, meantQuestions, meantTypes, someEntries } from "./meant.ts"

const kindOf = (type: string | undefined) => (type === undefined ? undefined : nodeKind(type))

describe("what is meant by a type that is not there", () => {
  it.each(meantTypes)("%s stands for %s", (written, kind) => {
    assert.strictEqual(kindOf(suggestTypes(written, someEntries)[0]), kind)
  })

  it.each(meaningless)("%s stands for nothing", (written) => {
    assert.deepStrictEqual(suggestTypes(written, someEntries), [])
  })

  it("is nothing that only holds the letters of an agent", () => {
    const without = someEntries.filter(({ type }) => !/agent(?:Tool)?$/.test(type) || type.includes("magento"))
    assert.deepStrictEqual(suggestTypes("@n8n/n8n-nodes-langchain.agent", without), [])
  })
})

describe("what a question finds first", () => {
  it.each(meantQuestions.filter(([query]) => /agent|trigger|smtp|when|mysql|openai/.test(query)))(
    "%s: %s",
    (query, kind) => {
      assert.strictEqual(kindOf(search(someEntries, query, undefined, () => 0)[0]?.entry.type), kind)
    }
  )
})
