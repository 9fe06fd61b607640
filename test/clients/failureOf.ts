import { assert } from "vitest"

/** What a call is rejected with; that it went well is a failure of the test. */
export const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("it went well"),
    (error: unknown) => error
  )
