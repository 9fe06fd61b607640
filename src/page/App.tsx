import type { ComponentChildren, JSX } from "preact"
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

import { visible } from "../internal/foreignText.ts"
import { type Outcome, token } from "./client.ts"
import { FleetContext, useFollowed } from "./fleet.ts"
import { endLogin } from "./login.ts"
import { Empty, type Head, Loading, Problem } from "./parts.tsx"
import { href, type Route, useRoute } from "./route.ts"
import { readServer, Server, type ServerInfo } from "./server.ts"
import { TokenForm } from "./TokenForm.tsx"
import { Changes } from "./views/Changes.tsx"
import { Enter } from "./views/Enter.tsx"
import { Now } from "./views/Now.tsx"
import { Plan, Plans } from "./views/Plans.tsx"
import { Runs } from "./views/Runs.tsx"
import { DataTable, Tables } from "./views/Tables.tsx"
import { Tool, Tools } from "./views/Tools.tsx"
import { Upgrade } from "./views/Upgrade.tsx"
import { Workflow } from "./views/Workflow.tsx"
import { Workflows } from "./views/Workflows.tsx"

interface Visit {
  readonly head: Head
  /** The words of the address behind the first one. */
  readonly rest: ReadonlyArray<string>
  readonly query: URLSearchParams
  /** All words, for views that begin anew at another address. */
  readonly key: string
}

/** Every view by the first word of its address, in the order of the navigation; one without a name is led to by others. */
const views: ReadonlyArray<{
  readonly word: string
  readonly name?: string
  /** The tool without which the navigation leaves it out. */
  readonly tool?: string
  readonly view: (visit: Visit) => JSX.Element | undefined
}> = [
  { word: "", name: "Now", view: ({ head }) => <Now head={head} /> },
  { word: "runs", name: "Runs", view: ({ head, query }) => <Runs head={head} query={query} /> },
  { word: "workflows", name: "Workflows", view: ({ head, query }) => <Workflows head={head} query={query} /> },
  {
    word: "workflow",
    view: ({ head, key, query, rest: [instance, id] }) =>
      instance === undefined || id === undefined ? undefined : (
        <Workflow key={key} head={head} instance={instance} id={id} query={query} />
      )
  },
  { word: "changes", name: "Changes", view: ({ head, query }) => <Changes head={head} query={query} /> },
  {
    word: "plans",
    name: "Plans",
    view: ({ head, key, rest: [id] }) =>
      id === undefined ? <Plans head={head} /> : <Plan key={key} head={head} id={id} />
  },
  {
    word: "tables",
    name: "Tables",
    tool: "read_data_table",
    view: ({ head, key, query, rest: [instance, id] }) =>
      instance === undefined || id === undefined ? (
        <Tables head={head} query={query} />
      ) : (
        <DataTable key={key} head={head} instance={instance} id={id} />
      )
  },
  { word: "upgrade", view: ({ head, query }) => <Upgrade head={head} query={query} /> },
  {
    word: "tools",
    name: "Tools",
    view: ({ head, key, query, rest: [name] }) =>
      name === undefined ? <Tools head={head} /> : <Tool key={key} head={head} name={name} query={query} />
  }
]

export const App = () => {
  const route = useRoute()
  const [outcome, setOutcome] = useState<Outcome<ServerInfo>>()
  const [loginProblem, setLoginProblem] = useState<string>()
  // A page that was opened for one form has nothing else.
  const isForm = route.words[0] === "enter"
  const ask = useCallback(() => {
    setOutcome(undefined)
    void readServer().then(setOutcome)
  }, [])
  useEffect(() => {
    void endLogin().then((problem) => {
      setLoginProblem(problem)
      if (!isForm) ask()
    })
  }, [isForm])
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
        <a class="brand" {...(isForm ? {} : { href: "#/" })}>
          <img src="page.svg" alt="" width="28" height="28" />
          <span>Workflow Tool Server</span>
        </a>
        {isForm ? null : (
          <nav aria-label="Main">
            {views.map(({ name, tool, word }) =>
              name === undefined ||
              (tool !== undefined && !(outcome?.ok === true && outcome.value.has(tool))) ? null : (
                <a
                  key={word}
                  href={href([word].filter((one) => one !== ""))}
                  aria-current={isAt(route, word) ? "page" : undefined}
                >
                  {name}
                </a>
              )
            )}
          </nav>
        )}
        {token.get() === "" ? null : (
          <button type="button" class="quiet" onClick={leave}>
            Forget token
          </button>
        )}
      </header>
      <main id="content" tabIndex={-1}>
        {isForm ? (
          <Enter key={route.words[1]} id={route.words[1] ?? ""} loginProblem={loginProblem} />
        ) : (
          <Content outcome={outcome} route={route} onToken={ask} loginProblem={loginProblem} />
        )}
      </main>
    </>
  )
}

const skip = (event: Event) => {
  event.preventDefault()
  document.getElementById("content")?.focus()
}

const isAt = ({ words: [first = ""] }: Route, word: string) =>
  first === word || (word === "workflows" && first === "workflow") || (word === "plans" && first === "upgrade")

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
  const [first = "", ...rest] = words
  const place = words.join("/")
  const came = useRef(place)
  const isMoved = useRef(false)
  isMoved.current ||= place !== came.current
  const head = (text: string) => <Heading key={place} text={text} isFocused={isMoved.current} />
  const view = views.find(({ word }) => word === first)?.view({ head, rest, query, key: place })
  return (
    view ?? (
      <>
        {head("Nothing here")}
        <Empty>
          This address leads nowhere. <a href="#/">Go to Now.</a>
        </Empty>
      </>
    )
  )
}

/** The title of a place: who follows a link is told where it led; who has just come is not. */
const Heading = ({ isFocused, text }: { readonly text: string; readonly isFocused: boolean }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = visible(`${text} · Workflow Tool Server`)
  }, [text])
  useLayoutEffect(() => {
    if (isFocused) heading.current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {text}
    </h1>
  )
}
