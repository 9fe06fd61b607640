import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import type { Found } from "../../internal/config/variables.ts"
import type { Environment } from "./EngineConfig.ts"

/** Fields of an instance that decide where its key goes and who can read it on the way, as far as they are in use. */
export const fieldsOnTheWay = (
  { allowInsecureHttp, caFile, headers, proxy }: Environment,
  host: Found | undefined
): ReadonlyArray<string> => [
  ...(host === undefined ? ["engine_host"] : []),
  ...(proxy === undefined ? [] : ["proxy"]),
  ...(caFile === undefined ? [] : ["caFile"]),
  ...(Object.keys(headers).length === 0 ? [] : ["headers"]),
  ...(allowInsecureHttp ? ["allowInsecureHttp"] : [])
]

/**
 * What is wrong where a field of a file that merely lies in the working folder decides where a key of the environment goes: a
 * folder that somebody else has filled must not lead a key away. `place` names the field, `variable` sets it elsewhere.
 */
export const keyLedAway = (
  place: string,
  key: string,
  { file, variable }: { readonly file: string; readonly variable?: string | undefined }
): ConfigurationError => {
  const ways = [
    ...(variable === undefined ? [] : [`set ${variable} in the environment too`]),
    ...(file === ".env" ? [] : [`start with --config ${file} if you trust that file`]),
    `or keep the key in ${file} as well`
  ]
  return new ConfigurationError({
    message:
      `${place} may not decide where the key of ${key} goes: the key is in the environment, the file only lies ` +
      `in the working folder. Expected one source: ${ways.join(", ")}`
  })
}
