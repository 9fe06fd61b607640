import { contractSuiteInTime } from "./contractSuite.ts"
import { overEmbedded } from "./TestedEngine.ts"

contractSuiteInTime("the embedded 1.82.3", overEmbedded("1.82.3"))
