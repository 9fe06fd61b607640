import { Predicate } from "effect"

import { isJsonObject } from "../../internal/schema/JsonObject.ts"

/** What stands where a secret was. */
export const masked = "[masked]"

/** Names of fields whose values are secrets, however they are spelt: `apiKey`, `x-api-key`, `client_secret`. */
const secretName =
  /(?:^|[^a-z])(?:pass(?:word|wd|phrase)?|pwd|secret|token|api-?key|private-?key|access-?key|authorization|auth-?header|cookie|signature|bearer)s?$/

/** Whether a field of this name holds a secret; a count or a place of secrets, such as `maxTokens`, is none. */
export const isSecretName = (name: string): boolean => {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .replaceAll(/[_\s.]+/g, "-")
    .toLowerCase()
  return secretName.test(words) && !words.endsWith("tokens")
}

/** What looks like a secret wherever it stands. */
const secretForms: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(Bearer|bearer|Basic|basic|Token|token)\s+(?=\S*[\dA-Z_=])[\w.~+/=-]{8,}/g, `$1 ${masked}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, masked],
  [/\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9]{16,}\b/g, masked],
  [/\b(?:gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|xapp-|npm_|hf_|shpat_|SG\.)[\w.-]{10,}/g, masked],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, masked],
  [/\bAIza[\w-]{30,}/g, masked],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, masked],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]*):(?!\{\{)[^\s/@'"]+@/gi, `$1:${masked}@`],
  [
    /([?&](?:api[-_]?key|key|token|access[-_]?token|auth|secret|client[-_]?secret|password|pwd|sig|signature)=)(?!\{\{)[^&#\s'"`]+/gi,
    `$1${masked}`
  ],
  [
    /((?:pass(?:word|wd)?|secret|token|api[-_]?key|private[-_]?key)["'`]?\s*[:=]\s*["'`])(?!\{\{)[^"'`\n]{4,}(?=["'`])/gi,
    `$1${masked}`
  ]
]

/** A text without what looks like a secret; expressions that only name one stay. */
export const maskText = (text: string): string =>
  secretForms.reduce((left, [form, instead]) => left.replace(form, instead), text)

const isExpression = (value: unknown) => Predicate.isString(value) && /^=?\s*\{\{[^]*\}\}\s*$/.test(value)

const maxDepth = 100

/** A value of a field without its secrets: by the field's name, by the name beside it (`{name, value}`), by its look. */
export const maskValue = (value: unknown, name = "", depth = 0): unknown => {
  if (depth > maxDepth) return masked
  if (Array.isArray(value)) return value.map((item: unknown) => maskValue(item, name, depth + 1))
  if (isJsonObject(value)) {
    const named = [value.name, value.key].find(Predicate.isString)
    return Object.fromEntries(
      Object.entries(value).map(([field, item]) => [
        field,
        maskValue(item, field === "value" && named !== undefined ? named : field, depth + 1)
      ])
    )
  }
  if (isSecretName(name) && !isExpression(value) && (Predicate.isString(value) || Predicate.isNumber(value))) {
    return value === "" ? value : masked
  }
  return Predicate.isString(value) ? maskText(value) : value
}
