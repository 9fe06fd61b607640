/** A node of a workflow to be created. */
export interface SketchNode {
  readonly name: string
  readonly type: string
  readonly typeVersion: number
  readonly position: readonly [number, number]
  readonly parameters: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

/** The arguments of `create_workflow`. */
export interface Sketch {
  readonly name: string
  readonly nodes: ReadonlyArray<SketchNode>
  readonly connections: ReadonlyArray<{
    readonly source: string
    readonly target: string
    readonly sourceOutput: number
  }>
  readonly settings: Readonly<Record<string, unknown>>
}

/** Versions of the base nodes that engines 1.82 and 2.41 both run. */
const versions = {
  code: 2,
  httpRequest: 4.2,
  noOp: 1,
  removeDuplicates: 2,
  respondToWebhook: 1.1,
  scheduleTrigger: 1.2,
  set: 3.4,
  webhook: 2
} as const

/** A base node at a place of the grid; `more` are fields beside the parameters. */
export const node = (
  kind: keyof typeof versions,
  name: string,
  [column, row]: readonly [number, number],
  parameters: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {}
): SketchNode => ({
  name,
  type: `engine-nodes-base.${kind}`,
  typeVersion: versions[kind],
  position: [column * 220, row * 160],
  parameters,
  ...more
})

/** Fields that show a remark under the node; unlike a parameter it is never read as an expression. */
export const remark = (text: string | undefined) => (text === undefined ? {} : { notes: text, notesInFlow: true })

/** A webhook node; an address of its own on every engine needs a webhook id. */
export const webhook = (path: string, httpMethod: string, parameters: Readonly<Record<string, unknown>>) =>
  node("webhook", "Webhook", [0, 0], { httpMethod, path, ...parameters }, { webhookId: path.replaceAll("/", "-") })

/** Parameters and credentials of a call that carries the key of a header credential, if one is given. */
export const keyed = (credentialId: string | undefined) =>
  credentialId === undefined
    ? { parameters: { authentication: "none" }, fields: {} }
    : {
        parameters: { authentication: "genericCredentialType", genericAuthType: "httpHeaderAuth" },
        fields: { credentials: { httpHeaderAuth: { id: credentialId, name: "Header Auth" } } }
      }

/** Connections that lead from each node to the next. */
export const chain = (...nodes: ReadonlyArray<SketchNode>): Sketch["connections"] =>
  nodes.slice(1).flatMap(({ name: target }, index) => {
    const source = nodes[index]?.name
    return source === undefined ? [] : [{ source, target, sourceOutput: 0 }]
  })
