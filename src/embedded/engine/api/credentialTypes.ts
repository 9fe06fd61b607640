/** The data that a type of credential takes: names of properties with what they hold, text if nothing else is said. */
export interface CredentialType {
  readonly properties: Readonly<Record<string, Property>>
  readonly required?: ReadonlyArray<string>
  /** Whether a 2.x engine lets this type be kept to some hosts. */
  readonly isForHttp?: boolean
}

interface Property {
  readonly type: string
  readonly enum?: ReadonlyArray<string>
}

const text: Property = { type: "string" }
const json: Property = { type: "json" }
const number: Property = { type: "number" }
const boolean: Property = { type: "boolean" }

/** A handful of the types that engines know: those that people meet first. */
export const credentialTypes: Readonly<Record<string, CredentialType>> = {
  httpBasicAuth: { properties: { user: text, password: text }, isForHttp: true },
  httpDigestAuth: { properties: { user: text, password: text }, isForHttp: true },
  httpHeaderAuth: { properties: { name: text, value: text }, isForHttp: true },
  httpQueryAuth: { properties: { name: text, value: text }, isForHttp: true },
  httpCustomAuth: { properties: { json }, required: ["json"], isForHttp: true },
  slackApi: { properties: { accessToken: text, signatureSecret: text }, required: ["accessToken"] },
  telegramApi: { properties: { accessToken: text, baseUrl: text } },
  githubApi: { properties: { server: text, user: text, accessToken: text } },
  openAiApi: { properties: { apiKey: text, organizationId: text, url: text }, required: ["apiKey"] },
  postgres: {
    properties: {
      host: text,
      database: text,
      user: text,
      password: text,
      port: number,
      allowUnauthorizedCerts: boolean
    }
  },
  smtp: { properties: { user: text, password: text, host: text, port: number, secure: boolean } }
}

/** The JSON schema of a type's data, as engines publish it. */
export const schemaOf = ({ isForHttp, properties, required = [] }: CredentialType, isSecond: boolean) => ({
  additionalProperties: false,
  type: "object",
  properties: { ...properties, ...(isSecond && isForHttp === true ? hostLimits : {}) },
  required
})

const hostLimits = {
  allowedHttpRequestDomains: { type: "string", enum: ["all", "domains", "none"] },
  allowedDomains: text
}

/** Everything that is wrong with some data, in the words of the engine, or nothing. */
export const dataProblem = (
  data: { readonly [key: PropertyKey]: unknown },
  { properties, required }: ReturnType<typeof schemaOf>
): string | undefined => {
  const place = "request.body.data"
  const known: Readonly<Record<string, Property>> = properties
  const problems = [
    ...Object.keys(data)
      .filter((name) => !Object.hasOwn(known, name))
      .map((name) => `${place} is not allowed to have the additional property "${name}"`),
    ...Object.entries(known)
      .filter(([name, { type }]) => data[name] !== undefined && !holds(type, data[name]))
      .map(([, { type }]) => `${place} is not of a type(s) ${type}`),
    ...required.filter((name) => data[name] === undefined).map((name) => `${place} requires property "${name}"`)
  ]
  return problems.length === 0 ? undefined : problems.join(",")
}

const holds = (type: string, value: unknown): boolean => type === "json" || typeof value === type
