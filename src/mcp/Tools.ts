import { Context } from "effect"

import type { Tool } from "./Tool.ts"

/** The tools this server offers, in the order in which they are listed. */
export class Tools extends Context.Service<Tools, ReadonlyArray<Tool>>()("workflow-tool-server/tools/Tools") {}

/** The JSON Schema of a tool's arguments as JSON. */
export const inputJson = <R>({ inputJson, inputSchema }: Tool<R>): string =>
  inputJson?.() ?? JSON.stringify(inputSchema())
