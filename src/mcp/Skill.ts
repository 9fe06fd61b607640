import { Context, Effect } from "effect"

import { sha256 } from "../internal/sha256.ts"
import { CurrentAccess } from "./callContext.ts"
import { ResourceNotFound, type ResourceProvider } from "./Resources.ts"
import { select, type Selection } from "./selection.ts"
import type { Tool } from "./Tool.ts"
import { refusedTools } from "./Tools.ts"

/** Instructions for one kind of task, in the format of Agent Skills: a folder of its name with one file. */
export interface Skill {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  /** The task, and when to use the skill. */
  readonly description: string
  /** The tools that its text names: it is served to callers who are offered all of them. */
  readonly tools: ReadonlyArray<string>
  /** Markdown. */
  readonly text: string
  /** Paragraphs for callers who are offered further tools. */
  readonly further?: ReadonlyArray<{ readonly tools: ReadonlyArray<string>; readonly text: string }>
}

/** The skills of all toolsets. */
export const Skills = Context.Reference<ReadonlyArray<Skill>>("workflow-tool-server/mcp/Skills", {
  defaultValue: () => []
})

/** The name of skills among the extensions of the protocol. */
export const skillExtension = "io.modelcontextprotocol/skills"

/** The skills that name only tools that the current caller is offered, with the paragraphs about further ones. */
export const offeredSkills = (
  skills: ReadonlyArray<Skill>,
  tools: ReadonlyArray<Tool>,
  standard: Selection
): Effect.Effect<ReadonlyArray<Skill>> =>
  Effect.gen(function* () {
    const { selection = standard } = yield* CurrentAccess
    const refused = yield* refusedTools(tools)
    const names = new Set(
      select(tools, selection).flatMap(({ isListed, name }) => (isListed === false || refused.has(name) ? [] : [name]))
    )
    const areOffered = ({ tools }: Pick<Skill, "tools">) => tools.every((name) => names.has(name))
    return skills.filter(areOffered).map((skill) =>
      withFurther(
        skill,
        (skill.further ?? []).filter(areOffered).map(({ text }) => text)
      )
    )
  })

const withFurther = (skill: Skill, paragraphs: ReadonlyArray<string>): Skill => ({
  ...skill,
  text: [skill.text, ...paragraphs].join("\n")
})

/** A skill for a folder, where nobody knows which tools are offered: the paragraphs about further ones say so. */
export const forAnyServer = (skill: Skill): Skill =>
  withFurther(
    skill,
    (skill.further ?? []).map(({ text, tools }) => `Only where ${tools.join(" and ")} can be called:\n\n${text}`)
  )

/** The file of a skill. Quoted as JSON, a description is also YAML, whatever is in it. */
export const skillFile = ({ description, name, text }: Skill): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${text}`

/** The address of a skill's file. */
export const uriOf = ({ name }: Skill) => `skill://${name}/SKILL.md`

const markdown = "text/markdown"

/** Skills as resources. */
export const skillResources = (skills: ReadonlyArray<Skill>): Pick<ResourceProvider, "list" | "read"> => ({
  list: skills.map((skill) => ({
    uri: uriOf(skill),
    name: skill.name,
    title: skill.name,
    description: skill.description,
    mimeType: markdown
  })),
  read: (uri) => {
    const skill = skills.find((one) => uriOf(one) === uri)
    return skill === undefined
      ? Effect.fail(new ResourceNotFound({ uri }))
      : Effect.succeed({ uri, mimeType: markdown, text: skillFile(skill) })
  }
})

/** The entry of a skill for hosts, which check the file that they read against it. */
export const skillEntry = (skill: Skill) => {
  const { description, name } = skill
  const file = skillFile(skill)
  const uri = uriOf(skill)
  const size = new TextEncoder().encode(file).length
  return { uri, frontmatter: { name, description }, resources: [{ uri, digest: `sha256:${sha256(file)}`, size }] }
}
