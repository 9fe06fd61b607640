import type { Prompt } from "../../mcp/Prompt.ts"
import { dataPolling } from "./dataPolling.ts"
import { dataTransformation } from "./dataTransformation.ts"
import { httpWebhook } from "./httpWebhook.ts"
import { scheduleTriggered } from "./scheduleTriggered.ts"
import { serviceIntegration } from "./serviceIntegration.ts"

/** The prompts of this server, in the order in which they are listed. */
export const prompts: ReadonlyArray<Prompt> = [
  scheduleTriggered,
  httpWebhook,
  dataTransformation,
  serviceIntegration,
  dataPolling
]
