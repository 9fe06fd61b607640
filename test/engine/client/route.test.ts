import fc from "fast-check"
import { assert, describe, it } from "vitest"

import { routeOf } from "../../../src/engine/client/route.ts"

describe("the route of a path", () => {
  it.each([
    ["/api/v1/workflows", "/api/v1/workflows"],
    ["/api/v1/workflows/Kp3vQm8sXz1RtY7a", "/api/v1/workflows/{id}"],
    ["/api/v1/workflows/1/activate", "/api/v1/workflows/{id}/activate"],
    ["/api/v1/workflows/1/versions/2f", "/api/v1/workflows/{id}/versions/{id}"],
    ["/api/v1/executions/12/retry", "/api/v1/executions/{id}/retry"],
    ["/api/v1/credentials/schema/httpBasicAuth", "/api/v1/credentials/schema/{id}"],
    ["/api/v1/tags/tags", "/api/v1/tags/{id}"],
    ["/", "/"],
    ["/rest/settings", "/rest/settings"],
    ["/webhook/orders", undefined],
    ["/form/secret-path", undefined]
  ])("of %s is %s", (path, route) => {
    assert.strictEqual(routeOf(path), route)
  })

  it("holds no id, whatever it is", () => {
    const id = fc
      .string({ minLength: 1, maxLength: 40 })
      .map(encodeURIComponent)
      .filter((text) => text !== "schema")
    const route = (id: string, action: string) => routeOf(`/api/v1/workflows/${id}${action}`)
    fc.assert(
      fc.property(id, fc.constantFrom("", "/activate", "/tags"), (id, action) =>
        assert.strictEqual(route(id, action), route("1", action))
      )
    )
  })
})
