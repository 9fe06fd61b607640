export { EmbeddedEngine, type EmbeddedEngineOptions } from "./EmbeddedEngine.ts"
export { Journal, JournalError } from "./store/Journal.ts"
export { layerInstance } from "./layerInstance.ts"
