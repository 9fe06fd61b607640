import type { ComponentChildren, JSX } from "preact"

import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { numberOf, textOf, textsOf } from "../json.ts"
import { Answer, Badge, Empty, useTool, When } from "../parts.tsx"
import { href } from "../route.ts"
import { useServer } from "../server.ts"

export type Head = (text: string) => JSX.Element

export const Overview = ({ head }: { readonly head: Head }) => {
  const { has, instances } = useServer()
  return (
    <>
      {head("Overview")}
      {instances.length === 0 ? (
        <Empty>
          No instance is configured. <code>workflow-tool-server init</code> sets one up.
        </Empty>
      ) : (
        <div class="cards">
          {instances.map((name) =>
            has("instance_health") ? <Health key={name} instance={name} /> : <Counted key={name} instance={name} />
          )}
        </div>
      )}
      {has("instance_health") ? null : (
        <p class="soft">
          The toolset <code>operator</code> tells more: failures, missed schedules, credentials. Start the server with{" "}
          <code>--toolsets engine,operator</code>.
        </p>
      )}
    </>
  )
}

const Card = (props: {
  readonly instance: string
  readonly badge: ComponentChildren
  readonly again: () => void
  readonly children: ComponentChildren
}) => (
  <section class="card" aria-labelledby={`instance-${props.instance}`}>
    <div class="row">
      <h2 id={`instance-${props.instance}`}>{props.instance}</h2>
      {props.badge}
      <button type="button" class="quiet push" onClick={props.again} aria-label={`Refresh ${props.instance}`}>
        Refresh
      </button>
    </div>
    {props.children}
  </section>
)

const Metrics = ({ metrics }: { readonly metrics: ReadonlyArray<readonly [value: ComponentChildren, of: string]> }) => (
  <dl class="metrics">
    {metrics.map(([value, of]) => (
      <div key={of}>
        <dt>{of}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** The findings of instance_health, as groups of rows. */
const groups = [
  ["failures", "Failures in the last 24 hours"],
  ["missedSchedules", "Schedules that did not run"],
  ["noWorkingTrigger", "Active, but no trigger listens"],
  ["runningTooLong", "Running for unusually long"],
  ["credentialsGone", "Credentials that are gone"],
  ["credentialsFailing", "Credentials that fail"]
] as const

const Health = ({ instance }: { readonly instance: string }) => {
  const { again, outcome } = useTool("instance_health", { instances: [instance] })
  const health = outcome?.ok === true ? objectsOf(outcome.value.data)[0] : undefined
  const error = outcome?.ok === true ? objectsOf(outcome.value.errors ?? outcome.value.unusable)[0] : undefined
  const problems = groups.reduce((sum, [field]) => sum + objectsOf(health?.[field]).length, 0)
  return (
    <Card
      instance={instance}
      again={again}
      badge={
        outcome === undefined ? null : health === undefined ? (
          <Badge tone="bad">Not reached</Badge>
        ) : problems === 0 ? (
          <Badge tone="good">Healthy</Badge>
        ) : (
          <Badge tone="bad">{problems === 1 ? "1 problem" : `${problems} problems`}</Badge>
        )
      }
    >
      <Answer outcome={outcome} what="its health">
        {() =>
          health === undefined ? (
            <p class="problem">{textOf(error?.error) || "It told nothing of itself."}</p>
          ) : (
            <HealthReport instance={instance} health={health} />
          )
        }
      </Answer>
    </Card>
  )
}

const HealthReport = ({ health, instance }: { readonly instance: string; readonly health: JsonObject }) => (
  <>
    <Metrics
      metrics={[
        [<a href={href(["workflows"], { instance })}>{numberOf(health.workflows)}</a>, "Workflows"],
        [<a href={href(["workflows"], { instance, active: "true" })}>{numberOf(health.active)}</a>, "Active"],
        [objectsOf(health.failures).reduce((sum, row) => sum + numberOf(row.failures), 0), "Failed runs, 24 h"]
      ]}
    />
    {groups.map(([field, title]) => {
      const rows = objectsOf(health[field])
      if (rows.length === 0) return null
      return (
        <section key={field}>
          <h3>{title}</h3>
          <ul class="plain">
            {rows.map((row, at) => (
              <Finding key={at} instance={instance} row={row} />
            ))}
          </ul>
        </section>
      )
    })}
    <NotLookedAt list={textsOf(health.notLookedAt)} />
  </>
)

const NotLookedAt = ({ list }: { readonly list: ReadonlyArray<string> }) =>
  list.length === 0 ? null : (
    <details>
      <summary>Not looked at ({list.length})</summary>
      <ul>
        {list.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  )

const Finding = ({ instance, row }: { readonly instance: string; readonly row: JsonObject }) => {
  const errors = objectsOf(row.errors)
  const id = textOf(row.id)
  const name = textOf(row.workflow) || textOf(row.name) || id
  const execution = textOf(errors[0]?.execution ?? row.execution)
  const isWorkflow = textOf(row.workflow) !== "" && id !== ""
  const words = [row.why, row.error, row.message, row.problem].map(textOf).find((text) => text !== "")
  return (
    <li>
      {isWorkflow ? <a href={href(["workflow", instance, id], { execution })}>{name}</a> : <strong>{name}</strong>}
      {numberOf(row.failures) > 1 ? ` · ${numberOf(row.failures)} times` : ""}
      {row.last === undefined ? null : (
        <span class="soft">
          {" · "}
          <When at={row.last} />
        </span>
      )}
      {words === undefined ? null : <div class="soft">{words}</div>}
      {errors.map((error, at) => (
        <div key={at} class="said">
          <strong>{textOf(error.node)}</strong> {textOf(error.message)}
          {numberOf(error.count) > 1 ? ` (${numberOf(error.count)} times)` : ""}
        </div>
      ))}
    </li>
  )
}

/** The numbers of an instance, which need no toolset operator. */
const Counted = ({ instance }: { readonly instance: string }) => {
  const { again, outcome } = useTool("list_workflows", { instance, limit: 250 })
  const failed = useTool("list_executions", { instance, status: "error", limit: 5 })
  const rows = outcome?.ok === true ? objectsOf(outcome.value.data) : []
  const more = outcome?.ok === true && outcome.value.nextCursor !== undefined ? "+" : ""
  return (
    <Card
      instance={instance}
      again={again}
      badge={
        outcome === undefined ? null : outcome.ok ? (
          <Badge tone="good">Reached</Badge>
        ) : (
          <Badge tone="bad">Not reached</Badge>
        )
      }
    >
      <Answer outcome={outcome} what="its workflows">
        {() => (
          <Metrics
            metrics={[
              [<a href={href(["workflows"], { instance })}>{`${rows.length}${more}`}</a>, "Workflows"],
              [`${rows.filter(({ active }) => active === true).length}${more}`, "Active"]
            ]}
          />
        )}
      </Answer>
      {outcome?.ok === true && failed.outcome?.ok === true && objectsOf(failed.outcome.value.data).length > 0 ? (
        <section>
          <h3>Last failed runs</h3>
          <ul class="plain">
            {objectsOf(failed.outcome.value.data).map((run) => {
              const id = textOf(run.workflowId)
              const name = rows.find((row) => row.id === id)?.name
              return (
                <li key={textOf(run.id)}>
                  <a href={href(["workflow", instance, id], { execution: textOf(run.id) })}>{textOf(name) || id}</a>{" "}
                  <span class="soft">
                    <When at={run.startedAt} />
                  </span>
                </li>
              )
            })}
          </ul>
        </section>
      ) : null}
    </Card>
  )
}
