import { isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { masked, maskSecrets, secretsOf } from "../../../internal/secrets/maskSecrets.ts"
import { replaceTexts } from "../../../internal/texts.ts"
import { mapTexts } from "../../workflow/valuePaths.ts"

/** Masks secrets in a value, also where a secret that was found appears again under a harmless name. */
export const withoutSecrets = (value: unknown): unknown => {
  const clean = maskSecrets(value)
  const found = [...new Set(secretsIn(value, clean))]
  if (found.length === 0) return clean
  return mapTexts(clean, replaceTexts(new Map(found.map((secret) => [secret, masked]))))
}

/** Shorter texts would occur in too many words. */
const shortest = 6

/** The texts that were masked; of `Bearer …` also the token alone. */
const secretsIn = (value: unknown, clean: unknown): ReadonlyArray<string> => {
  if (value === clean) return []
  if (typeof value === "string" && typeof clean === "string") {
    return (clean === masked ? [value] : secretsOf(value))
      .flatMap((text) => [text, ...(/^\w+\s+(\S+)$/.exec(text)?.slice(1) ?? [])])
      .filter((text) => text.length >= shortest)
  }
  if (Array.isArray(value) && Array.isArray(clean)) {
    return value.flatMap((item: unknown, place) => secretsIn(item, clean[place]))
  }
  if (!isJsonObject(value) || !isJsonObject(clean)) return []
  return Object.entries(value).flatMap(([name, item]) => secretsIn(item, clean[name]))
}
