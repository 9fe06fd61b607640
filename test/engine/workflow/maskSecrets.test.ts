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
  ["bot 123456789:AAHk3bq9x0123456789abcdefghijklmnop1 x", "AAHk3bq9x0123456789abcdefghijklmnop1"]
]

const harmless = [
  "Cannot read properties of undefined (reading 'toLowerCase') [line 1]",
  "The resource you are requesting could not be found",
  "={{ $json.token }}",
  "Bearer authentication is not set up",
  "https://example.com/users/42?page=2",
  "2026-11-22T07:38:23.365Z",
  "285a9b95-a513-40b3-9e7d-f8c034f67409",
  "ann@example.com"
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
        const shown = JSON.stringify(maskSecrets({ deep: [{ [name]: secret, rest: { [name]: [secret, 12345678] } }] }))
        assert.notInclude(shown, secret)
        assert.notInclude(shown, "12345678")
      })
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
      const shown = maskText(text)
      assert.notInclude(shown, secret)
      assert.include(shown, masked)
      assert.strictEqual(maskText(shown), shown, "a second time changes nothing")
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
    for (const name of ["Password", "api_key", "X-API-KEY", "Set-Cookie", "private-key", "oauthTokenSecret", "pwd"]) {
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
        const look = (shown: string) => {
          seen.push(shown)
          return shown
        }
        assert.strictEqual(mapShownTexts(text, look), text)
        const shown = maskSecrets(text)
        assert.strictEqual(seen.join(masked), shown === masked && seen.length === 0 ? "" : shown)
      }),
      { numRuns: 1000 }
    )
  })

  it("tells nothing of a secret: each one stays, whatever is looked for and put in its place", () => {
    for (const [text, secret] of texts) {
      for (const find of [secret, secret.slice(0, 3), secret.slice(-1), "e"]) {
        const changed = JSON.stringify(mapShownTexts([text], (shown) => shown.replaceAll(find, masked)))
        assert.include(changed, JSON.stringify(secret).slice(1, -1))
      }
    }
    const given = { password: "geheim", headers: [{ name: "X-Api-Key", value: "geheim" }], url: "https://geheim" }
    assert.deepStrictEqual(
      mapShownTexts(given, (shown, names) => shown.replace("geheim", names.join("."))),
      { ...given, url: "https://url" }
    )
  })
})
