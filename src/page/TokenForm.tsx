import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

import { isJsonObject, type JsonObject } from "../internal/schema/JsonObject.ts"
import { token } from "./client.ts"
import { textOf } from "./json.ts"
import { beginLogin, readLogin } from "./login.ts"

/** Asks for a token, or leads to the login at the issuer of tokens. */
export const TokenForm = ({ onToken, problem }: { readonly problem: string; readonly onToken: () => void }) => {
  const [text, setText] = useState("")
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
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
