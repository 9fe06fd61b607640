import { Predicate } from "effect"

import { isJsonObject } from "../../internal/schema/JsonObject.ts"

/** What stands where a secret was. */
export const masked = "[masked]"

/** Names of fields whose values are secrets, whatever they look like; compared in small letters without `-`, `_`, blanks. */
const secretNames =
  /(password|passwd|passphrase|^pwd$|^pass$|secret(?!ar)|token|apikey|authorization|cookie|privatekey|accesskey|signingkey|encryptionkey|^auth$|credential|bearer|signature|sessionid|^otp$|^pin$|^cvv$|^xauth)/

/** Names that hold such a word and count or name things. */
const harmlessNames =
  /^(total|max|min|prompt|completion|input|output|cached|used|num|number|count).*tokens?$|tokens?(count|usage|used|limit|type|s)$|^(next|page|prev|continuation)(page)?token$|credentials?(id|name|type|s)?$|(secret|token|key|password)(name|id|type|expiry|expires|expiresat|expiresin|length)$|^signatures?version$/

const plainName = (name: string) => name.toLowerCase().replace(/[-_\s.]/g, "")

/** Whether a field of this name is taken to hold a secret. */
export const isSecretName = (name: string): boolean => {
  const plain = plainName(name)
  return secretNames.test(plain) && !harmlessNames.test(plain)
}

/** Forms of secrets inside texts; what a group named `keep` holds stays. */
const forms: ReadonlyArray<RegExp> = [
  // PEM blocks.
  /(?<keep>-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // Authorization schemes.
  /(?<keep>\b(?:bearer|basic|digest|negotiate)\s+)(?=[\w.~+/-]*[\d+/=._-])[\w.~+/-]{8,}=*/gi,
  // JSON Web Tokens.
  /\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g,
  // User and password in an address.
  /(?<keep>\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)/gi,
  // Well-known prefixes of vendors' keys.
  /\b(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_])*[\w-]{12,}/gi,
  /\b(?:gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{8,}|xapp-[\w-]{8,}|n8n_api_\w{16,})/g,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{16,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\b\d{8,10}:[\w-]{33,38}\b/g,
  // A secret's name and its value, as in queries, headers, code and JSON inside texts.
  /(?<keep>(?:pass(?:word|wd|phrase)|pwd|secret|(?:access|refresh|auth|id|api|bot|session)?[-_]?token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|client[-_]?secret|signature)\\{0,3}["']?\s*[:=]\s*\\{0,3}["']?)(?!\[masked\]|=?\{\{|(?:null|true|false|undefined)\b)(?:[^\s"'\\&,;<>(){}[\]]{3,})/gi
]

/** Longest text that is searched; of a longer one the beginning is searched and kept. */
const longest = 100_000

/** A text without what has the form of a secret. */
export const maskText = (text: string): string => {
  const searched = text.length > longest ? `${text.slice(0, longest)}…` : text
  return forms.reduce(
    (out, form) =>
      out.replace(form, (...found: ReadonlyArray<unknown>) => {
        const groups = found.at(-1)
        const keep = isJsonObject(groups) && Predicate.isString(groups["keep"]) ? groups["keep"] : ""
        return `${keep}${masked}`
      }),
    searched
  )
}

/** Long and mixed: what no person writes, and no name, id of a node or date looks like. */
const isRandom = (text: string): boolean =>
  text.length >= 32 &&
  /^[\w+/=.~-]+$/.test(text) &&
  /\d/.test(text) &&
  /[a-z]/.test(text) &&
  /[A-Z]/.test(text) &&
  entropy(text) >= 4

/** Bits for a character. */
const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

const maxDepth = 50

/** An expression only names where a value comes from; what it says otherwise is searched like any text. */
const isExpression = (value: unknown): boolean => Predicate.isString(value) && /^=?\s*\{\{[^}]*\}\}\s*$/.test(value)

/** `{ name: "Authorization", value: "…" }`, as engines keep headers and parameters: its name says what the value is. */
const namesSecret = (value: object): boolean => {
  const label = Predicate.hasProperty(value, "name") ? value.name : Predicate.hasProperty(value, "key") ? value.key : ""
  return Predicate.isString(label) && isSecretName(label)
}

const mask = (value: unknown, name: string, depth: number): unknown => {
  if (depth > maxDepth) return "[left out: nested too deeply]"
  if (value === null || value === undefined || Predicate.isBoolean(value) || value === "") return value
  const isSecret = isSecretName(name)
  if (Predicate.isString(value)) {
    if (isSecret && !isExpression(value)) return masked
    return isRandom(value) && !/(id|hash|digest|etag|checksum|url|path)$/i.test(name) ? masked : maskText(value)
  }
  if (Predicate.isNumber(value)) return isSecret ? masked : value
  if (Array.isArray(value)) return value.map((item: unknown) => mask(item, name, depth + 1))
  if (!isJsonObject(value)) return value
  const isPair = namesSecret(value)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      maskText(key),
      mask(item, isPair && key === "value" ? "secret" : key, depth + 1)
    ])
  )
}

/**
 * A value without secrets: those that stand under a name such as `password`, `apiKey` or `authorization`, those whose form
 * gives them away (a bearer token, a JWT, a key with a known prefix, a password in an address), and long random texts.
 * `name` is the field that the value stands in, where it stands in one.
 */
export const maskSecrets = (value: unknown, name = ""): unknown => mask(value, name, 0)
