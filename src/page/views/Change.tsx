import { isJsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { pretty, textOf, textsOf } from "../json.ts"

/** A thing before and after a step: fields that differ with both values, lines of a difference one below the other. */
export const Change = ({ after, before }: { readonly before: unknown; readonly after: unknown }) => {
  if (!isJsonObject(before) && !isJsonObject(after)) return <Pair before={before} after={after} />
  const [old, now] = [objectOf(before), objectOf(after)]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => name !== "name")
  const [nameBefore, nameAfter] = [textOf(old.name), textOf(now.name)]
  return (
    <div class="change">
      {nameBefore !== "" && nameAfter !== "" && nameBefore !== nameAfter ? (
        <Pair before={nameBefore} after={nameAfter} />
      ) : null}
      {names.map((name) => (
        <div key={name} class="difference">
          {name === "changes" && Array.isArray(now.changes) ? (
            <ul class="lines">
              {textsOf(now.changes).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          ) : (
            <>
              <span class="soft">{name}</span>
              <Pair before={old[name]} after={now[name]} />
            </>
          )}
        </div>
      ))}
    </div>
  )
}

const Pair = ({ after, before }: { readonly before: unknown; readonly after: unknown }) => {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  if (old === now) return <span>{now}</span>
  return (
    <span class="pair">
      {old === "" ? null : <del>{old}</del>}
      {old === "" || now === "" ? null : <span aria-hidden="true">→</span>}
      {now === "" ? null : <ins>{now}</ins>}
    </span>
  )
}

const wordsOf = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  if (typeof value === "string") return value
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ") || "none"
  return pretty(value)
}
