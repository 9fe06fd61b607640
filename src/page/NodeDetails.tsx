import type { SceneNode } from "../engine/workflow/drawing/model.ts"
import { nameOf } from "../engine/workflow/nodes.ts"
import { isJsonObject, type JsonObject, listOf, objectOf, objectsOf } from "../internal/schema/JsonObject.ts"
import { pretty, textOf } from "./json.ts"
import { Badge } from "./parts.tsx"

interface Props {
  readonly node: JsonObject
  readonly drawn: SceneNode | undefined
  readonly execution: JsonObject | undefined
}

/** One node whole: what it is, what it holds without secrets, and what it gave in a run. */
export const NodeDetails = ({ drawn, execution, node }: Props) => (
  <>
    <h2>{nameOf(node)}</h2>
    <p class="row">
      <code>{textOf(node.type)}</code>
      {node.disabled === true ? <Badge>Disabled</Badge> : null}
      {drawn?.fate === "ran" ? <Badge tone="good">Ran</Badge> : null}
      {drawn?.fate === "failed" ? <Badge tone="bad">Failed</Badge> : null}
      {drawn?.fate === "idle" ? <Badge>Not reached</Badge> : null}
    </p>
    {drawn?.words ? <p>{drawn.words}</p> : null}
    {drawn?.runText ? <p class={drawn.fate === "failed" ? "problem" : "soft"}>{drawn.runText}</p> : null}
    {textOf(node.notes) === "" ? null : <p class="note">{textOf(node.notes)}</p>}
    <Credentials credentials={objectOf(node.credentials)} />
    <h3>Parameters</h3>
    <pre tabIndex={0} aria-label="Parameters">
      {pretty(objectOf(node.parameters))}
    </pre>
    {execution === undefined ? null : <Output execution={execution} name={nameOf(node)} />}
  </>
)

const Credentials = ({ credentials }: { readonly credentials: JsonObject }) =>
  Object.keys(credentials).length === 0 ? null : (
    <p>
      Credential{" "}
      {Object.entries(credentials).map(([type, credential]) => (
        <span key={type} class="tag">
          {textOf(isJsonObject(credential) ? credential.name : credential) || type}
        </span>
      ))}
    </p>
  )

/** The first items of each output. */
const Output = ({ execution, name }: { readonly execution: JsonObject; readonly name: string }) => {
  const runData = objectOf(objectOf(objectOf(execution.data).resultData).runData)
  const last = Object.hasOwn(runData, name) ? objectsOf(runData[name]).at(-1) : undefined
  const data = objectOf(last?.data)
  const outputs = Array.isArray(data.main)
    ? data.main
    : Array.isArray(Object.values(data)[0])
      ? Object.values(data)[0]
      : []
  const items = listOf(outputs).flatMap((output: unknown) => objectsOf(output).map(({ json }) => json))
  return items.length === 0 ? null : (
    <>
      <h3>First items of the run</h3>
      <pre tabIndex={0} aria-label="First items of the run">
        {pretty(items.slice(0, 3))}
      </pre>
    </>
  )
}
