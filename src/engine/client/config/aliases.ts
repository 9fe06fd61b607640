/** The engine vendor's own words for our settings: read as ours, so that people can bring the files they have. */

/** Fields of an instance in the configuration file. */
export const fieldAliases: ReadonlyMap<string, string> = new Map([
  ["n8n_host", "engine_host"],
  ["n8n_api_key", "engine_api_key"]
])

/** Environment variables, most wanted first. */
export const hostVariables = ["ENGINE_HOST", "N8N_HOST"] as const
export const keyVariables = ["ENGINE_API_KEY", "N8N_API_KEY"] as const
