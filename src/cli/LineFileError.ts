import { Schema } from "effect"

import { transportCode } from "../internal/http/transportCode.ts"

/** The file could not be opened, read or written; nothing of the refused lines counts as written. */
export class LineFileError extends Schema.TaggedError<LineFileError>()("LineFileError", {
  message: Schema.String,
  /** Whether the only obstacle is that another process has the file just now. */
  inUse: Schema.optionalKey(Schema.Boolean)
}) {}

/** Why the system refuses to read or write a file, and what to do about it. */
export const inWords = (file: string, error: { readonly message: string }): string => {
  const code = transportCode(error)
  if (code === "ENOSPC") return `${file}: there is no room left on its disk (ENOSPC). Make room, or choose another one.`
  if (code === "EDQUOT")
    return `${file}: the quota of this user is used up (EDQUOT). Make room, or choose another disk.`
  if (code === "EROFS") return `${file}: its disk may only be read (EROFS). Choose another one.`
  return `${file}: ${error.message}. Is its folder there, and may this process write to it?`
}
