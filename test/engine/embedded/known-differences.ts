/** Requests of the probe that the embedded engine answers otherwise than the real one, with the reason. */
export const probeDifferences: Readonly<Record<string, string>> = {
  "webhook: malformed JSON": "the hint quotes the JavaScript engine, and older ones tell no line and column",
  "execution: get with data": "1.x puts a hint for users of its editor beside the output of a code node"
}

/** Behaviour that the probe does not cover, and in which the embedded engine differs on purpose. */
export const otherDifferences: ReadonlyArray<string> = [
  "Code nodes run only `return <expression>`, and expressions are paths, literals, operators and a few methods; all else fails the node and says so.",
  "Nodes beyond webhook, form, chat, set, if, filter, wait, code, stopAndError and respondToWebhook pass their items on.",
  "A merge node runs once for each input instead of once for all.",
  "Schedules and service triggers are counted and checked, but never fire.",
  "A wait keeps its execution running instead of waiting, and takes only an amount of time.",
  "Webhooks ask for no authentication and give no CORS headers; the page of a form is empty.",
  "Both versions know the node types of both; 1.82.3 also those for language models.",
  "Executions show the default parameters of only the commonest nodes.",
  "Errors of nodes other than code have no description and no context.",
  "Only the commonest nodes are checked for missing parameters and credentials before they are published.",
  "Only a handful of credential types is known, without the conditional rules that 1.x publishes for some.",
  "Answers have no ETag; the key has no scopes and does not expire; there are no other users and projects.",
  "Versions of the past are not kept: the history of a workflow cannot be read.",
  "After a workflow of 2.x is switched off, its webhooks stop listening at once instead of a moment later.",
  "Calls that no tool makes are unknown: users, audit, projects, variables, transfers, source control, data tables, the OpenAPI document and its page."
]
