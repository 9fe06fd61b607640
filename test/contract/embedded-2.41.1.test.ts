import { contractSuiteInTime } from "./contractSuite.ts"
import { failureClassSuite } from "./failureClasses.ts"
import { healingSuite } from "./healing.ts"
import { historySuite } from "./history.ts"
import { restoringSuite } from "./restoring.ts"
import { retryingSuite } from "./retrying.ts"
import { overEmbedded } from "./TestedEngine.ts"

contractSuiteInTime("the embedded 2.41.1", overEmbedded("2.41.1"))
historySuite("the embedded 2.41.1", overEmbedded("2.41.1"))
restoringSuite("the embedded 2.41.1", overEmbedded("2.41.1"))
failureClassSuite("the embedded 2.41.1", overEmbedded("2.41.1"), false)
healingSuite("the embedded 2.41.1", overEmbedded("2.41.1"), false)
retryingSuite("the embedded 2.41.1", overEmbedded("2.41.1"), false)
