import { useState } from "preact/hooks"

import { isJsonObject, type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { Act } from "../Act.tsx"
import { countOf } from "../fleet.ts"
import { numberOf, pretty, textOf, textsOf } from "../json.ts"
import { Answer, Badge, type Place, Problem, Status, useTool, Words } from "../parts.tsx"
import { readJson } from "../readJson.ts"

/** The items that a text stands for; words where it is none. */
const itemsIn = (text: string): ReadonlyArray<JsonObject> | string | undefined => {
  if (text.trim() === "") return undefined
  const value = readJson(text)?.value
  if (isJsonObject(value)) return [value]
  if (Array.isArray(value) && value.length > 0 && objectsOf(value).length === value.length) return objectsOf(value)
  return "Must be JSON: an object, or a list of objects."
}

/** Runs a workflow once as a temporary copy, with items that are given; it says first what would act outside. */
export const RunWorkflow = ({ id, instance, workflow }: Place) => {
  const [text, setText] = useState("")
  const [report, setReport] = useState<JsonObject>()
  const items = itemsIn(text)
  const problem = typeof items === "string" ? items : undefined
  const name = textOf(workflow.name) || id
  return (
    <>
      <Act
        label="Run…"
        title={`Run “${name}” once on ${instance}?`}
        action="Run it"
        calls={() =>
          typeof items === "string"
            ? items
            : [
                {
                  tool: "run_workflow",
                  args: { instance, id, confirm: true, ...(items === undefined ? {} : { items }) }
                }
              ]
        }
        onDone={([value]) => setReport(value)}
      >
        <p>A temporary copy of what is saved runs, and is deleted afterwards.</p>
        <Outside id={id} instance={instance} />
        <label class="wide">
          Items that the trigger gives out (JSON)
          <textarea
            rows={5}
            spellcheck={false}
            placeholder='[{ "order": "A-17" }]'
            value={text}
            aria-invalid={problem !== undefined}
            aria-describedby="items-about"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <div id="items-about" role="status" class={problem === undefined ? "soft" : "problem"}>
          {problem ??
            (Array.isArray(items) ? countOf(items.length, "item") : "Left empty: its pinned data, or one empty item.")}
        </div>
      </Act>
      {report === undefined ? null : <Report report={report} onClose={() => setReport(undefined)} />}
    </>
  )
}

/** The nodes that would really act outside, by the dry run of the tool. */
const Outside = ({ id, instance }: { readonly id: string; readonly instance: string }) => {
  const { outcome } = useTool("run_workflow", { instance, id, dry_run: true })
  return (
    <Answer outcome={outcome} what="what it would do outside">
      {({ outside }) => {
        const nodes = objectsOf(outside)
        return nodes.length === 0 ? (
          <p>No node of it acts outside.</p>
        ) : (
          <div class="warning">
            <p>These nodes really act outside:</p>
            <ul>
              {nodes.map((one) => (
                <li key={textOf(one.node)}>
                  <strong>{textOf(one.node)}</strong> {textOf(one.does) || textOf(one.type)}
                  {textsOf(one.credentials).length === 0 ? "" : ` with ${textsOf(one.credentials).join(", ")}`}
                </li>
              ))}
            </ul>
          </div>
        )
      }}
    </Answer>
  )
}

const countText = (value: unknown): string => (Array.isArray(value) ? value.join(" / ") : textOf(value))

/** The items of a node that are told: some of them, or the first. */
const firstItems = ({ first, items }: JsonObject): ReadonlyArray<JsonObject> =>
  (isJsonObject(first) ? [first] : objectsOf(items).slice(0, 3)).filter((item) => Object.keys(item).length > 0)

/** The outcome of a run, node by node. */
const Report = ({ onClose, report }: { readonly report: JsonObject; readonly onClose: () => void }) => (
  <section class="card wide" aria-label="The run" aria-live="polite">
    <div class="row">
      <h2>The run</h2>
      <Status status={textOf(report.status)} />
      <span class="soft">{numberOf(report.seconds)} s, of a temporary copy</span>
      <button type="button" class="quiet push" onClick={onClose}>
        Close
      </button>
    </div>
    {textOf(report.error) === "" ? null : <Problem>{textOf(report.error)}</Problem>}
    <dl class="fields">
      {objectsOf(report.nodes).map((node) => (
        <div key={textOf(node.node)}>
          <dt>
            <Badge tone={textOf(node.status) === "success" ? "good" : "bad"}>{textOf(node.status)}</Badge>{" "}
            {textOf(node.node)}
          </dt>
          <dd>
            <span class="soft">{countText(node.out)} items</span>{" "}
            {textOf(node.error) === "" ? null : (
              <span class="problem">
                <Words>{textOf(node.error)}</Words>
              </span>
            )}
            {firstItems(node).map((item, at) => (
              <code key={at}>{pretty(item)}</code>
            ))}
          </dd>
        </div>
      ))}
    </dl>
    {textsOf(report.didNotRun).length === 0 ? null : (
      <p class="soft">Did not run: {textsOf(report.didNotRun).join(", ")}</p>
    )}
  </section>
)
