import { useEffect, useState } from "preact/hooks"

import { type JsonObject, objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { type Outcome, request } from "../client.ts"
import { numberOf, textOf, textsOf } from "../json.ts"
import { Answer, Badge, Empty, When, Words } from "../parts.tsx"
import { readJson } from "../readJson.ts"
import { callLog } from "../server.ts"

/** The end of the audit log: who called what, on which instance, and how it ended. */
export const Calls = () => {
  const [outcome, setOutcome] = useState<Outcome<JsonObject>>()
  const ask = () => void request("resources/read", { uri: callLog }).then(setOutcome)
  useEffect(ask, [])
  return (
    <>
      <div class="row">
        <button type="button" class="quiet push" onClick={ask}>
          Refresh
        </button>
      </div>
      <Answer outcome={outcome} what="the audit log">
        {({ contents }) => {
          const entries = textOf(objectsOf(contents)[0]?.text)
            .split("\n")
            .map((line) => objectOf(readJson(line)?.value))
            .filter(({ time }) => time !== undefined)
            .toReversed()
          return entries.length === 0 ? (
            <Empty>Nothing has been changed yet.</Empty>
          ) : (
            <ol class="list">
              {entries.map((entry, at) => (
                <Call key={at} entry={entry} />
              ))}
            </ol>
          )
        }}
      </Answer>
    </>
  )
}

const tones: Readonly<Record<string, "good" | "bad" | "warn">> = {
  succeeded: "good",
  failed: "bad",
  interrupted: "warn"
}

const Call = ({ entry }: { readonly entry: JsonObject }) => {
  const { address, client, durationMs, error, ids, instance, lostEntries, outcome, subject, time, tool } = entry
  const words = [instance, ...textsOf(ids), client, subject, address].map(textOf).filter((text) => text !== "")
  return (
    <li class="card row">
      {lostEntries === undefined ? (
        <Badge tone={tones[textOf(outcome)] ?? "calm"}>{textOf(outcome)}</Badge>
      ) : (
        <Badge tone="bad">{`${numberOf(lostEntries)} entries are lost`}</Badge>
      )}
      <strong>{textOf(tool)}</strong>
      <span class="soft">{words.join(" · ")}</span>
      {textOf(error) === "" ? null : (
        <span class="problem">
          <Words>{textOf(error)}</Words>
        </span>
      )}
      <span class="soft push">
        {durationMs === undefined ? null : `${numberOf(durationMs)} ms · `}
        <When at={time} />
      </span>
    </li>
  )
}
