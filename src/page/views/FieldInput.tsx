import { useMemo } from "preact/hooks"

import { type Field, linesOf, type Noun } from "../fields.ts"
import { useFleet } from "../fleet.ts"
import { tagNames, textOf } from "../json.ts"
import { Words } from "../parts.tsx"

export interface Props {
  readonly field: Field
  /** The name of the argument, where that of the field is another. */
  readonly label?: string
  readonly text: string
  readonly problem: string | undefined
  /** The instance that the form is about; undefined for any. */
  readonly instance: string | undefined
  readonly onText: (text: string) => void
  /** For a secret, whether it is hidden while it is typed. One of several lines, such as a private key, fits only where it is seen. */
  readonly secrecy?: "hidden" | "visible"
}

/** A labelled input for one argument of a tool. */
export const FieldInput = (props: Props) => {
  const { field } = props
  const id = `field-${field.name}`
  if (field.kind === "choices") {
    return (
      <fieldset id={id} class="field" aria-describedby={`${id}-about`}>
        <legend>
          <Name {...props} />
        </legend>
        <Boxes {...props} />
        <About {...props} />
      </fieldset>
    )
  }
  return (
    <div class="field">
      <label for={id}>
        <Name {...props} />
      </label>
      <Control {...props} />
      <About {...props} />
    </div>
  )
}

export const Name = ({ field, label = field.name }: Pick<Props, "field" | "label">) => (
  <>
    {label}
    {field.isRequired ? <span class="soft"> (required)</span> : null}
  </>
)

/** The problem of an argument, and the words about it. */
export const About = ({ field, problem }: Pick<Props, "field" | "problem">) => (
  <div id={`field-${field.name}-about`}>
    {problem === undefined ? null : <div class="problem">{problem}</div>}
    {field.kind === "conditions" ? null : (
      <div class="soft">
        <Words>{[field.description, hints[field.kind]].filter((words) => words).join(". ")}</Words>
      </div>
    )}
  </div>
)

const hints: Partial<Record<Field["kind"], string>> = { lines: "One a line", json: "As JSON" }

const Control = (props: Props) => {
  const { field, label = field.name, onText, problem, secrecy, text } = props
  const id = `field-${field.name}`
  const common = {
    id,
    name: field.name,
    "aria-describedby": `${id}-about`,
    "aria-invalid": problem !== undefined,
    "aria-required": field.isRequired
  }
  if (field.kind === "choice") {
    return (
      <select {...common} value={text} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">{field.noun === "instance" && !field.isRequired ? "Default" : "Not set"}</option>
        {field.choices.map((choice) => (
          <option key={choice} value={choice}>
            {field.value === "boolean" ? (choice === "true" ? "Yes" : "No") : choice}
          </option>
        ))}
      </select>
    )
  }
  if (field.kind === "lines" || field.kind === "json") {
    const area = (
      <textarea
        {...common}
        class={field.kind}
        rows={field.kind === "lines" ? Math.min(8, Math.max(2, text.split("\n").length)) : 4}
        spellcheck={false}
        placeholder={field.kind === "lines" ? undefined : field.isList ? "[ ]" : "{ }"}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    )
    return field.kind === "json" || field.noun === undefined ? (
      area
    ) : (
      <>
        {area}
        <input
          type="text"
          autocomplete="off"
          list={`${id}-list`}
          aria-label={`Add to ${label}`}
          placeholder="Add…"
          onChange={({ currentTarget }) => {
            const line = currentTarget.value.trim()
            if (line !== "") onText([...linesOf(text).filter((one) => one !== line), line].join("\n"))
            currentTarget.value = ""
          }}
        />
        <Suggestions {...props} />
      </>
    )
  }
  if (field.kind === "number") {
    return (
      <input
        {...common}
        type="number"
        step={field.value === "whole" ? 1 : "any"}
        defaultValue={text}
        // What is no number has no value: it is told as one that cannot be read, and stays to be mended.
        onInput={({ currentTarget: { validity, value } }) => onText(validity.badInput ? "?" : value)}
      />
    )
  }
  if (secrecy !== undefined) {
    return secrecy === "visible" ? (
      <textarea
        {...common}
        autocomplete="off"
        value={text}
        rows={3}
        spellcheck={false}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    ) : (
      <input
        {...common}
        autocomplete="off"
        value={text}
        type="password"
        onInput={(event) => onText(event.currentTarget.value)}
      />
    )
  }
  const input = (
    <input
      {...common}
      type="text"
      autocomplete="off"
      list={field.noun === undefined ? undefined : `${id}-list`}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  )
  if (field.noun === undefined) return input
  if (field.noun !== "date") {
    return (
      <>
        {input}
        <Suggestions {...props} />
      </>
    )
  }
  return (
    <div class="row">
      {input}
      <input
        type="date"
        aria-label={`Day of ${label}`}
        value={/^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? ""}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </div>
  )
}

/** Names that the argument may have; where two things of an instance share one, their ids. */
const Suggestions = ({ field, instance, text }: Props) => {
  const { instances } = useFleet()
  const states = instances.filter(({ name }) => instance === undefined || name === instance)
  const rows = useMemo(() => suggestionsOf(field.noun, states), [field.noun, instances, instance])
  const typed = field.isList ? "" : text.toLowerCase()
  return (
    <datalist id={`field-${field.name}-list`}>
      {rows
        .filter(([value, name]) => `${value} ${name}`.toLowerCase().includes(typed))
        .slice(0, field.isList ? rows.length : mostSuggestions)
        .map(([value, name]) => (
          <option key={value} value={value} label={name === value ? undefined : name} />
        ))}
    </datalist>
  )
}

/** More are found by typing. */
const mostSuggestions = 200

const suggestionsOf = (
  noun: Noun | undefined,
  states: ReturnType<typeof useFleet>["instances"]
): ReadonlyArray<readonly [value: string, name: string]> => {
  if (noun === "tag") {
    const names = new Set(states.flatMap(({ workflows }) => workflows.flatMap(({ tags }) => tagNames(tags))))
    return [...names].toSorted((a, b) => a.localeCompare(b)).map((name) => [name, name])
  }
  const values = new Map<string, string>()
  for (const { workflows } of states) {
    const names = new Set<string>()
    const ambiguous = new Set<string>()
    for (const name of workflows.map((row) => textOf(row.name))) (names.has(name) ? ambiguous : names).add(name)
    for (const { id, name } of workflows) {
      const isById = noun === "workflowId" || ambiguous.has(textOf(name))
      values.set(textOf(isById ? id : name), textOf(name))
    }
  }
  return [...values].toSorted(([, a], [, b]) => a.localeCompare(b))
}

/** Any of some, in the order in which they are chosen. */
const Boxes = ({ field, onText, text }: Props) => {
  const chosen = linesOf(text)
  const toggle = (choice: string) =>
    onText((chosen.includes(choice) ? chosen.filter((one) => one !== choice) : [...chosen, choice]).join("\n"))
  return (
    <div class="row boxes">
      {field.choices.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            name={field.name}
            value={choice}
            checked={chosen.includes(choice)}
            onChange={() => toggle(choice)}
          />
          {choice === "*" ? "All" : choice}
        </label>
      ))}
    </div>
  )
}
