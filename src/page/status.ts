import type { JsonObject } from "../internal/schema/JsonObject.ts"
import { now } from "./browser.ts"

export type Tone = "good" | "bad" | "warn" | "calm"

const statusTones: Readonly<Record<string, Tone>> = {
  success: "good",
  error: "bad",
  crashed: "bad",
  running: "warn",
  waiting: "warn",
  new: "warn"
}

/** The colour of a state of runs. */
export const toneOf = (status: string): Tone => statusTones[status] ?? "calm"

/** The states by which runs can be filtered, as people call them. */
export const statusWords: Readonly<Record<string, string>> = {
  success: "Succeeded",
  error: "Failed",
  crashed: "Crashed",
  running: "Running",
  waiting: "Waiting",
  canceled: "Cancelled",
  new: "New",
  unknown: "Unknown"
}

/** The state of an execution; older engines only say whether it came to its end. */
export const statusOf = ({ finished, status, stoppedAt, waitTill }: JsonObject): string => {
  if (typeof status === "string") return status
  if (finished === true) return "success"
  if (typeof waitTill === "string") return "waiting"
  return typeof stoppedAt === "string" ? "error" : "running"
}

/** Seconds as people say them. */
export const durationWords = (seconds: number | undefined): string => {
  if (seconds === undefined) return "–"
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`
}

/** A moment by its distance from now. */
export const agoWords = (at: number, time = now()): string => {
  const seconds = Math.round((time - at) / 1000)
  if (seconds < -60) return `in ${spanWords(-seconds)}`
  return seconds < 5 ? "just now" : `${spanWords(seconds)} ago`
}

const spanWords = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}
