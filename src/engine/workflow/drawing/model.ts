import type { Look } from "./looks.ts"

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** What a run made of a node or an arrow. */
export type Fate = "ran" | "failed" | "idle"

/** A node with its place, in words that are short enough for it. */
export interface SceneNode extends Box {
  readonly name: string
  readonly kind: string
  /** What it does. */
  readonly words: string
  readonly look: Look
  /** A part serves another node, such as the model of an agent; what is missing is only connected. */
  readonly role: "trigger" | "step" | "part" | "missing"
  readonly isDisabled: boolean
  readonly isPinned: boolean
  readonly fate: Fate | undefined
  /** What a run says of it: how much and how long, or what it failed with. */
  readonly told: string
}

export interface SceneWire {
  readonly source: string
  readonly target: string
  readonly path: string
  readonly isPart: boolean
  readonly fate: Fate | undefined
}

/** Words at the beginning or end of an arrow. */
export interface SceneLabel {
  readonly x: number
  readonly y: number
  readonly text: string
  readonly isPart: boolean
}

export interface SceneNote extends Box {
  readonly lines: ReadonlyArray<string>
  readonly colour: number
}

/** A workflow as it is drawn: everything has its place. */
export interface Scene extends Box {
  readonly name: string
  readonly nodes: ReadonlyArray<SceneNode>
  readonly wires: ReadonlyArray<SceneWire>
  readonly labels: ReadonlyArray<SceneLabel>
  readonly notes: ReadonlyArray<SceneNote>
}
