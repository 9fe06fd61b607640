/** The steps of a person in the editor before the public API can be used: owner, members, API keys. */
import { Schema } from "effect"

/** Only ever exists in databases that are thrown away. */
const owner = { email: "owner@engine.test", firstName: "Engine", lastName: "Owner", password: "Engine-Test-1" }

const Json = Schema.Record(Schema.String, Schema.Unknown)

interface Sent {
  readonly body?: unknown
  readonly cookie?: string | undefined
  readonly key?: string
}

export const send = async (host: string, method: "GET" | "POST", path: string, { body, cookie, key }: Sent = {}) => {
  const response = await fetch(host + path, {
    method,
    redirect: "manual",
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(cookie === undefined ? {} : { cookie }),
      ...(key === undefined ? {} : { "X-N8N-API-KEY": key })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  const session = response.headers
    .getSetCookie()
    .map((one) => one.split(";")[0] ?? "")
    .find((one) => one.startsWith("n8n-auth="))
  return { status: response.status, text, session }
}

const decode = <A, I>(schema: Schema.Codec<A, I>, text: string): A =>
  Schema.decodeUnknownSync(Schema.fromJsonString(schema))(text)

/** The owner's session: of an owner made now, or of the one that is there. */
export const ownerSession = async (host: string): Promise<string> => {
  const made = await send(host, "POST", "/rest/owner/setup", { body: owner })
  if (made.status === 200 && made.session !== undefined) return made.session
  // The name of the field changed within 1.x.
  for (const field of ["emailOrLdapLoginId", "email"]) {
    const login = await send(host, "POST", "/rest/login", { body: { [field]: owner.email, password: owner.password } })
    if (login.status === 200 && login.session !== undefined) return login.session
  }
  throw new Error(`The owner can neither be made nor log in: ${made.status} ${made.text}`)
}

const Scopes = Schema.Struct({ data: Schema.Array(Schema.String) })
const Key = Schema.Struct({
  data: Schema.Struct({ rawApiKey: Schema.optionalKey(Schema.String), apiKey: Schema.optionalKey(Schema.String) })
})

/** The scopes that keys of the session's user may have; none on engines that know no scopes. */
export const scopesOf = async (host: string, cookie: string): Promise<ReadonlyArray<string>> => {
  const offered = await send(host, "GET", "/rest/api-keys/scopes", { cookie })
  return offered.status === 200 ? decode(Scopes, offered.text).data : []
}

/** A key of the session's user with all rights that this engine knows, or only those named, where it knows scopes. */
export const createKey = async (
  host: string,
  cookie: string,
  { expiresAt = null, scopes }: { readonly scopes?: ReadonlyArray<string>; readonly expiresAt?: number | null } = {}
): Promise<string> => {
  const all = await scopesOf(host, cookie)
  const body = {
    label: `key ${crypto.randomUUID()}`,
    expiresAt,
    ...(all.length === 0 ? {} : { scopes: scopes ?? all })
  }
  const made = await send(host, "POST", "/rest/api-keys", { cookie, body })
  if (made.status !== 200) throw new Error(`No API key can be made: ${made.status} ${made.text}`)
  const { apiKey, rawApiKey } = decode(Key, made.text).data
  return rawApiKey ?? apiKey ?? ""
}

const Invited = Schema.NonEmptyArray(Schema.Struct({ user: Schema.Struct({ inviteAcceptUrl: Schema.String }) }))

/** The key of a new member, who may not touch what belongs to the owner. */
export const createMemberKey = async (host: string, ownerKey: string): Promise<string> => {
  const email = `member-${Date.now()}@engine.test`
  const invited = await send(host, "POST", "/api/v1/users", { key: ownerKey, body: [{ email, role: "global:member" }] })
  const query = new URL(decode(Invited, invited.text)[0].user.inviteAcceptUrl).searchParams
  const profile = { firstName: "Engine", lastName: "Member", password: owner.password }
  const token = query.get("token")
  // 2.x puts one signed token into the link, 1.x the ids of the two users.
  const accepted = await (token === null
    ? send(host, "POST", `/rest/invitations/${query.get("inviteeId")}/accept`, {
        body: { ...profile, inviterId: query.get("inviterId") }
      })
    : send(host, "POST", "/rest/invitations/accept", { body: { ...profile, token } }))
  if (accepted.session === undefined) throw new Error(`No member can be made: ${accepted.status} ${accepted.text}`)
  return createKey(host, accepted.session)
}

/** Whether the REST API behind the editor and the public one are both served: `/healthz` turns green long before. */
export const isReady = async (host: string): Promise<boolean> => {
  const settings = await send(host, "GET", "/rest/settings")
  const api = await send(host, "GET", "/api/v1/workflows")
  const isObject = (text: string) => Schema.decodeUnknownOption(Schema.fromJsonString(Json))(text)._tag === "Some"
  return settings.status === 200 && isObject(settings.text) && api.status === 401 && isObject(api.text)
}
