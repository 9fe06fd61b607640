import { inject } from "vitest"

import { contractSuite } from "../contract/contractSuite.ts"
import { failureClassSuite } from "../contract/failureClasses.ts"
import { healingSuite } from "../contract/healing.ts"
import { historySuite } from "../contract/history.ts"
import { restoringSuite } from "../contract/restoring.ts"
import { retryingSuite } from "../contract/retrying.ts"
import { overReal } from "../contract/TestedEngine.ts"

for (const engine of inject("engines")) {
  contractSuite(`the real ${engine.version}`, overReal(engine))
  historySuite(`the real ${engine.version}`, overReal(engine))
  restoringSuite(`the real ${engine.version}`, overReal(engine))
  healingSuite(`the real ${engine.version}`, overReal(engine), true)
  retryingSuite(`the real ${engine.version}`, overReal(engine), true)
  failureClassSuite(`the real ${engine.version}`, overReal(engine), true)
}
