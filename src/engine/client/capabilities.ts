import { Schema } from "effect"

/** The rights of a key and the calls that the engine offers it, as reported by engines of generation 2. */
export interface Capabilities {
  readonly scopes: ReadonlyArray<string>
  /** The calls of the REST API that this key may make, by their operation ids in its OpenAPI document. */
  readonly operations: ReadonlySet<string>
  /** The same calls as method and path below the API's root, without the names of ids: `POST /executions/{}/stop`. */
  readonly calls: ReadonlySet<string>
}

const name = Schema.optionalKey(Schema.String)

/** The answer with a key's capabilities. */
export const Discovered = Schema.Struct({
  data: Schema.Struct({
    scopes: Schema.Array(Schema.String),
    resources: Schema.Record(
      Schema.String,
      Schema.Struct({
        endpoints: Schema.Array(Schema.Struct({ operationId: name, method: name, path: name }))
      })
    )
  })
})

export const capabilitiesOf = ({ data: { resources, scopes } }: typeof Discovered.Type): Capabilities => {
  const endpoints = Object.values(resources).flatMap((resource) => resource.endpoints)
  return {
    scopes,
    operations: new Set(endpoints.flatMap(({ operationId }) => operationId ?? [])),
    calls: new Set(
      endpoints.map(({ method = "", path = "" }) => withoutNames(`${method} ${path.replace(/^\/api\/v1/, "")}`))
    )
  }
}

/** A call without the names of its ids, which differ between versions: calls are the same by what is left. */
export const withoutNames = (call: string): string => call.replace(/\{\w+\}/g, "{}")

/** Whether a call is among those that the key may make, such as `POST /executions/12/stop`. */
export const offers = ({ calls }: Capabilities, call: string): boolean => {
  const parts = call.split(/[ /]/)
  return [...calls].some((offered) => {
    const others = offered.split(/[ /]/)
    return (
      others.length === parts.length && others.every((part, place) => part.startsWith("{") || part === parts[place])
    )
  })
}
