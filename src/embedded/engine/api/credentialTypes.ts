interface Property {
  readonly type: string
  readonly enum?: ReadonlyArray<string>
}

interface Fields {
  readonly properties: Readonly<Record<string, Property>>
  readonly required?: ReadonlyArray<string>
}

/** The data that a type of credential takes, and what a 2.x engine adds to that. */
export interface CredentialType extends Fields {
  readonly second?: Fields
}

const text: Property = { type: "string" }
const number: Property = { type: "number" }
const boolean: Property = { type: "boolean" }
const notice: Property = { type: "notice" }
const choice = (...values: ReadonlyArray<string>): Property => ({ type: "string", enum: values })

/** Most types can be kept to some hosts. */
const hosts = { allowedHttpRequestDomains: choice("all", "domains", "none"), allowedDomains: text }

/** A handful of the types that engines know: those that people meet first. */
export const credentialTypes: Readonly<Record<string, CredentialType>> = {
  httpBasicAuth: { properties: { user: text, password: text }, second: { properties: hosts } },
  httpDigestAuth: { properties: { user: text, password: text }, second: { properties: hosts } },
  httpHeaderAuth: {
    properties: { name: text, value: text },
    second: { properties: { useCustomAuth: notice, ...hosts } }
  },
  httpQueryAuth: { properties: { name: text, value: text }, second: { properties: hosts } },
  httpCustomAuth: { properties: { json: { type: "json" } }, required: ["json"], second: { properties: hosts } },
  slackApi: {
    properties: { accessToken: text },
    required: ["accessToken"],
    second: { properties: { signatureSecret: text, notice, ...hosts } }
  },
  telegramApi: {
    properties: { accessToken: text, baseUrl: text },
    second: { properties: {}, required: ["accessToken"] }
  },
  githubApi: { properties: { server: text, user: text, accessToken: text }, second: { properties: hosts } },
  openAiApi: {
    properties: { apiKey: text, organizationId: text, url: text },
    required: ["apiKey"],
    second: { properties: { header: boolean, headerName: text, headerValue: text, ...hosts } }
  },
  postgres: {
    properties: {
      host: text,
      database: text,
      user: text,
      password: text,
      maxConnections: number,
      allowUnauthorizedCerts: boolean,
      ssl: choice("allow", "disable", "require"),
      port: number,
      sshTunnel: boolean,
      sshAuthenticateWith: choice("password", "privateKey"),
      sshHost: text,
      sshPort: number,
      sshUser: text,
      sshPassword: text,
      privateKey: text,
      passphrase: text
    }
  }
}

/** The JSON schema of a type's data, as engines publish it. */
export const schemaOf = ({ properties, required = [], second }: CredentialType, isSecond: boolean) => ({
  additionalProperties: false,
  type: "object",
  properties: { ...properties, ...(isSecond ? second?.properties : {}) },
  required: isSecond ? (second?.required ?? required) : required
})

/** Everything that is wrong with some data, in the words of the engine, or nothing. */
export const dataProblem = (
  data: { readonly [key: PropertyKey]: unknown },
  { properties, required }: ReturnType<typeof schemaOf>
): string | undefined => {
  const place = "request.body.data"
  const problems = [
    ...Object.keys(data)
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name) => `${place} is not allowed to have the additional property "${name}"`),
    ...Object.entries(properties)
      .filter(([name, { type }]) => data[name] !== undefined && !holds(type, data[name]))
      .map(([, { type }]) => `${place} is not of a type(s) ${type}`),
    ...required.filter((name) => data[name] === undefined).map((name) => `${place} requires property "${name}"`)
  ]
  return problems.length === 0 ? undefined : problems.join(",")
}

const holds = (type: string, value: unknown): boolean => type === "json" || type === "notice" || typeof value === type
