import { type Field, linesOf } from "../fields.ts"

interface Props {
  readonly field: Field
  readonly text: string
  readonly problem: string | undefined
  readonly onText: (text: string) => void
}

/** A labelled input for one argument of a tool. */
export const FieldInput = (props: Props) => {
  const { field, problem } = props
  const id = `field-${field.name}`
  const name = (
    <>
      {field.name}
      {field.isRequired ? <span class="soft"> (required)</span> : null}
    </>
  )
  const about = (
    <div id={`${id}-about`}>
      {problem === undefined ? null : <div class="problem">{problem}</div>}
      <div class="soft">{[field.description, hints[field.kind]].filter((words) => words).join(". ")}</div>
    </div>
  )
  if (field.kind === "choices") {
    return (
      <fieldset id={id} class="field" aria-describedby={`${id}-about`}>
        <legend>{name}</legend>
        <Boxes {...props} />
        {about}
      </fieldset>
    )
  }
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <Control {...props} />
      {about}
    </div>
  )
}

const hints: Partial<Record<Field["kind"], string>> = { lines: "One a line", json: "As JSON" }

const Control = ({ field, onText, problem, text }: Props) => {
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
        <option value="">{field.name === "instance" ? "Default" : "Not set"}</option>
        {field.choices.map((choice) => (
          <option key={choice} value={choice}>
            {field.value === "boolean" ? (choice === "true" ? "Yes" : "No") : choice}
          </option>
        ))}
      </select>
    )
  }
  if (field.kind === "lines" || field.kind === "json") {
    return (
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
  return (
    <input
      {...common}
      type="text"
      autocomplete="off"
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  )
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
          {choice}
        </label>
      ))}
    </div>
  )
}
