import { useEffect, useState } from "preact/hooks"

import { type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { Act } from "../Act.tsx"
import { callTool } from "../client.ts"
import { countOf } from "../fleet.ts"
import { numberOf, textOf, textsOf } from "../json.ts"
import { Answer, Badge, Empty, type Head, Problem, State, useTool, Warning, Words } from "../parts.tsx"
import { href, keepQuery } from "../route.ts"
import { useServer } from "../server.ts"

/** The view of an upgrade of the engine: instances, workflows with their findings, and a plan of rewrites with its proof. */
export const Upgrade = ({ head, query }: { readonly head: Head; readonly query: URLSearchParams }) => {
  const { has } = useServer()
  const [to, setTo] = useState(query.get("to") ?? "")
  const version = /^\d+\.\d+/.test(to) ? { to } : {}
  const submit = (event: Event) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const target = textOf(new FormData(event.currentTarget).get("to")).trim()
    setTo(target)
    keepQuery(["upgrade"], { to: target })
  }
  return (
    <>
      <p class="crumbs">
        <a href={href(["plans"])}>Plans</a>
      </p>
      {head("Upgrade")}
      {has("check_upgrade") ? (
        <>
          <form class="row filters" onSubmit={submit}>
            <label>
              To version
              <input name="to" defaultValue={to} placeholder="3.0" size={8} />
            </label>
            <button type="submit">Look</button>
          </form>
          <Report key={to} version={version} />
        </>
      ) : (
        <Empty>
          Reports about upgrades come with the toolset <code>operator</code>: start the server with{" "}
          <code>--toolsets engine,operator</code>.
        </Empty>
      )}
    </>
  )
}

interface Version {
  readonly to?: string
}

const Report = ({ version }: { readonly version: Version }) => {
  const { has, instances } = useServer()
  const { outcome } = useTool("check_upgrade", { instances, ...version })
  const [later, setLater] = useState<ReadonlyArray<JsonObject>>([])
  const [cursor, setCursor] = useState<unknown>()
  const [problem, setProblem] = useState("")
  const [plan, setPlan] = useState<JsonObject>()
  useEffect(() => setCursor(outcome?.ok === true ? outcome.value.nextCursor : undefined), [outcome])
  const fetchMore = () =>
    void callTool("check_upgrade", { cursor }).then((next) => {
      setProblem(next.ok ? "" : next.problem)
      if (!next.ok) return
      setLater((before) => [...before, ...objectsOf(next.value.workflows)])
      setCursor(next.value.nextCursor)
    })
  return (
    <Answer outcome={outcome} what="what an upgrade breaks">
      {(value) => {
        const rows = [...objectsOf(value.workflows), ...later]
        return (
          <>
            <Warning text={value.notice} />
            {objectsOf(value.failed ?? value.unusable).map((failed) => (
              <Problem key={textOf(failed.instance)}>
                {textOf(failed.instance)}: {textOf(failed.error)}
              </Problem>
            ))}
            <Instances rows={objectsOf(value.instances)} />
            {has("plan_upgrade") && rows.length > 0 ? (
              <Act
                label="Plan the rewrites…"
                title="Plan the rewrites"
                action="Make the plan"
                calls={() => [{ tool: "plan_upgrade", args: { instances, ...version } }]}
                onDone={([made]) => setPlan(made)}
              >
                <p>
                  Each rewrite is tried on recorded runs in a temporary copy that does not act outside. Nothing of yours
                  is changed until you apply the plan.
                </p>
              </Act>
            ) : null}
            {plan === undefined ? null : <Proof plan={plan} />}
            <h2>Workflows</h2>
            <p role="status" class="soft">
              {rows.length === 0
                ? `Nothing changes in any workflow on the way to ${textOf(value.to)}.`
                : `${countOf(rows.length, "workflow")}${cursor === undefined ? "" : ", and more"}, the worst first`}
            </p>
            <ul class="list">
              {rows.map((row) => (
                <Row key={`${textOf(row.instance)} ${textOf(row.id)}`} row={row} version={version} />
              ))}
            </ul>
            {problem === "" ? null : <Problem>{problem}</Problem>}
            {cursor === undefined ? null : (
              <button type="button" onClick={fetchMore}>
                Show more
              </button>
            )}
            <h2>What nobody can see from here</h2>
            <ul class="plain">
              {[...textsOf(value.ask), ...textsOf(value.notLookedAt), textOf(value.nodeTypes)].map((text) => (
                <li key={text}>
                  <Words>{text}</Words>
                </li>
              ))}
            </ul>
          </>
        )
      }}
    </Answer>
  )
}

