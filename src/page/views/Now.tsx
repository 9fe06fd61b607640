import { useEffect, useMemo, useState } from "preact/hooks"

import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { every } from "../browser.ts"
import { callTool } from "../client.ts"
import { countOf, type InstanceState, isFailed, useFleet } from "../fleet.ts"
import { numberOf, textOf, textsOf } from "../json.ts"
import { Ago, Badge, Empty, type Head, Loading, Words } from "../parts.tsx"
import { href } from "../route.ts"
import { useServer } from "../server.ts"
import { Findings, findingsOf, type Health, isProblem } from "./Findings.tsx"
import { Timeline } from "./Timeline.tsx"

const healthInterval = 60_000

/** The health of every instance, read by itself each minute while the page is looked at; one that is slow holds nobody up. */
const useHealth = (names: ReadonlyArray<string>, isOffered: boolean): ReadonlyMap<string, Health> => {
  const [healths, setHealths] = useState<ReadonlyMap<string, Health>>(new Map())
  useEffect(() => {
    if (!isOffered) return undefined
    let isOver = false
    const read = () => {
      if (document.hidden) return
      for (const name of names) {
        void callTool("instance_health", { instances: [name], limit: 20 }).then((outcome) => {
          if (isOver) return
          const health: JsonObject | undefined = outcome.ok ? objectsOf(outcome.value.data)[0] : undefined
          setHealths((before) => new Map(before).set(name, { health }))
        })
      }
    }
    read()
    const stop = every(healthInterval, read)
    document.addEventListener("visibilitychange", read)
    return () => {
      isOver = true
      stop()
      document.removeEventListener("visibilitychange", read)
    }
  }, [names, isOffered])
  return healths
}

/** The first view: whether all is well, what ran, and what wants a person. */
export const Now = ({ head }: { readonly head: Head }) => {
  const { has, instances: names } = useServer()
  const fleet = useFleet()
  const healths = useHealth(names, has("instance_health"))
  const findings = useMemo(() => findingsOf(fleet, healths), [fleet, healths])
  const missed = useMemo(
    () =>
      new Map(
        findings.flatMap(({ instance, kind, text, workflowId }) =>
          kind === "missed" && workflowId !== undefined ? [[`${instance} ${workflowId}`, text] as const] : []
        )
      ),
    [findings]
  )
  if (names.length === 0) {
    return (
      <>
        {head("Now")}
        <Empty>
          No instance is configured. <code>workflow-tool-server init</code> sets one up.
        </Empty>
      </>
    )
  }
  const isRead = fleet.instances.every(({ isRunsRead, silence }) => isRunsRead || silence !== undefined)
  return (
    <>
      {head("Now")}
      <div class="tiles">
        {fleet.instances.map((state) => (
          <Tile
            key={state.name}
            state={state}
            health={healths.get(state.name)?.health}
            problems={findings.filter((one) => one.instance === state.name && isProblem(one)).length}
          />
        ))}
      </div>
      <h2>Runs of the last 24 hours</h2>
      <Timeline missed={missed} />
      <h2>What needs attention</h2>
      {isRead ? <Findings findings={findings} /> : <Loading what="how the instances are" />}
      <NotLookedAt
        list={[...healths].flatMap(([name, { health }]) =>
          textsOf(health?.notLookedAt).map((text) => (names.length > 1 ? `${name}: ${text}` : text))
        )}
      />
      {has("instance_health") ? null : (
        <p class="soft">
          The toolset <code>operator</code> tells more: missed schedules, triggers, credentials. Start the server with{" "}
          <code>--toolsets engine,operator</code>.
        </p>
      )}
    </>
  )
}

const Tile = (props: {
  readonly state: InstanceState
  readonly health: JsonObject | undefined
  readonly problems: number
}) => {
  const { health, problems, state } = props
  const { heardAt, isMore, isRunsRead, name, runs, silence, workflows } = state
  const active = workflows.filter((row) => row.active === true).length
  const failed = runs.filter(isFailed).length
  const more = isMore ? "+" : ""
  return (
    <section class="card tile" aria-label={name}>
      <div class="row">
        <h2 dir="auto">{name}</h2>
        {silence !== undefined ? (
          <Badge tone="bad">{silence.word}</Badge>
        ) : !isRunsRead ? (
          <Badge>Asking…</Badge>
        ) : problems > 0 ? (
          <Badge tone="bad">{countOf(problems, "problem")}</Badge>
        ) : health === undefined ? (
          <Badge tone="good">Reached</Badge>
        ) : (
          <Badge tone="good">Healthy</Badge>
        )}
        <span class="soft push">
          {heardAt === undefined ? (
            silence === undefined ? null : (
              "never heard"
            )
          ) : (
            <>
              heard <Ago at={heardAt} />
            </>
          )}
        </span>
      </div>
      {silence === undefined ? null : <p class="problem">{silence.text}</p>}
      {heardAt === undefined ? null : (
        <dl class="metrics">
          <Metric
            name="Workflows"
            value={workflows.length || numberOf(health?.workflows)}
            to={["workflows", { instance: name }]}
          />
          <Metric name="Active" value={active} to={["workflows", { instance: name, active: "true" }]} />
          <Metric name="Runs, 24 h" value={`${runs.length}${more}`} to={["runs", { instance: name }]} />
          <Metric
            name="Failed, 24 h"
            value={`${failed}${more}`}
            isBad={failed > 0}
            to={["runs", { instance: name, status: "error" }]}
          />
        </dl>
      )}
    </section>
  )
}

const Metric = (props: {
  readonly name: string
  readonly value: number | string
  readonly isBad?: boolean
  readonly to: readonly [place: string, query: Readonly<Record<string, string>>]
}) => (
  <div>
    <dt>{props.name}</dt>
    <dd>
      <a class={props.isBad === true ? "problem" : ""} href={href([props.to[0]], props.to[1])}>
        {typeof props.value === "number" ? props.value.toLocaleString() : textOf(props.value)}
      </a>
    </dd>
  </div>
)

const NotLookedAt = ({ list }: { readonly list: ReadonlyArray<string> }) =>
  list.length === 0 ? null : (
    <details>
      <summary>Not looked at ({list.length})</summary>
      <ul>
        {list.map((text) => (
          <li key={text}>
            <Words>{text}</Words>
          </li>
        ))}
      </ul>
    </details>
  )
