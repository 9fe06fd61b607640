import type { Field } from "../fields.ts"

interface Props {
  readonly field: Field
  readonly text: string
  readonly problem: string | undefined
  readonly onText: (text: string) => void
}

/** A labelled input for one argument of a tool. */
export const FieldInput = ({ field, onText, problem, text }: Props) => {
  const id = `field-${field.name}`
  const about = {
    id,
    name: field.name,
    "aria-describedby": `${id}-about`,
    "aria-invalid": problem !== undefined,
    "aria-required": field.isRequired
  }
  return (
    <div class="field">
      <label for={id}>
        {field.name}
        {field.isRequired ? <span class="soft"> (required)</span> : null}
      </label>
      {field.choices.length > 0 ? (
        <select {...about} value={text} onChange={(event) => onText(event.currentTarget.value)}>
          <option value="">–</option>
          {field.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : field.kind === "json" ? (
        <textarea
          {...about}
          rows={3}
          spellcheck={false}
          placeholder={field.isList ? "[ ]" : "{ }"}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      ) : (
        <input
          {...about}
          type="text"
          inputMode={field.kind === "number" ? "decimal" : "text"}
          autocomplete="off"
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
      <div id={`${id}-about`}>
        {problem === undefined ? null : <div class="problem">{problem}</div>}
        <div class="soft">{field.description}</div>
      </div>
    </div>
  )
}
