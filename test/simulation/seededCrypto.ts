import { createHash } from "node:crypto"

import type { Random } from "../soak/random.ts"

/** Replaces properties of an object for as long as work takes. */
const replaced = async <A>(object: object, by: Readonly<Record<string, unknown>>, work: () => Promise<A>) => {
  for (const [name, value] of Object.entries(by)) Object.defineProperty(object, name, { value, configurable: true })
  try {
    return await work()
  } finally {
    for (const name of Object.keys(by)) Reflect.deleteProperty(object, name)
  }
}

/** Runs with random values that follow from a seed, and with digests that no other thread works out. */
export const withSeededCrypto = <A>(random: Random, work: () => Promise<A>): Promise<A> => {
  const hexadecimal = (length: number) => Array.from({ length }, () => random.below(16).toString(16)).join("")
  const randomUUID = () =>
    `${hexadecimal(8)}-${hexadecimal(4)}-4${hexadecimal(3)}-a${hexadecimal(3)}-${hexadecimal(12)}`
  const getRandomValues = (values: Uint8Array) => values.map((_, at) => (values[at] = random.below(256)))
  const digest = (_: string, data: Uint8Array) =>
    Promise.resolve(new Uint8Array(createHash("sha256").update(data).digest()).buffer)
  return replaced(crypto, { randomUUID, getRandomValues }, () => replaced(crypto.subtle, { digest }, work))
}
