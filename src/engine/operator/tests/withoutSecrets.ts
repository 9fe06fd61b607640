import { isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { masked, maskSecrets } from "../../workflow/maskSecrets.ts"
import { mapTexts } from "../../workflow/valuePaths.ts"

/** Masks secrets in a value, also where a secret that was found appears again under a harmless name. */
export const withoutSecrets = (value: unknown): unknown => {
  const clean = maskSecrets(value)
  const found = [...new Set(secretsIn(value, clean))].toSorted((a, b) => b.length - a.length)
  if (found.length === 0) return clean
  return mapTexts(clean, (text) => found.reduce((rest, secret) => rest.replaceAll(secret, masked), text))
}

/** Shorter texts would occur in too many words. */
const shortest = 6

/** The texts that were masked; of `Bearer …` also the token alone. */
const secretsIn = (value: unknown, clean: unknown): ReadonlyArray<string> => {
  if (value === clean) return []
  if (typeof value === "string" && typeof clean === "string") {
    return partsMasked(value, clean)
      .flatMap((text) => [text, ...(/^\w+\s+(\S+)$/.exec(text)?.slice(1) ?? [])])
      .filter((text) => text.length >= shortest)
  }
  if (Array.isArray(value) && Array.isArray(clean)) {
    return value.flatMap((item: unknown, place) => secretsIn(item, clean[place]))
  }
  if (!isJsonObject(value) || !isJsonObject(clean)) return []
  return Object.entries(value).flatMap(([name, item]) => secretsIn(item, clean[name]))
}

const partsMasked = (text: string, clean: string): ReadonlyArray<string> => {
  const form = clean
    .split(masked)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("([^]+?)")
  return new RegExp(`^${form}$`).exec(text)?.slice(1) ?? []
}
