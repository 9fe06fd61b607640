import type { ApiError, EngineError } from "./EngineError.ts"

/** Whether the engine has no such thing as was asked for. */
export const isMissing = (error: EngineError): error is ApiError =>
  error._tag === "ApiError" && error.httpStatus === 404
