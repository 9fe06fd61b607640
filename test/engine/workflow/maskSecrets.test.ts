import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

import { mapShownTexts, masked, maskSecrets, maskText } from "../../../src/internal/secrets/maskSecrets.ts"
import { forms, mayHold } from "../../../src/internal/secrets/secretForms.ts"

const secretName = fc.constantFrom("password", "apiKey", "API-Key", "client_secret", "accessToken", "Authorization")
const letters = fc.string({
  unit: fc.constantFrom(...Array.from("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")),
  minLength: 20,
  maxLength: 40
})

const texts: ReadonlyArray<readonly [text: string, secret: string]> = [
  ["Authorization: Bearer abc123DEF456ghi", "abc123DEF456ghi"],
  ["sent with basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"],
  ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl was refused", "eyJhbGciOiJIUzI1NiJ9"],
  ["key sk-proj-abcdefghijklmnop1234 is wrong", "abcdefghijklmnop1234"],
  ["connect to postgres://ann:hunter2@db.local/shop", "hunter2"],
  ["GET https://host/path?api_key=0123456789&x=1", "0123456789"],
  ['401 - "{\\"message\\":\\"no\\",\\"password\\":\\"geheim\\"}"', "geheim"],
  ["const secret = 'hunter22'", "hunter22"],
  ["xoxb-1234567890-abcdefgh", "1234567890-abcdefgh"],
  ["-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----", "MIIEvQ"],
  ["bot 123456789:AAHk3bq9x0123456789abcdefghijklmnop1 x", "AAHk3bq9x0123456789abcdefghijklmnop1"],
  ["https://api.telegram.org/bot123456789:AAHk3bq9x012345678/send", "AAHk3bq9x012345678"],
  ["POST https://hooks.slack.com/services/T0AB/B0CD/xyzXYZ123", "xyzXYZ123"],
  ["https://discord.com/api/webhooks/1234/a-b_c9 no", "a-b_c9"],
  ["Authorization: Token 9a8b7c6d5e4f", "9a8b7c6d5e4f"],
  ['"authorization": "ApiKey c2VjcmV0OnZhbHVl"', "c2VjcmV0OnZhbHVl"],
  ["Cookie: theme=dark; sid=s3ss10n; lang=en", "s3ss10n"],
  ["curl -s -u ann:hunter2 https://shop.example.com", "hunter2"],
  ["AccountName=shop;AccountKey=bXlLZXk5OTk=;EndpointSuffix=x", "bXlLZXk5OTk"],
  ["https://maps.example.com/?key=Q7f3k9x2m5p1&q=a", "Q7f3k9x2m5p1"],
  ["https://files.example.com/a?se=1&sig=aB3%2Fd9xyz12345", "aB3%2Fd9xyz12345"],
  ["signed with whsec_4f9a8b7c6d5e4f3a2b1c", "4f9a8b7c6d5e4f3a2b1c"]
]

const harmless = [
  "Cannot read properties of undefined (reading 'toLowerCase') [line 1]",
  "The resource you are requesting could not be found",
  "={{ $json.token }}",
  "Bearer authentication is not set up",
  "https://example.com/users/42?page=2",
  "2026-11-22T07:38:23.365Z",
  "285a9b95-a513-40b3-9e7d-f8c034f67409",
  "ann@example.com",
  "Authorization: Bearer {{ $json.token }}",
  "Authorization: Bearer ${token}",
  "Authorization is required",
  "Cookie: {{ $json.cookies }}",
  "https://example.com/issues?key=PROJ-1&code=200",
  "the secret_name of hf_model_small and npm_config_registry",
  "https://hooks.slack.com/services/"
]

/** Pieces of which secrets are made. */
const pieces = fc.constantFrom(
  "-----BEGIN RSA PRIVATE KEY-----",
  ...'bearer|://|a|:|@|sk-|rk_|ghp_|glpat-|x_api_|AKIA|ASIA|AIza|ya29.|SG.|eyJ|.|password|token|=|\\\\|"| '.split("|"),
  "0123456789",
  "ABCDEFGHIJKLMNOP",
  "abcdefghijklmnopqrstuvwxyz1234567890"
)

