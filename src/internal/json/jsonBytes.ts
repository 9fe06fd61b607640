const encoder = new TextEncoder()

/** Bytes of a value as JSON, of which there are none where JSON has no word for it. */
export const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? "").length
