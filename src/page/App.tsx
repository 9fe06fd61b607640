import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"

import { visible } from "../internal/foreignText.ts"
import { isJsonObject, type JsonObject } from "../internal/schema/JsonObject.ts"
import { type Outcome, token } from "./client.ts"
import { FleetContext, useFollowed } from "./fleet.ts"
import { textOf } from "./json.ts"
import { beginLogin, endLogin, readLogin } from "./login.ts"
import { Empty, Loading, Problem } from "./parts.tsx"
import { href, type Route, useRoute } from "./route.ts"
import { readServer, Server, type ServerInfo } from "./server.ts"
import { Changes } from "./views/Changes.tsx"
import { Now } from "./views/Now.tsx"
import { Plan, Plans } from "./views/Plans.tsx"
import { Runs } from "./views/Runs.tsx"
import { Tool, Tools } from "./views/Tools.tsx"
import { Workflow } from "./views/Workflow.tsx"
import { Workflows } from "./views/Workflows.tsx"

const places = [
  ["", "Now"],
  ["runs", "Runs"],
  ["workflows", "Workflows"],
  ["changes", "Changes"],
  ["plans", "Plans"],
  ["tools", "Tools"]
] as const

export const App = () => {
  const route = useRoute()
  const [outcome, setOutcome] = useState<Outcome<ServerInfo>>()
  const [loginProblem, setLoginProblem] = useState<string>()
  const ask = useCallback(() => {
    setOutcome(undefined)
    void readServer().then(setOutcome)
  }, [])
  useEffect(() => {
    void endLogin().then((problem) => {
      setLoginProblem(problem)
      ask()
    })
  }, [])
  const leave = () => {
    token.clear()
    ask()
  }
  return (
    <>
      <header>
        <a class="skip" href={location.hash || "#/"} onClick={(event) => skip(event)}>
          Skip to content
        </a>
        <a class="brand" href="#/">
          <img src="page.svg" alt="" width="28" height="28" />
          <span>Workflow Tool Server</span>
        </a>
        <nav aria-label="Main">
          {places.map(([word, name]) => (
            <a
              key={word}
              href={href([word].filter((one) => one !== ""))}
              aria-current={isAt(route, word) ? "page" : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        {token.get() === "" ? null : (
          <button type="button" class="quiet" onClick={leave}>
            Forget token
          </button>
        )}
      </header>
      <main id="content" tabIndex={-1}>
        <Content outcome={outcome} route={route} onToken={ask} loginProblem={loginProblem} />
      </main>
    </>
  )
}

const skip = (event: Event) => {
  event.preventDefault()
  document.getElementById("content")?.focus()
}

const isAt = ({ words: [first = ""] }: Route, word: string) =>
  first === word || (word === "workflows" && first === "workflow")

const Content = (props: {
  readonly outcome: Outcome<ServerInfo> | undefined
  readonly route: Route
  readonly onToken: () => void
  readonly loginProblem: string | undefined
}) => {
  const { loginProblem, onToken, outcome, route } = props
  if (outcome === undefined) return <Loading what="what this server offers" />
  if (!outcome.ok && outcome.needsToken)
    return <TokenForm problem={loginProblem ?? outcome.problem} onToken={onToken} />
  if (!outcome.ok) {
    return (
      <>
        <h1>Not connected</h1>
        <Problem>{outcome.problem}</Problem>
        <button type="button" class="main" onClick={onToken}>
          Try again
        </button>
      </>
    )
  }
  return (
    <Server.Provider value={outcome.value}>
      <Followed names={outcome.value.instances}>
        <Place route={route} />
      </Followed>
    </Server.Provider>
  )
}

const Followed = (props: { readonly names: ReadonlyArray<string>; readonly children: ComponentChildren }) => (
  <FleetContext.Provider value={useFollowed(props.names)}>{props.children}</FleetContext.Provider>
)

const Place = ({ route: { query, words } }: { readonly route: Route }) => {
  const [first = "", second, third] = words
  const place = words.join("/")
  const came = useRef(place)
  const isMoved = useRef(false)
  isMoved.current ||= place !== came.current
  const head = (text: string) => <Heading key={place} text={text} isFocused={isMoved.current} />
  if (first === "") return <Now head={head} />
  if (first === "runs") return <Runs head={head} query={query} />
  if (first === "workflows") return <Workflows head={head} query={query} />
  if (first === "workflow" && second !== undefined && third !== undefined) {
    return <Workflow key={place} head={head} instance={second} id={third} query={query} />
  }
  if (first === "plans")
    return second === undefined ? <Plans head={head} /> : <Plan key={place} head={head} id={second} />
  if (first === "changes") return <Changes head={head} query={query} />
  if (first === "tools") {
    return second === undefined ? <Tools head={head} /> : <Tool key={place} head={head} name={second} query={query} />
  }
  return (
    <>
      {head("Nothing here")}
      <Empty>
        This address leads nowhere. <a href="#/">Go to Now.</a>
      </Empty>
    </>
  )
}

/** The title of a place: who follows a link is told where it led; who has just come is not. */
const Heading = ({ isFocused, text }: { readonly text: string; readonly isFocused: boolean }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = visible(`${text} · Workflow Tool Server`)
  }, [text])
  useEffect(() => {
    if (isFocused) heading.current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {text}
    </h1>
  )
}

const TokenForm = ({ onToken, problem }: { readonly problem: string; readonly onToken: () => void }) => {
  const [text, setText] = useState("")
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const wasTried = token.get() !== ""
  const [authorize, setAuthorize] = useState<JsonObject>()
  useEffect(() => {
    void readLogin().then((login) => {
      if (login.ok && isJsonObject(login.value.authorize)) setAuthorize(login.value.authorize)
    })
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    token.set(text.trim())
    onToken()
  }
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{authorize === undefined ? "Token needed" : "Log in"}</h1>
      <p>
        {wasTried
          ? "This token was not taken, or has expired. Look it up again, and mind blanks at its ends."
          : problem}
      </p>
      {authorize === undefined ? null : (
        <>
          <button type="button" class="main wide" onClick={() => void beginLogin(authorize)}>
            Log in at {new URL(textOf(authorize.endpoint)).host}
          </button>
          <p class="soft">Or enter a token.</p>
        </>
      )}
      <label>
        Token
        <input
          ref={field}
          type="password"
          autocomplete="off"
          required
          value={text}
          aria-invalid={wasTried}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p class="soft">It stays in this tab, and is forgotten when the tab is closed.</p>
      <button type="submit" class="main">
        Continue
      </button>
    </form>
  )
}
