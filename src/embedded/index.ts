export { EmbeddedEngine, type EmbeddedEngineOptions } from "./engine/EmbeddedEngine.ts"
export { Journal, JournalError } from "./engine/store/Journal.ts"
export { layerInstance } from "./layerInstance.ts"
