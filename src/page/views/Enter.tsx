import { useEffect, useState } from "preact/hooks"

import { type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { type Outcome, secretForm } from "../client.ts"
import { fieldsOf, readFields } from "../fields.ts"
import { textOf } from "../json.ts"
import { Loading, Problem } from "../parts.tsx"
import { TokenForm } from "../TokenForm.tsx"
import { FieldInput } from "./FieldInput.tsx"

/** A form for values that neither the assistant nor its client sees. It can be sent once. */
export const Enter = ({ id, loginProblem }: { readonly id: string; readonly loginProblem: string | undefined }) => {
  const [form, setForm] = useState<Outcome<JsonObject>>()
  const [sent, setSent] = useState<Outcome<JsonObject>>()
  const ask = () => {
    setForm(undefined)
    void secretForm({ id }).then(setForm)
  }
  useEffect(ask, [loginProblem])
  if (form === undefined) return <Loading what="the form" />
  if (!form.ok && form.needsToken) return <TokenForm problem={loginProblem ?? form.problem} onToken={ask} />
  if (!form.ok) {
    return (
      <>
        <h1>Nothing to enter</h1>
        <Problem>{form.problem}</Problem>
      </>
    )
  }
  if (sent?.ok === true) {
    return (
      <>
        <h1>Sent</h1>
        <p role="status">The assistant goes on. You can close this tab.</p>
      </>
    )
  }
  const send = (values: JsonObject) => void secretForm({ id, values }).then(setSent)
  return <SecretForm form={form.value} problem={sent?.ok === false ? sent.problem : undefined} onSend={send} />
}

const SecretForm = (props: {
  readonly form: JsonObject
  readonly problem: string | undefined
  readonly onSend: (values: JsonObject) => void
}) => {
  const { form, onSend, problem } = props
  const fields = fieldsOf("", objectOf(form.schema)).map((field) => ({ ...field, noun: undefined }))
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [isVisible, setVisible] = useState(false)
  const submit = (event: Event) => {
    event.preventDefault()
    const read = readFields(fields, texts)
    setProblems(read.problems)
    if (Object.keys(read.problems).length === 0) onSend(read.args)
  }
  return (
    <form class="card narrow" onSubmit={submit} noValidate autocomplete="off">
      <h1>Enter values</h1>
      <p>{textOf(form.message)}</p>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          text={texts[field.name] ?? ""}
          problem={problems[field.name]}
          instance={undefined}
          secrecy={isVisible ? "visible" : "hidden"}
          onText={(text) => setTexts((before) => ({ ...before, [field.name]: text }))}
        />
      ))}
      <label>
        <input type="checkbox" checked={isVisible} onChange={() => setVisible(!isVisible)} /> Show what is typed, also
        on several lines
      </label>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <button type="submit" class="main">
        Send
      </button>
    </form>
  )
}
