/** The bytes that have a meaning of their own in a JSON text. */
export const quote = 0x22
export const comma = 0x2c
export const backslash = 0x5c
export const colon = 0x3a
export const openArray = 0x5b
export const closeArray = 0x5d
export const openObject = 0x7b
export const closeObject = 0x7d
