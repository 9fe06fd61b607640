import { Context, Effect } from "effect"

import type { Refusal, Tool } from "./Tool.ts"

/** The tools this server offers, in the order in which they are listed. */
export class Tools extends Context.Service<Tools, ReadonlyArray<Tool>>()("workflow-tool-server/tools/Tools") {}

/** The names of the tools that all they work on is known to refuse. Tools of one kind ask once. */
export const refusedTools = Effect.fnUntraced(function* (tools: ReadonlyArray<Tool>) {
  const refused = new Set<string>()
  const judges = new Map<Refusal["refusing"], (calls: ReadonlyArray<string>) => boolean>()
  for (const { name, refusal } of tools) {
    if (refusal === undefined) continue
    const refuses = judges.get(refusal.refusing) ?? (yield* refusal.refusing)
    judges.set(refusal.refusing, refuses)
    if (refuses(refusal.calls)) refused.add(name)
  }
  return refused
})

/** The JSON Schema of a tool's arguments as JSON. */
export const inputJson = <R>({ inputJson, inputSchema }: Tool<R>): string =>
  inputJson?.() ?? JSON.stringify(inputSchema())
