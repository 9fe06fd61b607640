import { conditionTexts, readFields } from "../fields.ts"
import { About, FieldInput, Name, type Props } from "./FieldInput.tsx"

/** The conditions of an argument, a row for each that was chosen; each is checked while it is typed. */
export const Conditions = (props: Props) => {
  const { field, instance, onText, text } = props
  const texts = conditionTexts(text)
  const set = (changed: Readonly<Record<string, string>>) =>
    onText(Object.keys(changed).length === 0 ? "" : JSON.stringify(changed))
  const chosen = field.parts.filter(({ name }) => Object.hasOwn(texts, name))
  const left = field.parts.filter(({ name }) => !Object.hasOwn(texts, name))
  const { problems } = readFields(chosen, texts)
  return (
    <fieldset class="field conditions" aria-describedby={`field-${field.name}-about`}>
      <legend>
        <Name {...props} />
      </legend>
      {chosen.map((part) => {
        const Input = part.kind === "conditions" ? Conditions : FieldInput
        return (
          <div key={part.name} class="condition">
            <Input
              field={{ ...part, name: `${field.name}-${part.name}` }}
              label={part.name}
              instance={instance}
              text={texts[part.name] ?? ""}
              problem={problems[part.name]}
              onText={(typed) => set({ ...texts, [part.name]: typed })}
            />
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${part.name}`}
              onClick={() => set(Object.fromEntries(Object.entries(texts).filter(([name]) => name !== part.name)))}
            >
              ×
            </button>
          </div>
        )
      })}
      <select
        id={`field-${field.name}`}
        aria-label={`Add a condition to ${field.name}`}
        value=""
        disabled={left.length === 0}
        onChange={({ currentTarget }) => {
          set({ ...texts, [currentTarget.value]: "" })
          currentTarget.value = ""
        }}
      >
        <option value="">Add a condition…</option>
        {left.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <About {...props} />
    </fieldset>
  )
}
