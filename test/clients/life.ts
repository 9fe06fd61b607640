import type { Answer, Arguments, Call } from "./Session.ts"

type Json = Readonly<Record<string, unknown>>

/** A webhook that answers with what came in. */
const echo = (path: string) => ({
  name: `Echo at ${path}`,
  nodes: [
    {
      name: "Hook",
      type: "engine-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      parameters: { path, httpMethod: "POST", responseMode: "lastNode", options: {} },
      webhookId: path
    },
    { name: "Done", type: "engine-nodes-base.noOp", typeVersion: 1, position: [220, 0], parameters: {} }
  ],
  connections: [{ source: "Hook", target: "Done" }]
})

/**
 * The answers to every one of the 23 tools, by name: the life of a workflow, a tag and a credential, until all are gone.
 * Lives of different names do not meet.
 */
export const life = async (call: Call, name = "life"): Promise<ReadonlyMap<string, Answer>> => {
  const answers = new Map<string, Answer>()
  const ask = async (tool: string, args: Arguments = {}): Promise<Json> => {
    const answer = await call(tool, args)
    answers.set(tool, answer)
    if (answer.isError) throw new Error(`${tool}: ${answer.content.map(({ text }) => text).join(" ")}`)
    return dataOf(answer)
  }

  const tag = { id: (await ask("create_tag", { name })).id }
  await ask("get_tags")
  await ask("get_tag", tag)
  await ask("update_tag", { ...tag, name: `old ${name}` })

  const workflow = { id: (await ask("create_workflow", { ...echo(name), tags: [tag.id] })).id }
  await ask("get_workflow", workflow)
  await ask("update_workflow", { ...workflow, name: `Echo of ${name}`, settings: { timezone: "Europe/Berlin" } })
  await ask("activate_workflow", workflow)
  await ask("list_workflows", { tags: [`old ${name}`], active: true })
  const execution = { id: (await ask("execute_workflow", { ...workflow, data: { hello: "world" } })).executionId }
  await ask("list_executions", { workflowId: workflow.id, limit: 5 })
  await ask("get_execution", { ...execution, includeData: true })
  await ask("delete_execution", execution)
  await ask("retry_execution", { id: await failedExecution(ask) })
  await ask("deactivate_workflow", workflow)
  await ask("delete_workflow", workflow)
  await ask("delete_tag", tag)

  const type = "httpHeaderAuth"
  await ask("get_credential_schema", { type })
  const credential = {
    id: (await ask("create_credential", { name, type, data: { name: "X", value: "v" } })).id
  }
  await ask("list_credentials")
  await ask("get_credential", credential)
  await ask("update_credential", { ...credential, name: `old ${name}` })
  await ask("delete_credential", credential)
  return answers
}

const failedExecution = async (ask: (name: string, args: Arguments) => Promise<Json>) => {
  const { data } = await ask("list_executions", { status: "error", limit: 1 })
  const [failed]: ReadonlyArray<unknown> = Array.isArray(data) ? data : []
  return typeof failed === "object" && failed !== null && "id" in failed ? failed.id : undefined
}

/** What a client has that shows only the text of an answer. */
export const dataOf = ({ content }: Answer): Json => JSON.parse(content.map(({ text }) => text).join(""))
