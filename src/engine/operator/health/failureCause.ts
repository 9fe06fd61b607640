import { Predicate } from "effect"

import { objectOf } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/models.ts"
import { subWorkflowOf } from "../../workflow/subWorkflows.ts"
import type { FailureClass } from "../explain/failureClass.ts"
import { nodeNamed } from "../explain/runData.ts"
import type { FailedRun } from "../explain/subRuns.ts"
import type { Finding } from "./Finding.ts"

/** The cause of everything that is wrong for it: its key, and a sentence about it. */
export type Cause = NonNullable<Finding["cause"]>

/** The cause of whatever fails for a credential. */
export const refusalOf = ({ id, name }: { readonly id: string; readonly name: string }): Cause => ({
  key: `credential ${id}`,
  words: `Credential ${name} is refused`
})

/** The cause of whatever names a credential that is gone. */
export const lackOf = ({ id, name }: { readonly id: string; readonly name: string }): Cause => ({
  key: `missing credential ${id}`,
  words: `Credential ${name} is gone`
})

/** The cause of a failure that other workflows may share, by its class; undefined where it is the workflow's own. */
export const causeOf = (
  name: FailureClass,
  chain: ReadonlyArray<FailedRun>,
  {
    isCalled,
    workflow
  }: { readonly isCalled: boolean; readonly workflow: { readonly id: string; readonly name: string } }
): Cause | undefined => {
  const innermost = chain.at(-1)
  if (name === "engine restarted in the midst") return restart
  if (innermost === undefined) return undefined
  const node = nodeNamed(innermost.data, innermost.failure.at?.node) ?? {}
  const [credential] = credentialsIn(node.credentials)
  const service = serviceOf(innermost, objectOf(node.parameters).url, credential)
  switch (name) {
    case "credential refused":
      return credential === undefined ? of("refuses", service, "refuses access") : refusalOf(credential)
    case "service down or slow":
      return of("down", service, "is down or slow")
    case "rate limit":
      return of("rate", service, "limits the rate of requests")
    case "missing sub-workflow or credential": {
      const called = subWorkflowOf(node)
      if (called === undefined) return credential === undefined ? undefined : lackOf(credential)
      const words = `Workflow ${called.name ?? called.id}, which others call, is gone or inactive`
      return { key: `missing workflow ${called.id}`, words }
    }
    case "node unknown here": {
      const type = String(node.type)
      return { key: `type ${type}`, words: `This engine does not have the node type ${type}` }
    }
    default: {
      if (chain.length < 2 && !isCalled) return undefined
      const inner = chain.length < 2 ? workflow : workflowIn(innermost)
      return { key: `failing workflow ${inner.id}`, words: `Workflow ${inner.name}, which others call, fails` }
    }
  }
}

const restart: Cause = { key: "restart", words: "The engine stopped while workflows ran" }

/** A service that nodes ask: its host, or the credential for it. */
interface Service {
  readonly key: string
  readonly name: string
}

const of = (key: string, service: Service | undefined, words: string): Cause | undefined =>
  service === undefined ? undefined : { key: `${key} ${service.key}`, words: `${service.name} ${words}` }

const serviceOf = (
  { failure: { error } }: FailedRun,
  url: unknown,
  credential: { readonly id: string; readonly name: string } | undefined
): Service | undefined => {
  const request = objectOf(objectOf(error.context).request)
  const address = [request.uri, request.url, url].filter(Predicate.isString).find((one) => URL.canParse(one))
  if (address !== undefined) {
    const { hostname } = new URL(address)
    return { key: hostname, name: hostname }
  }
  return credential && { key: `credential ${credential.id}`, name: `The service of credential ${credential.name}` }
}

const credentialsIn = (credentials: unknown) =>
  Object.values(objectOf(credentials)).flatMap((given) => {
    const { id, name } = objectOf(given)
    return Predicate.isString(id) && id !== ""
      ? [{ id, name: Predicate.isString(name) && name !== "" ? name : id }]
      : []
  })

const workflowIn = ({ execution }: FailedRun) => {
  const workflow = objectOf(execution.workflowData)
  return { id: String(execution.workflowId ?? workflow.id), name: nameOf(workflow) }
}
