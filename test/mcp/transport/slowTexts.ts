/** A message with these arguments. */
export const asking = (value: string, id = "7") =>
  `{"jsonrpc":"2.0","id":${id},"method":"m","params":{"value":${value}}}`

/** Texts made to be slow to look through, of a size that grows with `scale`. */
export const slowTexts: Readonly<Record<string, (scale: number) => string>> = {
  backslashes: (scale) => `"${"\\".repeat(4 * scale)}"`,
  "escaped quotes": (scale) => `["${'\\"'.repeat(2 * scale)}"]`,
  "brackets in a text without an end": (scale) => `"${"[".repeat(4 * scale)}`,
  "ids in a text without an end": (scale) => `["${"id".repeat(2 * scale)}`,
  "names of prototypes": (scale) => asking(`[${`{"__proto__":1},`.repeat(scale / 2)}1]`),
  "many fields": (scale) => asking(`{${Array.from({ length: scale }, (_, at) => `"a${at}":1`).join()}}`)
}
