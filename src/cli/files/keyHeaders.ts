import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import path from "node:path"

import { Effect, Option } from "effect"

import type { AcceptedHeaders } from "../../engine/client/KeyHeaders.ts"
import { keyHeaders } from "../../engine/workflow/naming.ts"
import { parseJson } from "../../internal/json/values.ts"
import { objectOf } from "../../internal/schema/JsonObject.ts"

/** Hosts that are remembered; the oldest go first. */
const mostHosts = 200

/**
 * Key headers by origin in a file of the user's cache folder, without any key. It only spares a refused request: what cannot be
 * read or written is learnt again by the next process.
 */
export const knownHeadersIn = (folder: string): AcceptedHeaders => {
  const file = path.join(folder, "key-headers.json")
  const all = Effect.map(
    Effect.option(Effect.try(() => readFileSync(file, "utf8"))),
    (text): Readonly<Record<string, unknown>> => objectOf(Option.getOrUndefined(Option.flatMap(text, parseJson)))
  )
  return {
    read: (origin) => Effect.map(all, (byOrigin) => keyHeaders.find((header) => header === byOrigin[origin])),
    keep: (origin, header) =>
      Effect.flatMap(all, (byOrigin) =>
        Effect.try(() => {
          const others = Object.entries(byOrigin).filter(([other]) => other !== origin)
          const entries = [...others, [origin, header]].slice(-mostHosts)
          mkdirSync(folder, { recursive: true, mode: 0o700 })
          const temporary = `${file}.${process.pid}`
          writeFileSync(temporary, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 })
          renameSync(temporary, file)
        })
      ).pipe(Effect.ignore)
  }
}
