import { Base64 } from "effect/encoding"

/** Replaces every secret in a text, as it is, as Base64 and URL-encoded. Secrets of fewer than four characters stay. */
export const redact = (text: string, secrets: ReadonlyArray<string>): string =>
  secrets
    .filter((secret) => secret.length >= 4)
    .flatMap((secret) => [
      secret,
      Base64.encode(secret),
      encodeURIComponent(secret.replace(/\p{Surrogate}/gu, "\uFFFD")),
      JSON.stringify(secret).slice(1, -1)
    ])
    .toSorted((a, b) => b.length - a.length)
    .reduce((safe, form) => safe.replaceAll(form, "[redacted]"), text)
