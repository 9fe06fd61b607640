import { assert, describe, it } from "vitest"

import { isSecretName, masked, maskText, maskSecrets } from "../../../src/engine/workflow/maskSecrets.ts"

describe("maskText", () => {
  it.each([
    ["a bearer token", "curl -H 'Authorization: Bearer abcdefgh1jkl'", "abcdefgh1jkl"],
    ["a JSON web token", "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y", "eyJzdWIiOiIxIn0"],
    ["a key of a model's provider", "key sk-proj-abcdefghijklmnop1234", "abcdefghijklmnop"],
    ["a token of a code host", "ghp_abcdefghijklmnopqrst", "abcdefghij"],
    ["a token of a messenger", "xoxb-1234567890-abcdef", "1234567890"],
    ["a cloud's key", "AKIAABCDEFGHIJKLMNOP", "ABCDEFGH"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"],
    ["a password in an address", "postgres://me:hunter22@db/x", "hunter22"],
    ["a key in a query", "https://a/x?limit=1&api_key=hunter22&y=2", "hunter22"],
    ["a password in code", "const password = 'hunter22'", "hunter22"]
  ])("takes out %s", (_, text, secret) => {
    assert.include(text, secret)
    assert.notInclude(maskText(text), secret)
    assert.include(maskText(text), masked)
  })

  it.each([
    "https://a/x?limit=10&page=2",
    "={{ $json.token }}",
    "=Bearer {{ $json.access_token }}",
    "Basic information about the tasks",
    "return items.filter(({ json }) => json.key)",
    "https://a:8080/x@y"
  ])("leaves %s", (text) => {
    assert.strictEqual(maskText(text), text)
  })
})

describe("maskSecrets", () => {
  it("hides what its field's name, or the name beside it, calls a secret", () => {
    assert.deepStrictEqual(
      maskSecrets({
        apiKey: "k",
        "X-Api-Key": 1,
        list: [{ name: "Authorization", value: "abc" }],
        url: "u",
        maxTokens: 5
      }),
      { apiKey: masked, "X-Api-Key": masked, list: [{ name: "Authorization", value: masked }], url: "u", maxTokens: 5 }
    )
  })

  it("leaves an expression that only names a secret, and an empty value", () => {
    const given = { password: "={{ $json.password }}", token: "" }
    assert.deepStrictEqual(maskSecrets(given), given)
  })
})

describe("isSecretName", () => {
  it.each(["password", "clientSecret", "access_token", "X-API-Key", "Authorization", "set-cookie", "privateKey"])(
    "holds for %s",
    (name) => {
      assert.isTrue(isSecretName(name))
    }
  )

  it.each([
    "maxTokens",
    "total_tokens",
    "passenger",
    "tokenizer",
    "key",
    "secretary",
    "author",
    "url",
    "completion_tokens"
  ])("does not hold for %s", (name) => {
    assert.isFalse(isSecretName(name))
  })
})
