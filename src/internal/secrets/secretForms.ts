/** A stretch of a text: its first character, and the one behind it. */
type Range = readonly [from: number, to: number]

/** Finds all secrets of a form in a text, in their order. */
export type Form = (text: string) => ReadonlyArray<Range>

const like =
  (pattern: RegExp): Form =>
  (text) =>
    Array.from(text.matchAll(pattern), (match) => [
      match.index + (match.groups?.["keep"] ?? "").length,
      match.index + match[0].length
    ])

/** User and password in an address, also where it was cut before its host; a number is a port. */
const login = /[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)|[^\s/@:{}]{1,200}:(?!\d{1,5}(?:\D|$))[^\s/@:{}]{1,200}(?=…|$)/y

const behindScheme = "://"

/** They are looked for where a scheme ends: to look for one that might begin at every word takes twenty times as long. */
const logins: Form = (text) => {
  const ranges: Array<Range> = []
  for (let at = text.indexOf(behindScheme); at >= 0; at = text.indexOf(behindScheme, at)) {
    at += behindScheme.length
    login.lastIndex = at
    const [match] = (/[a-z\d]/i.test(text.charAt(at - 4)) && login.exec(text)) || []
    if (match === undefined) continue
    ranges.push([at, at + match.length])
    at += match.length
  }
  return ranges
}

/**
 * JSON Web Tokens: two or three words with dots between, of which the first begins with `eyJ`. A word is read once, however
 * often it holds these letters.
 */
const webTokens: Form = (text) => {
  const tokens: Array<Range> = []
  for (let at = text.indexOf("eyJ"); at >= 0; at = text.indexOf("eyJ", at)) {
    if (/\w/.test(text.charAt(at - 1))) {
      at += 1
      continue
    }
    const head = endOfWord(text, at)
    const body = text.charAt(head) === "." ? endOfWord(text, head + 1) : head
    if (head - at < 8 || body - head < 6) at = head
    else {
      const end = text.charAt(body) === "." ? endOfWord(text, body + 1) : body
      tokens.push([at, end])
      at = end
    }
  }
  return tokens
}

const word = /[\w-]*/y

const endOfWord = (text: string, from: number): number => {
  word.lastIndex = from
  return from + (word.exec(text)?.[0].length ?? 0)
}

/** Whether a text can hold a secret of any form: most names and values of fields cannot, and are not searched then. */
export const mayHold = (text: string): boolean => /[\s:=_-]|eyJ|AKIA|ASIA|AIza|ya29\.|SG\./.test(text)

/** Forms of secrets inside texts; what a group named `keep` holds stays. */
export const forms: ReadonlyArray<Form> = [
  // PEM blocks, as far as there is what one is made of: nobody may hide a text behind its first line.
  like(
    /(?<keep>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)(?:(?!-----END )[\w+/=\s\\:,-])+(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g
  ),
  // Authorization schemes.
  like(/(?<keep>\b(?:bearer|basic|digest|negotiate)\s+)(?=[\w.~+/-]*[\d+/=._-])[\w.~+/-]{8,}=*/gi),
  // The rest of a header: other schemes, and each of several cookies.
  like(
    /(?<keep>\bauthorization\\{0,3}["']?\s*[:=]\s*\\{0,3}["']?)(?!(?:(?:bearer|basic|digest|token|apikey|negotiate)\s+)?(?:\[masked\]|=?\{\{|\$))(?=[^\r\n"'\\,;{}<>]{0,64}[\d+/=._])[^\r\n"'\\,;{}<>]{8,4000}/gi
  ),
  like(
    /(?<keep>\b(?:set-)?cookie\\{0,3}["']?\s*:\s*\\{0,3}["']?)(?!\[masked\]|=?\{\{|\$)(?=[^\r\n"'\\{}<>]{0,64}=)[^\r\n"'\\{}<>]{3,4000}/gi
  ),
  // User and password as curl takes them.
  like(/(?<keep>\s(?:-u|--user)[\s=]+["']?)[^\s"':{}]{1,64}:(?!\[masked\]|\{\{)[^\s"'{}]{1,200}/g),
  logins,
  // Addresses that let whoever knows them write, and parts of queries that do.
  like(
    /(?<keep>:\/\/(?:hooks\.slack\.com\/(?:services|triggers|workflows)|discord(?:app)?\.com\/api\/webhooks|[\w-]{1,60}\.webhook\.office\.com\/webhookb2)\/)(?!\[masked\])[^\s"'\\<>{}]{8,}/gi
  ),
  like(/(?<keep>[?&](?:key|auth|sig|code|sid|hmac|app_?key|session)=)(?=[^&\s"'\\#{}]{0,64}\d)[^&\s"'\\#{}]{12,}/gi),
  // Well-known prefixes of vendors' keys; they may have been cut at 20 characters.
  like(/\b(?:sk|pk|rk)[-_][\w-]{12,}/gi),
  like(
    /\b(?:gh[pousr]_\w{12,}|github_pat_\w{8,}|glpat-[\w-]{12,}|xox[abeoprs]-[\w-]{8,}|xapp-[\w-]{8,}|\w{3}_api_\w{10,})/g
  ),
  like(/\b(?:AKIA|ASIA)[A-Z\d]{12,16}\b/g),
  like(/\bAIza[\w-]{12,}/g),
  like(/\bya29\.[\w-]{16,}/g),
  like(/\bSG\.[\w-]{12,}(?:\.[\w-]+)?/g),
  like(/\b(?:whsec|shp(?:at|ss|ca|pa)|npm|hf|dop_v1|ntn|sbp|sq0[a-z]{3}|secret)[_-](?=\w{0,64}\d)\w{16,}/g),
  like(/\b(?:ATATT3x|EAA[A-Z])(?=\w{0,64}\d)[\w-]{20,}=?/g),
  like(/(?<!\d)\d{8,10}:(?:AA[\w-]{6,}|[\w-]{33,38}\b)/g),
  // A secret's name and its value, as in queries, headers, code and JSON inside texts.
  like(
    /(?<keep>(?:pass(?:word|wd|phrase)|pwd|secret|(?:access|refresh|auth|id|api|bot|session)?[-_]?token|api[-_]?key|(?:access|account)[-_]?key|private[-_]?key|authorization|cookie|client[-_]?secret|signature)\\{0,3}["']?\s*[:=]\s*\\{0,3}["']?)(?!\[masked\]|=?\{\{|(?:null|true|false|undefined)\b|(?:bearer|basic|digest|token|apikey|negotiate)\s+=?(?:\{\{|\$))(?:[^\s"'\\&,;<>(){}[\]]{3,})/gi
  ),
  webTokens
]
