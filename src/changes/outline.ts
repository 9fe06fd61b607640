import * as Outline from "../mcp/Outline.ts"
import { ChangesToolset } from "./toolset.ts"

/** What lists tell of the tools of plans. In the bundled command the outline alone stands here, made when it was bundled. */
export const changesOutline = Outline.make(ChangesToolset)
