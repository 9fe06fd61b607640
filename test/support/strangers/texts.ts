/** A text of about so many characters. */
export type MakeText = (size: number) => string

const filled =
  (unit: string): MakeText =>
  (size) =>
    unit.repeat(Math.max(1, Math.floor(size / unit.length)))

const nested =
  (opening: string, inside: string, closing: string, before = "", behind = ""): MakeText =>
  (size) => {
    const depth = Math.max(1, Math.floor(size / (opening.length + closing.length)))
    return before + opening.repeat(depth) + inside + closing.repeat(depth) + behind
  }

/** Texts that strangers send: what search, parsers, terminals and people stumble over. */
export const strangeTexts: Readonly<Record<string, MakeText>> = {
  "nested template strings": nested("`${", "$('A')", "}`", "={{ ", " }}"),
  "nested template strings of 3 kB": () => nested("`${", "$('A')", "}`", "={{ ", " }}")(3000),
  "nested brackets": nested("(", "1", ")", "={{ ", " }}"),
  "brackets that nobody closes": filled("([{"),
  "prefixes in an expression": (size) => `={{ ${"!".repeat(size)}1 }}`,
  "additions in an expression": (size) => `={{ ${"1+".repeat(size / 2)}1 }}`,
  "many expressions": filled("={{ $json.a }}"),
  "expressions that nobody closes": filled("={{ "),
  "names that nothing has": filled("{{ $('Nobody').item }}"),
  "many declared names": (size) => Array.from({ length: size / 12 }, (_, at) => `let name${at} = 1`).join("\n"),
  "regular expressions in code": (size) => `={{ /${"(".repeat(size / 2)}${")".repeat(size / 2)}/ }}`,
  slashes: filled("/"),
  "folders without a file": filled("/aa"),
  "an address of slashes": (size) => `https://${"/".repeat(size)}`,
  base64: filled("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo"),
  eyJ: filled("eyJ"),
  "words that begin with eyJ": filled("eyJ-"),
  "tokens without an end": filled("eyJhbGciOi.eyJ"),
  backslashes: filled("\\"),
  "quotes with backslashes": filled('\\"'),
  "single quotes with backslashes": (size) => `{${"\\'".repeat(size / 2)}`,
  "quotes that nobody closes": filled('$("'),
  quotes: filled("\"'`"),
  "keys without an end": filled("sk-"),
  "passwords without a value": filled("password = "),
  "users without a host": filled("https://a:"),
  "keys that nobody ends": filled("-----BEGIN PRIVATE KEY-----"),
  "blank lines": filled("\n"),
  blanks: filled(" "),
  "blanks with an end": (size) => `${" ".repeat(size)}x`,
  "commas and blanks": (size) => `a${" ".repeat(size)}b`,
  "stack lines": filled("\n    at x"),
  "question marks with a line feed": (size) => `${"?".repeat(size)}\nx`,
  "less-than signs": filled("<"),
  "tags that nobody closes": filled("<a "),
  hyphens: (size) => `${"-".repeat(size)}x`,
  semicolons: (size) => `={{ ${";".repeat(size)}x }}`,
  "a huge line": filled("x"),
  "many lines": filled("a\nb\n"),
  digits: filled("1"),
  "versions without an end": filled("1.1."),
  "lone surrogates": filled("\ud83d"),
  "combining marks": (size) => `a${"\u0301".repeat(size)}`,
  directions: filled("\u202e\u2066"),
  "invisible characters": filled("\u200b\u{E0041}"),
  emoji: filled("\u{1F468}\u200D\u{1F469}\u200D"),
  __proto__: filled("__proto__"),
  "deep JSON": nested('{"a":[', "1", "]}"),
  "percent signs": filled("%25"),
  entities: filled("&amp;#x26;"),
  "Unicode escapes": filled("\\ud83d"),
  masks: filled("[masked]"),
  formulas: filled("$$*_~`|"),
  hashes: filled("#"),
  wildcards: filled("*a")
}
