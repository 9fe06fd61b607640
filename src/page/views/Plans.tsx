import { useLayoutEffect, useRef, useState } from "preact/hooks"

import { type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { Confirm } from "../Act.tsx"
import { callTool } from "../client.ts"
import { numberOf, textOf, textsOf } from "../json.ts"
import { Answer, Badge, Empty, type Head, Problem, useTool, Warning, When, Words } from "../parts.tsx"
import { kindWords, planWords } from "../planWords.ts"
import { go, href } from "../route.ts"
import { useServer } from "../server.ts"
import { mostSteps, StepPages } from "./StepPages.tsx"

/** Plans are found in the audit log, which has a line for each. */
export const Plans = ({ head }: { readonly head: Head }) => {
  const { has } = useServer()
  return (
    <>
      {head("Plans")}
      {has("show_plan") ? (
        <List />
      ) : (
        <Empty>
          Plans come with the toolset <code>operator</code>: start the server with{" "}
          <code>--toolsets engine,operator</code>.
        </Empty>
      )}
    </>
  )
}

const List = () => {
  const { outcome } = useTool("audit_log", { plans: true, limit: 500 })
  const { tools } = useServer()
  const planners = tools.filter(({ name }) => /^plan_(?!rollback|upgrade)/.test(name))
  return (
    <>
      <p class="row">
        {planners.map(({ name, title }) => (
          <a key={name} class="button" href={href(["tools", name])}>
            {title}
          </a>
        ))}
        {tools.some(({ name }) => name === "check_upgrade") ? (
          <a class="button" href={href(["upgrade"])}>
            Plan upgrade
          </a>
        ) : null}
      </p>
      <Answer outcome={outcome} what="plans">
        {({ entries }) => {
          const plans = objectsOf(entries).filter(({ what }) => what === "planned")
          return plans.length === 0 ? (
            <Empty>
              Nothing is planned. A plan shows what it would change, and changes nothing until it is applied.
            </Empty>
          ) : (
            <ul class="list">
              {plans.map((plan, at) => (
                <Row key={textOf(plan.plan_id)} plan={plan} isRead={at < mostRead} />
              ))}
            </ul>
          )
        }}
      </Answer>
    </>
  )
}

/** Plans whose state is asked for by itself; each is a call. */
const mostRead = 30

const Row = ({ isRead, plan }: { readonly plan: JsonObject; readonly isRead: boolean }) => {
  const id = textOf(plan.plan_id)
  const { outcome } = useTool(isRead ? "show_plan" : undefined, { plan_id: id, limit: 1 })
  const state = outcome?.ok === true ? textOf(outcome.value.state) : ""
  return (
    <li class="card row">
      <a class="title" href={href(["plans", id])}>
        {planWords(
          plan.kind,
          outcome?.ok === true ? objectsOf(outcome.value.steps)[0] : undefined,
          numberOf(plan.steps)
        )}
      </a>
      {state === "" ? null : <Badge tone={tones[state] ?? "calm"}>{state}</Badge>}
      <span class="soft">
        {outcome?.ok === true ? `${numberOf(outcome.value.done)} of ` : ""}
        {steps(numberOf(plan.steps))}
      </span>
      <span class="soft push">
        <code>{id}</code> · <When at={plan.at} />
      </span>
    </li>
  )
}

const steps = (count: number) => (count === 1 ? "1 step" : `${count} steps`)

export const Plan = ({ head, id }: { readonly head: Head; readonly id: string }) => {
  const { again, outcome } = useTool("show_plan", { plan_id: id, limit: mostSteps })
  return (
    <>
      <p class="crumbs">
        <a href={href(["plans"])}>Plans</a>
      </p>
      {head(id)}
      <Answer outcome={outcome} what="the plan">
        {(plan) => <PlanView id={id} plan={plan} again={again} />}
      </Answer>
    </>
  )
}

const tones: Readonly<Record<string, "good" | "bad" | "warn">> = {
  applied: "good",
  refused: "bad",
  "partly applied": "warn",
  begun: "warn"
}

const PlanView = ({
  again,
  id,
  plan
}: {
  readonly id: string
  readonly plan: JsonObject
  readonly again: () => void
}) => {
  const { has } = useServer()
  const [asking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState("")
  const [next, setNext] = useState("")
  const [progress, setProgress] = useState<number>()
  const [isAgreed, setAgreed] = useState(false)
  const status = useRef<HTMLParagraphElement>(null)
  // The button that began it is off meanwhile, and often gone afterwards.
  useLayoutEffect(() => {
    if (isBusy) status.current?.focus()
  }, [isBusy])
  const state = textOf(plan.state)
  const [done, total] = [Math.max(progress ?? 0, numberOf(plan.done)), numberOf(plan.total)]
  const warnings = [...textsOf(plan.warnings), textOf(plan.notice)].filter((text) => text !== "")
  const isProtected = plan.needs_agreement === true
  const call = (tool: string, more: object, then: (value: JsonObject) => void) => {
    setAsking(false)
    setBusy(true)
    setProblem("")
    void callTool(tool, { plan_id: id, ...more }, { onProgress: setProgress }).then((answered) => {
      setBusy(false)
      if (answered.ok) then(answered.value)
      else setProblem(answered.problem)
    })
  }
  const apply = () =>
    call("apply_plan", { confirm: true, ...(isProtected ? { confirm_protected: isAgreed } : {}) }, (value) => {
      setNext(textOf(value.next))
      setProgress(undefined)
      again()
    })
  const isOpen =
    total > 0 && (state === "planned" || state === "begun" || state === "partly applied" || state === "refused")
  const isReversible = done > 0 && state !== "rolled back"
  return (
    <>
      <p class="row">
        <Badge tone={tones[state] ?? "calm"}>{state}</Badge>
        <Badge>{kindWords(plan.kind)}</Badge>
        <span class="soft">
          {isOpen ? (
            <>
              takes about {numberOf(objectOf(plan.estimate).seconds)} s, expires <When at={plan.expires_at} />
            </>
          ) : null}
        </span>
        <a href={href(["changes"], { of: "plans", plan: id })}>Audit log of this plan</a>
      </p>
      <label class="wide">
        {`${done} of ${steps(total)} done`}
        <progress value={done} max={Math.max(total, 1)} />
      </label>
      {warnings.map((text) => (
        <Warning key={text} text={text} />
      ))}
      {problem === "" ? null : <Problem>{problem}</Problem>}
      <p class="soft" role="status" ref={status} tabIndex={-1}>
        {isBusy ? "Under way…" : <Words>{next}</Words>}
      </p>
      <p class="row">
        {isOpen && has("apply_plan") ? (
          <button type="button" class="main" disabled={isBusy} onClick={() => setAsking(true)}>
            {state === "planned" ? "Apply…" : "Go on…"}
          </button>
        ) : null}
        {isReversible ? (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => call("plan_rollback", {}, (made) => go(href(["plans", textOf(made.plan_id)])))}
          >
            Plan the rollback
          </button>
        ) : null}
      </p>
      {asking ? (
        <Confirm
          title="Apply this plan?"
          action={`Apply ${steps(total - done)}`}
          isBusy={isProtected && !isAgreed}
          onYes={apply}
          onNo={() => setAsking(false)}
        >
          <p>What somebody else has changed since is left alone. A rollback can be planned afterwards.</p>
          {isProtected ? (
            <>
              {warnings.map((text) => (
                <Warning key={text} text={text} />
              ))}
              <label class="row">
                <input
                  type="checkbox"
                  checked={isAgreed}
                  onChange={(event) => setAgreed(event.currentTarget.checked)}
                />
                I have read their names, and agree
              </label>
            </>
          ) : null}
        </Confirm>
      ) : null}
      <h2>Steps</h2>
      <StepPages id={id} first={plan} />
    </>
  )
}
