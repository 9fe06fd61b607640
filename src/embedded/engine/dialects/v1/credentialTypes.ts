import type { CredentialType } from "../../api/Dialect.ts"

type Property = CredentialType["properties"][string]

export const text: Property = { type: "string" }
export const number: Property = { type: "number" }
export const boolean: Property = { type: "boolean" }
export const choice = (...values: ReadonlyArray<string>): Property => ({ type: "string", enum: values })

/** A handful of the types that engines know: those that people meet first. */
export const credentialTypes: Readonly<Record<string, CredentialType>> = {
  httpBasicAuth: { properties: { user: text, password: text } },
  httpDigestAuth: { properties: { user: text, password: text } },
  httpHeaderAuth: { properties: { name: text, value: text } },
  httpQueryAuth: { properties: { name: text, value: text } },
  httpCustomAuth: { properties: { json: { type: "json" } }, required: ["json"] },
  slackApi: { properties: { accessToken: text }, required: ["accessToken"] },
  telegramApi: { properties: { accessToken: text, baseUrl: text } },
  githubApi: { properties: { server: text, user: text, accessToken: text } },
  openAiApi: { properties: { apiKey: text, organizationId: text, url: text }, required: ["apiKey"] },
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
