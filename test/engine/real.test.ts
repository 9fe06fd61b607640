import { assert, describe, inject, it } from "vitest"

describe.each(inject("engines"))("the real engine $version", ({ apiKey, host, memberKey }) => {
  it("answers to the owner's key and to another user's", async () => {
    for (const key of [apiKey, memberKey]) {
      const response = await fetch(`${host}/api/v1/workflows`, { headers: { "X-N8N-API-KEY": key } })
      assert.strictEqual(response.status, 200)
    }
  })
})
