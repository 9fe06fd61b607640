import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { countOf } from "../fleet.ts"
import { numberOf, pretty, textOf, textsOf } from "../json.ts"
import { Answer, Badge, useTool, When, Words } from "../parts.tsx"
import { href } from "../route.ts"
import { Lines } from "./Preview.tsx"

interface Props {
  readonly instance: string
  readonly workflowId: string
  readonly id: string
}

/** The failure of a run, drawn: the node and its error, the way there, the item, and what the last success had instead. */
export const Explanation = ({ id, instance, workflowId }: Props) => {
  const { outcome } = useTool("explain_execution", { instance, id: Number(id) })
  return (
    <section class="card explanation" aria-label="Why it failed">
      <h2>Why it failed</h2>
      <Answer outcome={outcome} what="the cause">
        {(value) => <Cause value={value} instance={instance} workflowId={workflowId} />}
      </Answer>
    </section>
  )
}

const Cause = (props: { readonly value: JsonObject; readonly instance: string; readonly workflowId: string }) => {
  const { instance, value, workflowId } = props
  const failed = objectOf(value.failed)
  const path = textOf(value.path)
    .split("→")
    .map((step) => step.trim())
    .filter((step) => step !== "")
  const details = [failed.description, failed.note, failed.part && textOf(objectOf(failed.part).message)]
    .map(textOf)
    .filter((text) => text !== "")
  const startedBy = objectOf(value.startedByFailureOf)
  return (
    <>
      <p class="problem">
        <strong>{textOf(failed.node) || "Before the first node"}</strong>: {textOf(failed.message)}
      </p>
      {details.map((text) => (
        <p key={text}>
          <Words>{text}</Words>
        </p>
      ))}
      {textOf(failed.run) === "" ? null : <p class="soft">In its run {textOf(failed.run)}.</p>}
      {textOf(failed.credential) === "" ? null : (
        <p>
          It uses the credential <strong>{textOf(failed.credential)}</strong>.
        </p>
      )}
      {textOf(startedBy.execution) === "" ? null : (
        <p>
          Started by the failure of {textOf(startedBy.workflow)}, run {textOf(startedBy.execution)}.
        </p>
      )}
      {path.length === 0 ? null : (
        <ol class="path" aria-label="The way to it">
          {path.map((step, at) => (
            <li key={at} class={step.endsWith(" failed") ? "bad" : ""}>
              {step}
            </li>
          ))}
        </ol>
      )}
      <div class="columns">
        <Item value={value} />
        <Before value={value} instance={instance} workflowId={workflowId} />
      </div>
    </>
  )
}

/** The item on which it failed, field by field, with what is told of each. */
const Item = ({ value }: { readonly value: JsonObject }) => {
  const item = objectOf(value.item)
  if (!isJsonObject(value.item)) return null
  const [json, notes] = [objectOf(item.json), objectOf(value.fields)]
  const names = [...new Set([...Object.keys(notes), ...Object.keys(json)])]
  return (
    <div>
      <h3>
        {item.index === undefined
          ? "One of its items"
          : `Item ${numberOf(item.index) + 1} of ${numberOf(item.of)}, on which it failed`}
      </h3>
      {textOf(item.note) === "" ? null : (
        <p class="soft">
          <Words>{textOf(item.note)}</Words>
        </p>
      )}
      <dl class="fields">
        {names.map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {Object.hasOwn(json, name) ? <code>{valueText(json[name])}</code> : null}
              {textOf(notes[name]) === "" ? null : <span class="note-of-field">{textOf(notes[name])}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : pretty(value))

/** The last success, what differs from it, and the failures alike. */
const Before = (props: { readonly value: JsonObject; readonly instance: string; readonly workflowId: string }) => {
  const { instance, value, workflowId } = props
  const [success, alike, shape] = [objectOf(value.lastSuccess), objectOf(value.alike), objectOf(value.itemFields)]
  const changed = textsOf(value.changedBetween)
  const [gone, added] = [textsOf(shape.gone), textsOf(shape.new)]
  const failures = textOf(alike.failures)
  return (
    <div>
      <h3>The last success</h3>
      {success.id === undefined ? (
        <p class="soft">None on record before it.</p>
      ) : (
        <p>
          <a href={href(["workflow", instance, workflowId], { execution: textOf(success.id) })}>
            Run {textOf(success.id)}
          </a>{" "}
          <span class="soft">
            <When at={success.startedAt} />
          </span>
          {textOf(success.note) === "" ? "" : `: ${textOf(success.note)}`}
          {success.items === undefined ? "" : `, ${countOf(numberOf(success.items), "item")} came here`}
        </p>
      )}
      {gone.length === 0 ? null : (
        <p>
          Fields that are gone: <del>{gone.join(", ")}</del>
        </p>
      )}
      {added.length === 0 ? null : (
        <p>
          Fields that are new: <ins>{added.join(", ")}</ins>
        </p>
      )}
      <h3>Changed in between</h3>
      {changed.length === 0 ? (
        <p class="soft">
          {success.id === undefined
            ? "Nothing to compare with."
            : textOf(value.changedBetween) === ""
              ? "It is not on record how the workflow was then."
              : "Nothing in the workflow."}
        </p>
      ) : (
        <Lines lines={changed} />
      )}
      {failures === "" || failures === "1" ? null : (
        <p>
          <Badge tone="bad">{`${failures} failures`}</Badge> {alike.since === undefined ? "" : "since the last success"}
          {textOf(alike.alike) === "" ? "" : `, ${textOf(alike.alike)} with this error`}
        </p>
      )}
    </div>
  )
}