describe("maskSecrets", () => {
  it("finds a form of secrets only in texts that it searches", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join("")
        return mayHold(text) || forms.every((form) => form(text).length === 0)
      }),
      { numRuns: 2000 }
    )
    assert.isFalse(mayHold("headerParameters"))
    assert.isFalse(mayHold("application/json"))
  })

  it("hides nothing behind the first line of a key but the key", () => {
    const first = "-----BEGIN PRIVATE KEY-----"
    const text = `Delete "${first}\\nMIIEvQIBADAN" on production?\n- "b -----END PRIVATE KEY-----"`
    assert.strictEqual(maskText(text), `Delete "${first}[masked]" on production?\n- "b -----END PRIVATE KEY-----"`)
    const encrypted = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\nMIIE/+=="
    assert.strictEqual(maskText(`${first}\n${encrypted}\n-----END PRIVATE KEY-----;`), `${first}[masked];`)
  })

  it("masks whatever stands under the name of a secret, at any depth", () => {
    fc.assert(
      fc.property(secretName, letters, (name, secret) => {
        const maskedText = JSON.stringify(
          maskSecrets({ deep: [{ [name]: secret, rest: { [name]: [secret, 12345678] } }] })
        )
        assert.notInclude(maskedText, secret)
        assert.notInclude(maskedText, "12345678")
      })
    )
  })

  it("masks what looks like a key under a name that may mean one, and nothing else there", () => {
    const key = "4f9a8b7c6d5e4f3a2b1c"
    assert.deepStrictEqual(
      maskSecrets({ key, code: 'return "a"', fields: [{ name: "key", value: key }], sig: "short1" }),
      {
        key: masked,
        code: 'return "a"',
        fields: [{ name: "key", value: masked }],
        sig: "short1"
      }
    )
  })

  it("masks the value of a header or parameter that is named in a field beside it", () => {
    const headers = [
      { name: "X-Api-Key", value: "plain" },
      { name: "Accept", value: "text/html" }
    ]
    assert.deepStrictEqual(maskSecrets({ headers }), {
      headers: [
        { name: "X-Api-Key", value: masked },
        { name: "Accept", value: "text/html" }
      ]
    })
  })

  for (const [text, secret] of texts) {
    it(`masks the secret in "${text.slice(0, 30)}"`, () => {
      const maskedText = maskText(text)
      assert.notInclude(maskedText, secret)
      assert.include(maskedText, masked)
      assert.strictEqual(maskText(maskedText), maskedText, "a second time changes nothing")
    })
  }

  it("leaves what people write, names of fields that only count tokens, and expressions", () => {
    for (const text of harmless) assert.strictEqual(maskText(text), text)
    const counts = { total_tokens: 12, maxTokens: 5, nextPageToken: "a", credentialId: "b", tokenType: "bearer" }
    assert.deepStrictEqual(maskSecrets({ usage: counts }), { usage: { ...counts } })
    assert.deepStrictEqual(maskSecrets({ password: "={{ $json.pw }}", token: "", secret: null }), {
      password: "={{ $json.pw }}",
      token: "",
      secret: null
    })
  })

  it("keeps every other value as it is", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("id", "name", "count", "email", "notes"),
          fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom(...harmless))
        ),
        (value) => {
          assert.deepStrictEqual(maskSecrets(value), { ...value })
        }
      )
    )
  })

  it("finds names of secrets in every spelling", () => {
    for (const name of [
      "Password",
      "api_key",
      "X-API-KEY",
      "Set-Cookie",
      "private-key",
      "oauthTokenSecret",
      "pwd",
      "dbPwd",
      "smtpPass"
    ]) {
      assert.strictEqual(maskSecrets("a value", name), masked, name)
    }
    for (const name of ["email", "passenger", "compass", "tokens", "authentication", "author", "secretary_name"]) {
      assert.strictEqual(maskSecrets("a value", name), "a value", name)
    }
  })
})

const parts = fc.array(
  fc.oneof(
    fc.constantFrom(masked, " ", "@", "://", ":", "token=", "password: ", "Bearer ", "https://", "\n", '"', "a"),
    fc.constantFrom(...texts.map(([text]) => text)),
    letters,
    fc.string()
  ),
  { maxLength: 8 }
)

describe("a change of texts around secrets", () => {
  it("sees what is shown and nothing else, and leaves the rest as it is", () => {
    fc.assert(
      fc.property(parts, (given) => {
        const text = given.join("")
        const seen: Array<string> = []
        const look = (visible: string) => {
          seen.push(visible)
          return visible
        }
        assert.strictEqual(mapShownTexts(text, look), text)
        const maskedText = maskSecrets(text)
        assert.strictEqual(seen.join(masked), maskedText === masked && seen.length === 0 ? "" : maskedText)
      }),
      { numRuns: 1000 }
    )
  })

  it("tells nothing of a secret: each one stays, whatever is looked for and put in its place", () => {
    for (const [text, secret] of texts) {
      for (const find of [secret, secret.slice(0, 3), secret.slice(-1), "e"]) {
        const changed = JSON.stringify(mapShownTexts([text], (visible) => visible.replaceAll(find, masked)))
        assert.include(changed, JSON.stringify(secret).slice(1, -1))
      }
    }
    const given = { password: "geheim", headers: [{ name: "X-Api-Key", value: "geheim" }], url: "https://geheim" }
    assert.deepStrictEqual(
      mapShownTexts(given, (visible, { path }) => visible.replace("geheim", path.join("."))),
      { ...given, url: "https://url" }
    )
  })
})
