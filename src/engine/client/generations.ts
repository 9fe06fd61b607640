/** Which fields of an object an engine takes: only these, or all but these, which it keeps by itself. */
export type Fields = { readonly only: ReadonlyArray<string> } | { readonly allBut: ReadonlyArray<string> }

/** What engines of one generation take in the body of a create or an update. */
export interface Generation {
  /** Fields of a read workflow that an update sends back, beside name, nodes, connections and settings. */
  readonly carried: ReadonlyArray<string>
  readonly settings: Fields
  readonly node: Fields
}

/** Refuse the whole body for one field they do not know. */
const strict: Generation = {
  carried: ["staticData"],
  settings: {
    only: [
      "saveExecutionProgress",
      "saveManualExecutions",
      "saveDataErrorExecution",
      "saveDataSuccessExecution",
      "executionTimeout",
      "errorWorkflow",
      "timezone",
      "executionOrder"
    ]
  },
  node: {
    only: [
      "id",
      "name",
      "webhookId",
      "disabled",
      "notesInFlow",
      "notes",
      "type",
      "typeVersion",
      "executeOnce",
      "alwaysOutputData",
      "retryOnFail",
      "maxTries",
      "waitBetweenTries",
      "continueOnFail",
      "onError",
      "position",
      "parameters",
      "credentials"
    ]
  }
}

/** Take all that they show, but for what they derive themselves, and merge settings into the old ones. */
const full: Generation = {
  carried: ["staticData", "pinData", "nodeGroups"],
  settings: { allBut: ["binaryMode", "credentialResolverId", "redactionPolicy"] },
  node: { allBut: ["createdAt", "updatedAt"] }
}

/** Everything that sets the generations apart, as data. */
export const generations = { "1.x": strict, "2.x": full } as const
