import { Result, Struct } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { type Apply, type KnownCredential, type Lookups, nodeNamed, withNode } from "./Draft.ts"

/** Gives a node a credential by name or id, or takes one away. */
export const credential: Apply<"credential"> = (draft, { node: name, type, value }, lookups) =>
  Result.gen(function* () {
    const node = yield* nodeNamed(draft, name)
    const credentials = objectOf(node.credentials)
    if (value === null) {
      const types = type === undefined ? Object.keys(credentials) : [type]
      const [only] = types
      if (only === undefined || !Object.hasOwn(credentials, only))
        return yield* Result.fail(`${name} has no such credential`)
      if (types.length > 1) return yield* Result.fail(`${name} has credentials of ${types.join(" and ")}: give type`)
      const left = Object.fromEntries(Object.entries(credentials).filter(([one]) => one !== only))
      const bare = Struct.omit(node, ["credentials"])
      return withNode(draft, node, Object.keys(left).length === 0 ? bare : { ...node, credentials: left })
    }
    const found = yield* credentialCalled(value, type, lookups)
    const own = { id: found.id, name: found.name }
    return withNode(draft, node, { ...node, credentials: { ...credentials, [found.type]: own } })
  })

const credentialCalled = (
  value: string,
  type: string | undefined,
  { credentials, hasAllCredentials }: Lookups
): Result.Result<KnownCredential, string> => {
  const called = credentials.filter(({ id, name }) => id === value || name === value)
  const fitting = called.filter((one) => type === undefined || one.type === type)
  const [found] = fitting
  if (found !== undefined && fitting.length === 1) return Result.succeed(found)
  if (fitting.length > 1) {
    const each = fitting.map((one) => `${one.id} (${one.type})`).join(", ")
    return Result.fail(`several credentials are called ${value}: give type, or the id: ${each}`)
  }
  if (called.length > 0) {
    return Result.fail(
      `credential ${value} is of type ${called.map((one) => one.type).join(", ")}, not ${String(type)}`
    )
  }
  if (!hasAllCredentials && type !== undefined && /^[A-Za-z0-9]{8,36}$/.test(value)) {
    return Result.succeed({ id: value, name: value, type })
  }
  const names = credentials.filter((one) => type === undefined || one.type === type).map(({ name }) => name)
  const guess = nearest(value, names)
  const known =
    names.length === 0 ? "None of that type is known." : `Known: ${[...new Set(names)].slice(0, 20).join(", ")}.`
  const hint = guess === undefined ? known : `Did you mean ${guess}?`
  return Result.fail(
    hasAllCredentials
      ? `there is no credential ${JSON.stringify(value)}. ${hint.replace(/\.$/, "")}`
      : `no workflow uses a credential ${JSON.stringify(value)}, and this engine does not list credentials. ${hint} Else give its id and type`
  )
}
