import { contractSuite } from "./contractSuite.ts"
import { overEmbedded } from "./TestedEngine.ts"

contractSuite("the embedded 2.41.1", overEmbedded("2.41.1"))
