/** Advice of the server to models that the page gives by its own buttons, or need not give. */
const advice: ReadonlyArray<readonly [pattern: RegExp, words: string]> = [
  [/: apply_plan asks a person, or needs confirm_protected(?=$|[.;])/g, ""],
  [
    /which needs confirm_protected, after a person has agreed to them by name/g,
    "which needs your agreement to them by name"
  ],
  [
    / ?Ask a person; when they have agreed to exactly this change, make the same call with one more argument beside its own, confirm_protected: true\./g,
    ""
  ],
  [
    /Show this to a person; when they agree, call apply_plan with plan_id \S+ and confirm true\./g,
    "Apply it with “Apply…”."
  ],
  [/apply_plan with plan_id \S+ sets/g, "“Go on…” sets"],
  [/call apply_plan with plan_id \S+ again/g, "choose “Go on…”"],
  [/plan_rollback plans (?:the|its) rollback/g, "“Plan the rollback” prepares the rollback"],
  [/: refused says why \(show_plan lists them all\)/g, ": each says why below"],
  [/: show_plan tells how far it has come\./g, "."],
  [/: show_plan with limit shows them all/g, ""],
  [/; created tells the ids of what is new/g, ""],
  [/, which show_plan lists/g, ""],
  [/ ?show_plan shows the other steps\./g, ""]
]

interface Titled {
  readonly name: string
  readonly title: string
}

/** A text of the server for models, as a person at this page reads it: tools have their titles. */
export const peopleWords = (text: string, tools: ReadonlyArray<Titled>): string => {
  if (!text.includes("_")) return text
  const plain = advice.reduce((words, [pattern, replacement]) => words.replaceAll(pattern, replacement), text)
  const titles = new Map(tools.map(({ name, title }) => [name, title]))
  // Quoted names are the user's.
  return plain.replaceAll(/"[^"]{0,500}"|“[^”]{0,500}”|\w{1,80}/g, (word) =>
    titles.has(word) ? `“${titles.get(word)}”` : word
  )
}
