import * as Outline from "../mcp/Outline.ts"
import { EngineToolset } from "./toolset.ts"

/** What lists tell of the toolset `engine`. In the bundled command the outline alone stands here, made when it was bundled. */
export const engineOutline = Outline.make(EngineToolset)