const counts = [
  ["stop", "stop", "bad"],
  ["change", "give other results", "warn"],
  ["cosmetic", "cosmetic", "calm"],
  ["clean", "clean", "good"]
] as const

const Instances = ({ rows }: { readonly rows: ReadonlyArray<JsonObject> }) => (
  <ul class="list" aria-label="Instances">
    {rows.map((row) => (
      <li key={textOf(row.instance)} class="card row">
        <strong>{textOf(row.instance)}</strong>
        <span class="soft">
          {textOf(row.version)}, {countOf(numberOf(row.workflows), "workflow")}
        </span>
        {counts.map(([field, words, tone]) =>
          numberOf(row[field]) === 0 ? null : (
            <Badge key={field} tone={tone}>
              {numberOf(row[field])} {words}
            </Badge>
          )
        )}
      </li>
    ))}
  </ul>
)

const tones: Readonly<Record<string, "bad" | "calm" | "warn">> = { stops: "bad", "changes results": "warn" }

const Row = ({ row, version }: { readonly row: JsonObject; readonly version: Version }) => {
  const [isOpen, setOpen] = useState(false)
  const [instance, id] = [textOf(row.instance), textOf(row.id)]
  const rules = Object.entries(objectOf(row.rules))
  return (
    <li class="card">
      <div class="row">
        <a class="title" dir="auto" href={href(["workflow", instance, id])}>
          {textOf(row.name) || id}
        </a>
        <Badge tone={tones[textOf(row.severity)] ?? "calm"}>{textOf(row.severity)}</Badge>
        <State active={row.active === true} archived={false} />
        <span class="soft push">{instance}</span>
      </div>
      <ul class="plain notes">
        {rules.map(([rule, nodes]) => (
          <li key={rule}>
            <strong>{rule}</strong> {textOf(nodes) || numberOf(nodes)}
          </li>
        ))}
      </ul>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide the findings" : "Show the findings"}
      </button>
      {isOpen ? <Findings args={{ instances: [instance], workflow: id, ...version }} /> : null}
    </li>
  )
}

const Findings = ({ args }: { readonly args: JsonObject }) => {
  const { outcome } = useTool("check_upgrade", args)
  return (
    <Answer outcome={outcome} what="the findings">
      {(value) => {
        const todo = objectOf(value.todo)
        return (
          <ul class="plain notes">
            {objectsOf(value.data).map((finding, at) => (
              <li key={at}>
                <strong>{textOf(finding.node)}</strong> <span class="soft">{textOf(finding.field)}</span>{" "}
                {finding.line === undefined ? "" : `line ${numberOf(finding.line)} `}
                <Words>{`${textOf(finding.happens)}. ${textOf(todo[textOf(finding.rule)])}`}</Words>{" "}
                <Badge>{`rewrite: ${textOf(finding.rewrite)}`}</Badge> {textOf(finding.why ?? finding.if)}
              </li>
            ))}
            {numberOf(value.more) === 0 ? null : <li class="soft">and {numberOf(value.more)} more</li>}
          </ul>
        )
      }}
    </Answer>
  )
}

/** The verdicts on the rewrites of a plan; the plan itself shows the differences. */
const Proof = ({ plan }: { readonly plan: JsonObject }) => (
  <section class="card" aria-label="Proof">
    <p>
      <a href={href(["plans", textOf(plan.plan_id)])}>See the differences, and apply them</a>
    </p>
    <ul class="plain notes">
      {objectsOf(plan.workflows).map((row) => (
        <li key={textOf(row.id)}>
          <strong>{textOf(row.name)}</strong> {textOf(row.verdict)}
        </li>
      ))}
    </ul>
  </section>
)
