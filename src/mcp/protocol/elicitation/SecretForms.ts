import { Deferred, Effect, Exit, type Option, Scope } from "effect"

import { CurrentAccess } from "../../callContext.ts"
import type { Reply, SecretForm } from "../../Elicitation.ts"
import { longestWait, requestToOpen, unanswered } from "./Questions.ts"

/** The values that a person has entered. */
export type Values = Readonly<Record<string, unknown>>

/** A form that a person may fill in, once. */
export interface OpenForm {
  /** Unguessable: whoever has it may fill in the form. */
  readonly id: string
  readonly form: SecretForm
  /** The caller and the call that it is for. */
  readonly caller: string
  readonly call: string
  /** The login of the caller, who alone may fill it in, as far as callers log in. */
  readonly login: string | undefined
  readonly values: Deferred.Deferred<Values>
  /** Where the person fills it in; undefined where no page is served to them. */
  readonly address: Effect.Effect<string | undefined>
  /** Ends when the form is closed, and with it a page that was opened for this form alone. */
  readonly scope: Scope.Closeable
}

/** The address of the page as the person reaches it; undefined where none is served to them. It is served at least as long as the scope. */
export type PageAddress = Effect.Effect<string | undefined, never, Scope.Scope>

/** The time in which a form can be filled in, and in which its values are kept for their call. */
const lifetime = "10 minutes"

/** Most open forms of one caller, and of all together: a further one closes the oldest. */
const mostOfCaller = 10
const most = 200

/** The forms for secrets that are open: what is entered stays in the memory of this process, until its call has used it. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const forms = new Map<string, OpenForm>()
  const formOf = (call: string, caller: string) =>
    [...forms.values()].find((one) => one.call === call && one.caller === caller)

  /** Forgets a form and its values. Nobody waits for the end of its page, which still answers the person. */
  const forget = (closed: OpenForm | undefined) =>
    Effect.suspend(() =>
      closed !== undefined && forms.delete(closed.id)
        ? Effect.asVoid(Effect.forkIn(Scope.close(closed.scope, Exit.void), scope))
        : Effect.void
    )

  const makeRoom = (caller: string) => {
    const ofCaller = [...forms.values()].filter((one) => one.caller === caller)
    const [oldest] = ofCaller.length >= mostOfCaller ? ofCaller : forms.size >= most ? forms.values() : []
    return forget(oldest)
  }

  /** The form of a call: a call that is repeated gets the same. */
  const open = Effect.fnUntraced(function* (call: string, caller: string, form: SecretForm, page: PageAddress) {
    const existing = formOf(call, caller)
    if (existing !== undefined) return existing
    yield* makeRoom(caller)
    const id = crypto.randomUUID()
    const formScope = yield* Scope.fork(scope)
    const pageInScope = Effect.uninterruptible(Scope.provide(page, formScope))
    const opened: OpenForm = {
      id,
      form,
      caller,
      call,
      login: yield* loginOfCaller,
      values: yield* Deferred.make<Values>(),
      address: yield* Effect.cached(Effect.map(pageInScope, (address) => address && `${address}#/enter/${id}`)),
      scope: formScope
    }
    forms.set(id, opened)
    yield* Effect.forkIn(Effect.delay(forget(opened), lifetime), formScope)
    return opened
  })

  const close = (call: string, caller: string) => Effect.suspend(() => forget(formOf(call, caller)))

  /** A form that is not filled in yet, for the login that it was made for. */
  const unfilled = (id: string) =>
    Effect.map(loginOfCaller, (login) => {
      const form = forms.get(id)
      return form === undefined || form.login !== login || Deferred.isDoneUnsafe(form.values) ? undefined : form
    })

  return {
    open,
    close,
    /** The form that the current caller may fill in. */
    read: (id: string) => Effect.map(unfilled(id), (opened) => opened?.form),
    /** Fills in a form; false where that cannot be done, or not any more. */
    fill: (id: string, values: Values) =>
      Effect.flatMap(unfilled(id), (opened) =>
        opened === undefined ? Effect.succeed(false) : Deferred.succeed(opened.values, values)
      )
  }
})

export type SecretForms = Effect.Success<typeof make>

const loginOfCaller = Effect.map(CurrentAccess, ({ issuer = "", subject }) =>
  subject === undefined ? undefined : JSON.stringify([issuer, subject])
)

const accepted = (content: Values): Reply => ({ _tag: "Accepted", content })

/** A client that is asked by requests of ours. */
interface Client {
  readonly caller: string
  readonly page: PageAddress
  /** Ends when no answer can come any more. */
  readonly gone: Effect.Effect<void>
  /** Asks the person to open an address. */
  readonly consent: (request: ReturnType<typeof requestToOpen>) => Effect.Effect<Reply>
  /** Tells the client that a form is filled in. */
  readonly tellEnd: (id: string) => Effect.Effect<void>
}

/** Lets the person enter secrets while the call waits. They may have done so before the client says that it has opened the page. */
export const enterWhileWaiting = Effect.fnUntraced(function* (
  forms: SecretForms,
  form: SecretForm,
  { caller, consent, gone, page, tellEnd }: Client
) {
  const call = crypto.randomUUID()
  const opened = yield* forms.open(call, caller, form, page)
  const consented = Effect.flatMap(opened.address, (address) =>
    address === undefined
      ? Effect.succeed(unanswered(noPage))
      : Effect.flatMap(consent(requestToOpen(form, address, opened.id)), (reply) =>
          reply._tag === "Accepted" ? Effect.never : Effect.succeed(reply)
        )
  )
  const entering = Effect.raceAllFirst([
    Effect.map(Deferred.await(opened.values), accepted),
    consented,
    Effect.as(gone, unanswered("the client has gone")),
    Effect.as(Effect.sleep(longestWait), unanswered(`nothing was entered within ${longestWait / 60_000} minutes`))
  ])
  return yield* Effect.tap(entering, (reply) => (reply._tag === "Accepted" ? tellEnd(opened.id) : Effect.void)).pipe(
    Effect.ensuring(forms.close(call, caller))
  )
})

/** Longest wait for what the person enters in one round of a call, which clients give up after a minute. */
const roundWait = "40 seconds"

/** The values of a form that was opened in an earlier round, once the person has entered them. */
export const valuesInRound = ({ values }: OpenForm): Effect.Effect<Option.Option<Reply>> =>
  Effect.timeoutOption(Effect.map(Deferred.await(values), accepted), roundWait)

export const noPage = "no page is served where this client's person could enter them safely"
