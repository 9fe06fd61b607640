import type { ExecutionId } from "../workflow/models.ts"
import { type ApiError, type EngineError, reworded } from "./EngineError.ts"
import { saysMissing } from "./verdict.ts"

/** Whether the engine says that it does not have what was requested; `provenAbsent` proves it. */
export const isMissing = (error: EngineError): error is ApiError & { readonly httpStatus: 404 } =>
  error._tag === "ApiError" && error.httpStatus === 404 && saysMissing(error.apiResponse)

/** The error of the contract for a missing execution; the engine's own message stays in `apiResponse`. */
export const executionNotFound =
  (id: ExecutionId) =>
  (error: EngineError): EngineError =>
    isMissing(error) ? reworded(error, `Execution not found (execution ${id} on instance ${error.instance})`) : error
