import { createHash } from "node:crypto"
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync
} from "node:fs"
import path from "node:path"

import { Effect, Option, Predicate, Result, Schema } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { clipped, quotedText } from "../../internal/foreignText.ts"
import { transportCode } from "../../internal/http/transportCode.ts"
import { configFolder, homeless, stateFolder } from "../files/homeFolders.ts"
import { ownCommand } from "../terminal.ts"
import type { TrustedSetting } from "./folderRules.ts"
import type { SourceFile } from "./SourceFile.ts"

/** The content of a configuration file that somebody trusts at its place. */
const Trust = Schema.fromJsonString(Schema.Struct({ file: Schema.String, sha256: Schema.String }))
const readTrust = Schema.decodeUnknownOption(Trust)

/** Whether somebody trusts a file as it is where it lies. */
export const isTrusted = (file: SourceFile): Effect.Effect<boolean> =>
  Effect.map(trustOf(placeOf(file)), (trusted) => trusted === digestOf(file))

/**
 * Refuses the settings of a file that merely lies in the working folder, unless it lies there as it was when somebody trusted
 * it, or the folder is the user's own for configurations.
 */
export const refuseUntrusted = Effect.fnUntraced(function* (file: SourceFile, settings: ReadonlyArray<TrustedSetting>) {
  const place = placeOf(file)
  const ofUser = configFolder()
  const isOfUser = ofUser !== undefined && path.dirname(place) === realPath(ofUser)
  const trusted = isOfUser ? digestOf(file) : yield* trustOf(place)
  return trusted === digestOf(file)
    ? undefined
    : yield* new ConfigurationError({ message: refusal(file.name, settings, trusted !== undefined) })
})

const refusal = (file: string, settings: ReadonlyArray<TrustedSetting>, wasTrusted: boolean): string => {
  const names = settings.slice(0, mostNames).map(({ name }) => printed(name))
  const more = settings.length - names.length
  const listed = [...names, ...(more > 0 ? [`${more} more`] : [])].join(", ")
  const problem = wasTrusted
    ? `${file} has changed since it was trusted, and sets ${listed}`
    : `${file} only lies in the working folder, and may not set ${listed}`
  return (
    `${problem}. If you trust it: start with --config ${file}, or see these settings and trust the file as it is with ` +
    `${ownCommand(process.argv[1])} check --trust`
  )
}

const mostNames = 20

/** The name of a setting, which may be anybody's text. */
const printed = (name: string): string => (/^[\w$.-]{1,60}$/.test(name) ? name : quotedText(clipped(name, 60)))

/** Records that the file is trusted as long as it lies where it is with the same content. */
export const recordTrust = (file: SourceFile): Effect.Effect<void, ConfigurationError> =>
  Effect.suspend(() => {
    const place = placeOf(file)
    const record = recordOf(place)
    if (record === undefined) {
      return new ConfigurationError({ message: `Trust in ${file.name} cannot be kept: ${homeless("XDG_STATE_HOME")}` })
    }
    return Effect.try({
      try: () => {
        const folder = path.dirname(record)
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        chmodSync(folder, 0o700)
        const unfinished = `${record}.${crypto.randomUUID()}.new`
        writeFileSync(unfinished, `${JSON.stringify({ file: place, sha256: digestOf(file) })}\n`, {
          flag: "wx",
          mode: 0o600
        })
        renameSync(unfinished, record)
      },
      catch: (error) =>
        new ConfigurationError({
          message: `${record}: trust in ${file.name} cannot be kept (${transportCode(error) ?? "unknown reason"})`
        })
    })
  })

/** The trusted content of a file, as its digest. A record that somebody else could have written does not count. */
const trustOf = (place: string): Effect.Effect<string | undefined> =>
  Effect.acquireUseRelease(
    Effect.try(() => openSync(recordOf(place) ?? "", constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)),
    (handle) =>
      Effect.try(() => {
        const { mode, uid } = fstatSync(handle)
        const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
        return isOwn ? readFileSync(handle, "utf8") : ""
      }),
    (handle) => Effect.sync(() => closeSync(handle))
  ).pipe(
    Effect.map((text) => Option.getOrUndefined(readTrust(text))),
    Effect.map((trust) => (trust?.file === place ? trust.sha256 : undefined)),
    Effect.orElseSucceed(() => undefined)
  )

/** The place of a file, whichever way leads there: relative paths in it start there, even if it is a link. */
const placeOf = ({ name }: SourceFile): string => path.join(realPath(path.dirname(name)), path.basename(name))

const realPath = (folder: string): string =>
  Result.getOrElse(
    Result.try(() => realpathSync(folder)),
    () => path.resolve(folder)
  )

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

const digestOf = ({ text }: SourceFile): string => digest(text)

const recordOf = (place: string): string | undefined => {
  const state = stateFolder()
  return state && path.join(state, "trusted", `${digest(place)}.json`)
}

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
const isSecret = (name: string): boolean => /(?:^|\.)(?:apiKey|authToken|clientSecret|headers)(?:\.|$)/.test(name)

/** A URL as far as it says where something goes. */
const withoutLogin = (value: unknown): unknown => {
  if (!Predicate.isString(value) || !URL.canParse(value)) return value
  const url = new URL(value)
  const [username, password, search] = [url.username, url.password, url.search].map((part) =>
    part === "" ? "" : "..."
  )
  return Object.assign(url, { username, password, search }).href
}
