import { Predicate } from "effect"

import type { TrustedSetting } from "./folderRules.ts"

/** Settings for the eyes of the person who is to trust them, one line each, whole but for their secrets. */
export const shownSettings = (settings: ReadonlyArray<TrustedSetting>): ReadonlyArray<string> =>
  settings.flatMap(({ name, value }) => linesOf(name, value))

const linesOf = (name: string, value: unknown): ReadonlyArray<string> => {
  const inside = Predicate.isObject(value) ? Object.entries(value) : []
  if (inside.length > 0) return inside.flatMap(([part, partial]) => linesOf(`${name}.${part}`, partial))
  return [
    `${JSON.stringify(name).slice(1, -1)}: ${isSecret(name) ? "(not shown)" : JSON.stringify(withoutLogin(value))}`
  ]
}

/** Whether a setting, or the group that it is in, holds secrets. */
const isSecret = (name: string): boolean => /(?:^|\.)(?:apiKey|authToken|headers)(?:\.|$)/.test(name)

/** A URL as far as it says where something goes. */
const withoutLogin = (value: unknown): unknown => {
  if (!Predicate.isString(value) || !URL.canParse(value)) return value
  const url = new URL(value)
  const [username, password, search] = [url.username, url.password, url.search].map((part) =>
    part === "" ? "" : "..."
  )
  return Object.assign(url, { username, password, search }).href
}
