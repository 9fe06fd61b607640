import { Act, type Call } from "../Act.tsx"
import { countOf, isFailed, type Run, useFleet } from "../fleet.ts"
import { useServer } from "../server.ts"

const isStoppable = ({ status }: Run) => status === "running" || status === "waiting" || status === "new"

interface RunAction {
  readonly tool: string
  readonly verb: string
  readonly isFor: (run: Run) => boolean
  readonly text: string
  readonly isDangerous?: boolean
}

const runActions: ReadonlyArray<RunAction> = [
  {
    tool: "retry_execution",
    verb: "Retry",
    isFor: isFailed,
    text: "Each runs again, with the workflow as it was. What it does outside, it does again."
  },
  { tool: "stop_execution", verb: "Stop", isFor: isStoppable, text: "What they have done so far stays done." },
  {
    tool: "delete_execution",
    verb: "Delete",
    isFor: (run) => !isStoppable(run),
    text: "Their records and data are gone for good. No rollback brings them back.",
    isDangerous: true
  }
]

/** The actions on some runs that their states and instances allow, and this server offers. */
export const RunActions = (props: {
  readonly runs: ReadonlyArray<Run>
  /** Whether their records stay: deleting one mends nothing. */
  readonly isKept?: boolean
  readonly onDone?: () => void
}) => {
  const { isKept = false, onDone, runs } = props
  const { canChange } = useServer()
  const fleet = useFleet()
  const offered = runActions.filter(({ tool }) => !isKept || tool !== "delete_execution")
  return (
    <span class="row push">
      {offered.map(({ isDangerous = false, isFor, text, tool, verb }) => {
        const fit = runs.filter((run) => isFor(run) && canChange(tool, run.instance))
        if (fit.length === 0) return null
        const what = fit.length === 1 ? `run ${fit[0]?.id}` : countOf(fit.length, "run")
        const places = [...new Set(fit.map(({ instance }) => instance))].join(", ")
        const calls = (): ReadonlyArray<Call> =>
          fit.map(({ id, instance }) => ({ tool, args: { instance, id: Number(id) }, name: `Run ${id}` }))
        return (
          <Act
            key={tool}
            label={runs.length === 1 ? `${verb}…` : `${verb} ${fit.length}…`}
            title={`${verb} ${what} on ${places}?`}
            action={`${verb} ${what}`}
            isDangerous={isDangerous}
            calls={calls}
            {...(onDone === undefined ? {} : { onDone })}
          >
            <p>{text}</p>
            <ul class="names">
              {fit.slice(0, 8).map((run) => (
                <li key={`${run.instance} ${run.id}`} dir="auto">
                  {`${fleet.nameOf(run.instance, run.workflowId)}, run ${run.id}`}
                </li>
              ))}
              {fit.length > 8 ? <li class="soft">and {fit.length - 8} more</li> : null}
            </ul>
          </Act>
        )
      })}
    </span>
  )
}
