import { contractSuiteInTime } from "./contractSuite.ts"
import { failureClassSuite } from "./failureClasses.ts"
import { healingSuite } from "./healing.ts"
import { historySuite } from "./history.ts"
import { restoringSuite } from "./restoring.ts"
import { retryingSuite } from "./retrying.ts"
import { overEmbedded } from "./TestedEngine.ts"

contractSuiteInTime("the embedded 1.82.3", overEmbedded("1.82.3"))
historySuite("the embedded 1.82.3", overEmbedded("1.82.3"))
restoringSuite("the embedded 1.82.3", overEmbedded("1.82.3"))
failureClassSuite("the embedded 1.82.3", overEmbedded("1.82.3"), false)
healingSuite("the embedded 1.82.3", overEmbedded("1.82.3"), false)
retryingSuite("the embedded 1.82.3", overEmbedded("1.82.3"), false)
