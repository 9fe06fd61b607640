import type { Tool } from "./Tool.ts"

/** The JSON Schema of a tool's arguments as JSON. */
export const inputJson = <R>({ inputJson, inputSchema }: Tool<R>): string =>
  inputJson?.() ?? JSON.stringify(inputSchema())
