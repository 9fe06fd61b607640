import { Context } from "effect"

import type { Tool } from "./Tool.ts"

/** The tools this server offers, in the order in which they are listed. */
export class Tools extends Context.Service<Tools, ReadonlyArray<Tool>>()("workflow-tool-server/tools/Tools") {}
