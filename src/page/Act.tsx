import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"

import { type JsonObject, objectOf } from "../internal/schema/JsonObject.ts"
import { resolved } from "./browser.ts"
import { callTool, type Outcome } from "./client.ts"
import { countOf, useFleet } from "./fleet.ts"
import { type Args, textOf, textsOf } from "./json.ts"
import { Problem } from "./parts.tsx"

interface ConfirmProps {
  readonly title: string
  readonly action: string
  readonly isBusy?: boolean
  readonly isDangerous?: boolean
  readonly children: ComponentChildren
  readonly onYes: () => void
  readonly onNo: () => void
}

/** Asks before something is changed. At its end the focus is where it was before, or at the head of the page. */
export const Confirm = ({ action, children, isBusy, isDangerous, onNo, onYes, title }: ConfirmProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const opener = document.activeElement
    const element = dialog.current
    element?.showModal()
    return () => {
      // Nothing behind an open dialog takes the focus.
      element?.close()
      const place = opener?.isConnected === true ? opener : document.querySelector("h1")
      if (place instanceof HTMLElement) place.focus()
    }
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    onYes()
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirm-title"
      onCancel={onNo}
      // That of a dialog that is gone comes late, and would close the next one.
      onClose={({ currentTarget }) => (currentTarget.isConnected ? onNo() : undefined)}
    >
      <form onSubmit={submit} noValidate>
        <h2 id="confirm-title">{title}</h2>
        {children}
        <div class="row end">
          <button type="button" onClick={onNo}>
            Cancel
          </button>
          <button type="submit" class={isDangerous === true ? "danger" : "main"} disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** A call that changes something. */
export interface Call {
  readonly tool: string
  readonly args: Args
  /** The name of the thing that it is about, where there are several calls. */
  readonly name?: string
}

/** The question for somebody's agreement to a change of what is protected; undefined where an error is another one. */
export const protectedIn = (details: unknown): string | undefined => {
  const { code, instance, kind, name, others } = objectOf(details)
  if (code !== "PROTECTED") return undefined
  const names = [textOf(name), ...textsOf(others)].map((one) => `“${one}”`).join(", ")
  return `Protected by the configuration: ${textOf(kind)} ${names} on ${textOf(instance)}.`
}

interface Progress {
  readonly done: number
  readonly problems: ReadonlyArray<string>
}

/** Makes calls one after the other, and tells how far they have come; what is refused does not stop the others. */
const makeCalls = (
  calls: ReadonlyArray<Call>,
  isAgreed: boolean,
  onProgress: (progress: Progress) => void
): Promise<{ readonly outcomes: ReadonlyArray<Outcome<JsonObject>>; readonly problems: ReadonlyArray<string> }> => {
  const from = (at: number, outcomes: ReadonlyArray<Outcome<JsonObject>>, problems: ReadonlyArray<string>) => {
    const call = calls[at]
    if (call === undefined) return resolved({ outcomes, problems })
    const args = isAgreed ? { ...call.args, confirm_protected: true } : call.args
    return callTool(call.tool, args).then((outcome): ReturnType<typeof makeCalls> => {
      const words = outcome.ok ? [] : [call.name === undefined ? outcome.problem : `${call.name}: ${outcome.problem}`]
      const next = [...problems, ...words]
      onProgress({ done: at + 1, problems: next })
      return from(at + 1, [...outcomes, outcome], next)
    })
  }
  return from(0, [], [])
}

interface ActProps {
  /** The text of the button. */
  readonly label: string
  readonly name?: string
  readonly class?: string
  readonly isDisabled?: boolean
  readonly title: string
  readonly action: string
  readonly isDangerous?: boolean
  readonly calls: () => ReadonlyArray<Call> | string
  /** The text about it in the dialog: instance, names and numbers. */
  readonly children?: ComponentChildren
  readonly onDone?: (answers: ReadonlyArray<JsonObject>) => void
}

/** A button whose dialog says what would be done, does it, and stays where something was refused. */
export const Act = (props: ActProps) => {
  const { action, calls, children, isDangerous = false, isDisabled = false, label, name, onDone, title } = props
  const { again } = useFleet()
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [progress, setProgress] = useState<Progress>()
  const [agreement, setAgreement] = useState<string>()
  const [count, setCount] = useState(0)
  const close = () => {
    if (isBusy) return
    setOpen(false)
    setProgress(undefined)
    setAgreement(undefined)
  }
  const run = () => {
    const made = calls()
    if (typeof made === "string") {
      setProgress({ done: 0, problems: [made] })
      return
    }
    setCount(made.length)
    setBusy(true)
    setProgress(undefined)
    void makeCalls(made, agreement !== undefined, setProgress).then(({ outcomes, problems }) => {
      setBusy(false)
      again()
      const question = agreement === undefined ? outcomes.map(agreementOf).find((one) => one !== undefined) : undefined
      setAgreement(question)
      if (question !== undefined) setProgress(undefined)
      else if (problems.length === 0) {
        close()
        setOpen(false)
        onDone?.(outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : [])))
      }
    })
  }
  return (
    <>
      <button
        type="button"
        class={props.class}
        disabled={isDisabled}
        aria-label={name}
        onClick={() => (setProgress(undefined), setOpen(true))}
      >
        {label}
      </button>
      {isOpen ? (
        <Confirm
          title={title}
          action={agreement === undefined ? action : `Yes: ${action}`}
          isBusy={isBusy}
          isDangerous={isDangerous}
          onYes={run}
          onNo={close}
        >
          {children}
          {agreement === undefined ? null : <p class="warning">{agreement}</p>}
          <p class="soft" role="status">
            {isBusy ? (count > 1 ? `${progress?.done ?? 0} of ${count} done…` : "Under way…") : ""}
          </p>
          {progress === undefined || progress.problems.length === 0 ? null : (
            <Problem>
              {progress.problems.length === 1 ? "" : `${countOf(progress.problems.length, "call")} refused: `}
              {progress.problems.slice(0, 5).join(" ")}
            </Problem>
          )}
        </Confirm>
      ) : null}
    </>
  )
}

const agreementOf = (outcome: Outcome<JsonObject>) => (outcome.ok ? undefined : protectedIn(outcome.details))
