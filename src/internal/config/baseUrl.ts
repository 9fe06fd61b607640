import { Result } from "effect"

import { withoutEnd } from "../texts.ts"

/** Whether a host name, as `URL` spells it, can only mean this machine. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  hostname === "::1" ||
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)

/**
 * The base URL behind what people write, without a slash at its end; a failure says what is expected instead, and never
 * repeats what was written.
 */
export const baseUrl = (written: string, allowInsecureHttp: boolean): Result.Result<string, string> => {
  const trimmed = written.trim().replace(/\/api\/v1\/+$/i, "")
  if (!URL.canParse(trimmed)) return Result.fail(expected)
  const url = new URL(trimmed)
  if (url.protocol !== "https:" && url.protocol !== "http:") return Result.fail(expected)
  if (/\/api\/v1\/*$/i.test(url.pathname)) {
    return Result.fail("must be a base URL only, without /api/v1: the suffix is added by the server")
  }
  if (url.username !== "" || url.password !== "") return Result.fail("must not hold a user name or a password")
  if (url.search !== "" || url.hash !== "") return Result.fail("must be a base URL only, without ? and #")
  if (url.protocol === "http:" && !allowInsecureHttp && !isLoopback(url.hostname)) {
    return Result.fail("must begin with https://; plain http is for this machine only, or with allowInsecureHttp: true")
  }
  return Result.succeed(url.origin + withoutEnd(url.pathname, "/"))
}

const expected = "must be a base URL that begins with https:// or http://, such as https://engine.example.com"
