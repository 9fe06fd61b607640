import { Effect } from "effect"

import { Dialect, type Endpoint, type Handler, ok } from "../../api/Dialect.ts"

/** The resources of the list, in its order: the segment of their paths, the name of their ids, and their operations. */
const resources = [
  {
    name: "workflow",
    segment: "workflows",
    id: "workflowId",
    operations: ["read", "list", "create", "update", "delete", "activate", "deactivate"]
  },
  { name: "discover", segment: "discover", id: "", operations: [] },
  {
    name: "credential",
    segment: "credentials",
    id: "credentialId",
    operations: ["list", "read", "create", "update", "delete"]
  },
  {
    name: "executions",
    segment: "executions",
    id: "executionId",
    operations: ["list", "read", "delete", "stop", "retry"]
  },
  { name: "tags", segment: "tags", id: "tagId", operations: ["list", "create", "read", "update", "delete"] }
] as const

type Resource = (typeof resources)[number]

/** A path as the list writes it; where a version follows, it has a name of its own for the id. */
const listedPath = (path: string, { id }: Resource): string =>
  `/api/v1${path
    .replace("/:id/:versionId", "/{id}/{versionId}")
    .replace("/versions/:versionId", "/versions/{workflowVersionId}")
    .replace("/schema/:type", "/schema/{credentialTypeName}")
    .replace("/:id", `/{${id}}`)}`

const listed = (endpoints: ReadonlyArray<Endpoint>, resource: Resource) => ({
  operations: resource.operations,
  endpoints: endpoints
    .filter(({ path }) => path.split("/")[1] === resource.segment)
    .map(({ method, path }) => ({ method, path: listedPath(path, resource) }))
})

/** Names of scopes that are not made of the name of a resource and of its operations. */
const otherScopes = ["workflowTags:list", "workflowTags:update"]

const scopeName = ({ name }: Resource) => (name === "executions" ? "execution" : name === "tags" ? "tag" : name)

/** What the key may do and call: here, everything on offer. */
export const discover: Handler = Effect.fnUntraced(function* ({ query }) {
  const { endpoints } = yield* Dialect
  const wanted = query.get("resource")
  const shown = resources.filter(({ name }) => wanted === undefined || name === wanted)
  return ok({
    data: {
      scopes: [
        ...resources.flatMap((resource) =>
          resource.operations.map((operation) => `${scopeName(resource)}:${operation}`)
        ),
        ...otherScopes
      ],
      resources: Object.fromEntries(shown.map((resource) => [resource.name, listed(endpoints, resource)])),
      filters: {
        resource: { description: "Filter to a specific resource", values: resources.map(({ name }) => name) },
        operation: {
          description: "Filter to a specific operation",
          values: [...new Set(resources.flatMap(({ operations }) => operations))]
        },
        include: { description: "Include additional data", values: ["schemas"] }
      },
      specUrl: "/api/v1/openapi.yml"
    }
  })
})
