import { boolean, choice, jsonText, list, number, one, options, required, text, when } from "./forms.ts"

const methods = ["GET", "DELETE", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
const pair = [text("name"), text("value")]

/** The HTTP Request node, in our own words. */
export const httpRequest = {
  title: "HTTP Request",
  what: "Makes an HTTP request and returns the answer",
  alias: ["API", "URL", "fetch"],
  versions: [3, 4, 4.1, 4.2],
  later: [4.3, 4.4, 4.5],
  properties: [
    choice("method", methods),
    text("url", required),
    choice("authentication", ["none", "predefinedCredentialType", "genericCredentialType"]),
    {
      ...text("nodeCredentialType", required),
      type: "credentialsSelect",
      ...when({ authentication: ["predefinedCredentialType"] })
    },
    {
      ...text("genericAuthType", required),
      type: "credentialsSelect",
      ...when({ authentication: ["genericCredentialType"] })
    },
    boolean("sendQuery"),
    choice("specifyQuery", ["keypair", "json"], when({ sendQuery: [true] })),
    list("queryParameters", "parameters", pair, when({ sendQuery: [true], specifyQuery: ["keypair"] })),
    boolean("sendHeaders"),
    choice("specifyHeaders", ["keypair", "json"], when({ sendHeaders: [true] })),
    list("headerParameters", "parameters", pair, when({ sendHeaders: [true], specifyHeaders: ["keypair"] })),
    boolean("sendBody"),
    choice(
      "contentType",
      ["json", "form-urlencoded", "multipart-form-data", "binaryData", "raw"],
      when({ sendBody: [true] })
    ),
    choice("specifyBody", ["keypair", "json"], when({ sendBody: [true], contentType: ["json"] })),
    jsonText("jsonBody", when({ sendBody: [true], contentType: ["json"], specifyBody: ["json"] })),
    list(
      "bodyParameters",
      "parameters",
      [...pair, choice("parameterType", ["formData", "formBinaryData"]), text("inputDataFieldName")],
      when({ sendBody: [true], specifyBody: ["keypair"] })
    ),
    text("inputDataFieldName", when({ sendBody: [true], contentType: ["binaryData"] })),
    text("rawContentType", when({ sendBody: [true], contentType: ["raw"] })),
    text("body", when({ sendBody: [true], contentType: ["raw"] })),
    options(
      number("timeout", { default: 10_000 }),
      text("proxy"),
      boolean("allowUnauthorizedCerts"),
      boolean("lowercaseHeaders"),
      one("batching", "batch", [number("batchSize"), number("batchInterval")]),
      one("redirect", "redirect", [boolean("followRedirects"), number("maxRedirects")]),
      one("response", "response", [
        boolean("fullResponse"),
        boolean("neverError"),
        choice("responseFormat", ["autodetect", "file", "json", "text"]),
        text("outputPropertyName")
      ]),
      one("pagination", "pagination", [
        choice("paginationMode", ["updateAParameterInEachRequest", "responseContainsNextURL", "off"]),
        text("nextURL"),
        list("parameters", "parameters", [...pair, choice("type", ["qs", "headers", "body"])]),
        choice("paginationCompleteWhen", ["responseIsEmpty", "receiveSpecificStatusCodes", "other"]),
        text("statusCodesWhenComplete"),
        text("completeExpression"),
        boolean("limitPagesFetched"),
        number("maxRequests"),
        number("requestInterval")
      ])
    )
  ]
}
