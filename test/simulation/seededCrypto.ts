import { createHash, createHmac } from "node:crypto"

import type { Random } from "../soak/random.ts"

/** Replaces properties of an object for as long as work takes. */
const replaced = async <A>(object: object, by: Readonly<Record<string, unknown>>, work: () => Promise<A>) => {
  const before = Object.keys(by).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const)
  for (const [name, value] of Object.entries(by)) Object.defineProperty(object, name, { value, configurable: true })
  try {
    return await work()
  } finally {
    for (const [name, own] of before) {
      if (own === undefined) Reflect.deleteProperty(object, name)
      else Object.defineProperty(object, name, own)
    }
  }
}

const bytesOf = (buffer: Buffer) => new Uint8Array(buffer).buffer

/** Digests and seals that no other thread works out, so that they are there at the next turn. */
const subtle = {
  digest: (_: string, data: Uint8Array) => Promise.resolve(bytesOf(createHash("sha256").update(data).digest())),
  importKey: (_: string, key: Uint8Array) => Promise.resolve(key),
  sign: (_: unknown, key: Uint8Array, data: Uint8Array) =>
    Promise.resolve(bytesOf(createHmac("sha256", key).update(data).digest())),
  verify: (_: unknown, key: Uint8Array, seal: Uint8Array, data: Uint8Array) =>
    Promise.resolve(createHmac("sha256", key).update(data).digest().equals(seal))
}

/** Runs with random values that follow from a seed. */
export const withSeededCrypto = <A>(random: Random, work: () => Promise<A>): Promise<A> => {
  const hexadecimal = (length: number) => Array.from({ length }, () => random.below(16).toString(16)).join("")
  const randomUUID = () =>
    `${hexadecimal(8)}-${hexadecimal(4)}-4${hexadecimal(3)}-a${hexadecimal(3)}-${hexadecimal(12)}`
  const getRandomValues = (values: Uint8Array) => values.map((_, at) => (values[at] = random.below(256)))
  return replaced(crypto, { randomUUID, getRandomValues }, () => replaced(crypto.subtle, subtle, work))
}
