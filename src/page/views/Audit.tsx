import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { numberOf, textOf } from "../json.ts"
import { Answer, Badge, Empty, useTool, When, Words } from "../parts.tsx"
import { kindWords } from "../planWords.ts"
import { go, href } from "../route.ts"
import { Change } from "./Change.tsx"
import { StepName } from "./Steps.tsx"

const pageSize = 50

/** The entries of the journals of plans, newest first. */
export const Entries = ({ query }: { readonly query: URLSearchParams }) => {
  const plan = query.get("plan") ?? ""
  const offset = Number(query.get("offset") ?? 0) || 0
  const { again, outcome } = useTool("audit_log", {
    limit: pageSize,
    offset,
    ...(plan === "" ? {} : { plan_id: plan })
  })
  const to = (next: number) => href(["changes"], { of: "plans", plan, offset: next === 0 ? "" : String(next) })
  return (
    <>
      <div class="row">
        {plan === "" ? null : (
          <>
            <span>
              Only <code>{plan}</code>
            </span>
            <button type="button" onClick={() => go(href(["changes"], { of: "plans" }))}>
              Show all
            </button>
          </>
        )}
        <button type="button" class="quiet push" onClick={again}>
          Refresh
        </button>
      </div>
      <Answer outcome={outcome} what="the audit log">
        {({ entries, total }) => (
          <>
            <p role="status" class="soft">
              {numberOf(total) === 1 ? "1 entry" : `${numberOf(total)} entries`}
            </p>
            {objectsOf(entries).length === 0 ? <Empty>Nothing has been planned or done by plans yet.</Empty> : null}
            <ol class="list">
              {withoutEnded(objectsOf(entries)).map((entry, at) => (
                <Entry key={at} entry={entry} />
              ))}
            </ol>
            <nav class="row" aria-label="Pages">
              {offset > 0 ? <a href={to(Math.max(0, offset - pageSize))}>Newer</a> : null}
              {offset + pageSize < numberOf(total) ? <a href={to(offset + pageSize)}>Older</a> : null}
            </nav>
          </>
        )}
      </Answer>
    </>
  )
}

/** Without the beginnings of steps whose end is there, too: it says the same and more. */
const withoutEnded = (entries: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const keyOf = ({ plan_id, step }: JsonObject) => `${textOf(plan_id)} ${textOf(step)}`
  const ended = new Set<string>()
  return entries.filter((entry) => {
    const key = keyOf(entry)
    if (entry.what === "begun") return !ended.delete(key)
    if (entry.step !== undefined) ended.add(key)
    return true
  })
}

const tones: Readonly<Record<string, "good" | "bad" | "warn">> = {
  done: "good",
  finished: "good",
  refused: "bad",
  stopped: "bad",
  begun: "warn"
}

const Entry = ({ entry }: { readonly entry: JsonObject }) => {
  const { after, at, before, kind, plan_id: plan, problem, reason, step, steps, what } = entry
  return (
    <li class="card">
      <div class="row">
        <Badge tone={tones[textOf(what)] ?? "calm"}>{textOf(what)}</Badge>
        {textOf(step) === "" ? null : <StepName step={entry} />}
        {textOf(kind) === "" ? null : <span>{`${kindWords(kind)}, ${numberOf(steps)} steps`}</span>}
        {textOf(plan) === "" ? null : <a href={href(["plans", textOf(plan)])}>{textOf(plan)}</a>}
        <span class="soft push">
          <When at={at} />
        </span>
      </div>
      {textOf(reason) === "" ? null : <div class="soft">{textOf(reason)}</div>}
      {textOf(problem) === "" ? null : (
        <div class="problem">
          <Words>{textOf(problem)}</Words>
        </div>
      )}
      {(before === undefined && after === undefined) || what === "begun" ? null : (
        <Change before={before} after={after} />
      )}
    </li>
  )
}
