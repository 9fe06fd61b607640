import { readFileSync } from "node:fs"
import path from "node:path"

import { Redacted, Result } from "effect"

import { withoutEnd } from "../../internal/texts.ts"
import { home } from "../files/homeFolders.ts"

/** The source of a user's packages, according to npm's settings. */
export interface NpmSettings {
  /** The registry of a package, without a trailing slash. */
  readonly registryOf: (name: string) => string
  /** The credentials for an address of a registry. */
  readonly authorizationFor: (url: URL) => Redacted.Redacted | undefined
  readonly proxyFor: (url: URL) => string | undefined
  readonly caFile: string | undefined
}

const standard = "https://registry.npmjs.org"

/**
 * Reads npm's settings from variables (`npm_config_…`) and the user's own `.npmrc`; variables take precedence. A `.npmrc` in
 * the working folder is ignored: it could be anybody's.
 */
export const readNpmSettings = (environment: NodeJS.ProcessEnv = process.env): NpmSettings => {
  const given = new Map(
    Object.entries(environment).flatMap(([name, value]) =>
      /^npm_config_/i.test(name) && value !== undefined && value !== ""
        ? [[name.slice("npm_config_".length).toLowerCase().replaceAll("_", "-"), value] as const]
        : []
    )
  )
  const homeFolder = environment["HOME"] ?? home()
  const file = given.get("userconfig") ?? (homeFolder && path.join(homeFolder, ".npmrc")) ?? ""
  const text = Result.getOrElse(
    Result.try(() => readFileSync(file, "utf8")),
    () => ""
  )
  const settings = new Map([...parseNpmrc(text, environment), ...given])
  const registry = settings.get("registry") ?? standard
  const trimmed = (url: string) => withoutEnd(url, "/")
  const env = (...names: ReadonlyArray<string>) => names.map((name) => environment[name]).find((value) => value)
  return {
    registryOf: (name) => {
      const scope = name.startsWith("@") ? name.slice(0, name.indexOf("/")) : ""
      return trimmed((scope === "" ? undefined : settings.get(`${scope}:registry`)) ?? registry)
    },
    authorizationFor: (url) => {
      const credential = [...settings]
        .filter(([key]) => key.startsWith("//") && /:(_authToken|_auth)$/i.test(key))
        .find(([key]) => isBelow(url, key.replace(/:(_authToken|_auth)$/i, "")))
      if (credential === undefined) return undefined
      return Redacted.make(/token$/i.test(credential[0]) ? `Bearer ${credential[1]}` : `Basic ${credential[1]}`)
    },
    proxyFor: (url) => {
      if (isExempt(url.hostname, settings.get("noproxy") ?? env("NO_PROXY", "no_proxy") ?? "")) return undefined
      return url.protocol === "https:"
        ? (settings.get("https-proxy") ?? env("HTTPS_PROXY", "https_proxy") ?? settings.get("proxy"))
        : (settings.get("proxy") ?? env("HTTP_PROXY", "http_proxy"))
    },
    caFile: settings.get("cafile") ?? environment["NODE_EXTRA_CA_CERTS"]
  }
}

/** Lines `key = value`; `${NAME}` is replaced by a variable. Comments begin with `;` or `#`. */
const parseNpmrc = (text: string, environment: NodeJS.ProcessEnv): ReadonlyMap<string, string> =>
  new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const [name = "", ...values] = line.split("=")
      const [key, value] = [name.trim(), values.join("=").trim()]
      if (key === "" || values.length === 0 || key.startsWith(";") || key.startsWith("#")) return []
      const unquoted = value.replace(/^"(.*)"$|^'(.*)'$/, "$1$2")
      const filled = unquoted.replace(/\$\{([^{}]+)\}/g, (all, name: string) => environment[name] ?? all)
      return [[key.startsWith("//") || key.startsWith("@") ? key : key.toLowerCase(), filled] as const]
    })
  )

/** Whether an address lies below `//host/path`, which must say the whole host. */
const isBelow = (url: URL, place: string): boolean => {
  const [host = "", ...folders] = withoutEnd(place.slice(2), "/").split("/")
  const folder = folders.length === 0 ? "/" : `/${folders.join("/")}/`
  return url.host === host && `${url.pathname}/`.startsWith(folder)
}

const isExempt = (host: string, list: string): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(host) ||
  list
    .split(",")
    .map((entry) => entry.trim().replace(/^\*?\./, ""))
    .some((entry) => entry === "*" || (entry !== "" && (host === entry || host.endsWith(`.${entry}`))))
