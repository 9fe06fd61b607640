/** Scheme, host and port, and nothing else of a URL: no user, no path, no query. */
const originOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { host, protocol } = new URL(url)
  return host === "" ? undefined : `${protocol}//${host}`
}

/** Where an upstream is called, for whoever reads why it did not answer. */
export const addressOf = (host: string, proxy?: string): string | undefined => {
  const [address, through] = [originOf(host), proxy === undefined ? undefined : originOf(proxy)]
  return address === undefined || through === undefined ? address : `${address} through the proxy ${through}`
}
