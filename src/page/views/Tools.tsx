import { useState } from "preact/hooks"

import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { Confirm, protectedIn } from "../Act.tsx"
import { callTool, type Outcome } from "../client.ts"
import { type Field, fieldsOf, readFields } from "../fields.ts"
import { type Args, pretty, textOf } from "../json.ts"
import { Badge, Empty, type Head, Loading, Problem, Words } from "../parts.tsx"
import { href } from "../route.ts"
import { type ToolInfo, useServer } from "../server.ts"
import { Conditions } from "./Conditions.tsx"
import { FieldInput } from "./FieldInput.tsx"

export const Tools = ({ head }: { readonly head: Head }) => {
  const { tools } = useServer()
  const [text, setText] = useState("")
  const words = text.toLowerCase().split(/\s+/)
  const matches = tools.filter(({ description, name, title }) => {
    const content = `${name} ${title} ${description}`.toLowerCase()
    return words.every((word) => content.includes(word))
  })
  return (
    <>
      {head("Tools")}
      <label>
        Find a tool
        <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <p role="status" class="soft">
        {matches.length === 1 ? "1 tool" : `${matches.length} tools`}
      </p>
      <ul class="list tool-list">
        {matches.map((tool) => (
          <li key={tool.name} class="card">
            <div class="row">
              <a class="title" href={href(["tools", tool.name])}>
                {tool.title}
              </a>
              <Kind tool={tool} />
              <code class="push">{tool.name}</code>
            </div>
            <p class="soft">{tool.description}</p>
          </li>
        ))}
      </ul>
    </>
  )
}

const Kind = ({ tool }: { readonly tool: ToolInfo }) =>
  tool.isReading ? <Badge>reads</Badge> : <Badge tone="warn">changes</Badge>

/** A call that changes nothing until a person has agreed to it by name. */
interface Guarded {
  readonly args: Args
  readonly question: string
}

interface Props {
  readonly head: Head
  readonly name: string
  readonly query: URLSearchParams
}

export const Tool = ({ head, name, query }: Props) => {
  const { tools } = useServer()
  const tool = tools.find((one) => one.name === name)
  return (
    <>
      <p class="crumbs">
        <a href={href(["tools"])}>Tools</a>
      </p>
      {head(tool?.title ?? name)}
      {tool === undefined ? (
        <Empty>There is no tool of this name.</Empty>
      ) : (
        <Form key={`${name}?${query}`} tool={tool} query={query} />
      )}
    </>
  )
}

const searchSchema = (tools: ReadonlyArray<ToolInfo>): JsonObject =>
  tools.find(({ name }) => name === "search_workflows")?.schema ?? {}

/** Whether JSON is being typed, which is checked at every key; what is still empty is not. */
const isTyped = ({ kind }: Field, text = ""): boolean => kind === "json" && text.trim() !== ""

