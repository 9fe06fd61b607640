import { Context, Effect } from "effect"

import type { Tool } from "./Tool.ts"

/** The tools this server offers, in the order in which they are listed. */
export class Tools extends Context.Service<Tools, ReadonlyArray<Tool>>()("workflow-tool-server/tools/Tools") {}

/** The names of the tools that all they work on is known to refuse. */
export const refusedTools = (tools: ReadonlyArray<Tool>): Effect.Effect<ReadonlySet<string>> =>
  Effect.map(
    Effect.filter(tools, ({ isRefused = Effect.succeed(false) }) => isRefused),
    (refused) => new Set(refused.map(({ name }) => name))
  )

/** The JSON Schema of a tool's arguments as JSON. */
export const inputJson = <R>({ inputJson, inputSchema }: Tool<R>): string =>
  inputJson?.() ?? JSON.stringify(inputSchema())
