import { contractSuite } from "./contractSuite.ts"
import { overEmbedded } from "./TestedEngine.ts"

contractSuite("the embedded 1.82.3", overEmbedded("1.82.3"))