const Form = ({ query, tool }: { readonly tool: ToolInfo; readonly query: URLSearchParams }) => {
  const { instances, tools } = useServer()
  const fields = fieldsOf(tool.name, tool.schema, instances, searchSchema(tools))
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(Object.fromEntries(query))
  const [asking, setAsking] = useState<Args>()
  const [outcome, setOutcome] = useState<Outcome<JsonObject> | "under way">()
  const read = readFields(fields, texts)
  const instance =
    texts[fields.find(({ kind, noun }) => kind === "choice" && noun === "instance")?.name ?? ""] || undefined
  const [isTold, setTold] = useState(false)
  const [guarded, setGuarded] = useState<Guarded>()
  const call = (args: Args) => {
    setAsking(undefined)
    setGuarded(undefined)
    setOutcome("under way")
    void callTool(tool.name, args).then((answered) => {
      const question = answered.ok || args.confirm_protected === true ? undefined : protectedIn(answered.details)
      setGuarded(question === undefined ? undefined : { args, question })
      setOutcome(question === undefined ? answered : undefined)
    })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    setTold(true)
    if (Object.keys(read.problems).length > 0) return
    if (tool.isReading) call(read.args)
    else setAsking(read.args)
  }
  return (
    <>
      <p class="row">
        <Kind tool={tool} /> <code>{tool.name}</code>
      </p>
      <p>{tool.description}</p>
      <form class="card" onSubmit={submit} noValidate>
        {fields.map((field) => {
          const Input = field.kind === "conditions" ? Conditions : FieldInput
          return (
            <Input
              key={field.name}
              field={field}
              instance={instance}
              text={texts[field.name] ?? ""}
              problem={isTold || isTyped(field, texts[field.name]) ? read.problems[field.name] : undefined}
              onText={(text) => setTexts((before) => ({ ...before, [field.name]: text }))}
            />
          )
        })}
        <div class="row end">
          <button type="submit" class="main">
            {tool.isReading ? "Call" : "Call…"}
          </button>
        </div>
      </form>
      {asking === undefined ? null : (
        <Confirm
          title={`${tool.title}?`}
          action={tool.title}
          onYes={() => call(asking)}
          onNo={() => setAsking(undefined)}
        >
          <p>This may change something. It is called with:</p>
          <pre tabIndex={0} aria-label="Arguments">
            {pretty(asking)}
          </pre>
        </Confirm>
      )}
      {guarded === undefined ? null : (
        <Confirm
          title="Change what is protected?"
          action={`Yes: ${tool.title}`}
          onYes={() => call({ ...guarded.args, confirm_protected: true })}
          onNo={() => {
            setGuarded(undefined)
            setOutcome({ ok: false, problem: "Nothing was changed.", details: undefined, needsToken: false })
          }}
        >
          <p class="warning">{guarded.question}</p>
          <pre tabIndex={0} aria-label="Arguments">
            {pretty(guarded.args)}
          </pre>
        </Confirm>
      )}
      <section aria-label="Answer" aria-live="polite">
        {outcome === undefined ? null : outcome === "under way" ? (
          <Loading what="the answer" />
        ) : (
          <Result outcome={outcome} />
        )}
      </section>
      <details>
        <summary>Schema</summary>
        <pre tabIndex={0} aria-label="Schema">
          {pretty(tool.schema)}
        </pre>
      </details>
    </>
  )
}

const Result = ({ outcome }: { readonly outcome: Outcome<JsonObject> }) =>
  outcome.ok ? (
    <>
      <h2>Answer</h2>
      {textOf(outcome.value.plan_id) === "" ? null : (
        <a class="button main" href={href(["plans", textOf(outcome.value.plan_id)])}>
          Open the plan
        </a>
      )}
      {Object.entries(outcome.value).map(([name, value]) =>
        typeof value === "string" && value.includes("\n") ? (
          <figure key={name}>
            <figcaption>{name}</figcaption>
            <pre tabIndex={0} aria-label={name}>
              {value}
            </pre>
          </figure>
        ) : null
      )}
      <Facts value={outcome.value} />
      <details open={factsIn(outcome.value).length === 0}>
        <summary>Whole answer</summary>
        <pre tabIndex={0} aria-label="Whole answer">
          {pretty(outcome.value)}
        </pre>
      </details>
    </>
  ) : (
    <>
      <Problem>{outcome.problem}</Problem>
      {isJsonObject(outcome.details) ? <pre tabIndex={0}>{pretty(outcome.details)}</pre> : null}
    </>
  )

/** The fields of an answer that people can read as they are; the next call to make is for models. */
const factsIn = (value: JsonObject): ReadonlyArray<readonly [name: string, lines: ReadonlyArray<string>]> =>
  Object.entries(value).flatMap(([name, field]) => {
    const lines = (Array.isArray(field) ? field : [field]).flatMap(wordsIn)
    return name === "next" || lines.length === 0 ? [] : [[name.replaceAll("_", " "), lines] as const]
  })

const isScalar = (value: unknown) => ["boolean", "number", "string"].includes(typeof value)

/** A value in a line: a scalar, or an object of a few. */
const wordsIn = (value: unknown): ReadonlyArray<string> => {
  if (isScalar(value)) return String(value).includes("\n") ? [] : [String(value)]
  const fields = Object.entries(objectOf(value))
  return fields.length === 0 || fields.length > 6 || !fields.every(([, field]) => isScalar(field))
    ? []
    : [fields.map(([name, field]) => `${name.replaceAll("_", " ")} ${String(field)}`).join(" · ")]
}

const Facts = ({ value }: { readonly value: JsonObject }) => {
  const facts = factsIn(value)
  return facts.length === 0 ? null : (
    <dl class="fields card">
      {facts.map(([name, lines]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {lines.slice(0, 20).map((line, at) => (
              <div key={at} dir="auto">
                <Words>{line}</Words>
              </div>
            ))}
            {lines.length > 20 ? <span class="soft">{`and ${lines.length - 20} more`}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  )
}
