const encoder = new TextEncoder()

/** Bytes of a value as JSON; 0 for values that JSON cannot express. */
export const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value) ?? "").length
