/** The paths of an OpenAPI document, before they are written in the form of version 2 or 3. */

/** A parameter in the path or the query. Parameters of a path with the same name and place are the same parameter. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'boolean' | 'integer'
  /** Returns the description, or '' if it is unknown. A function, because descriptions are loaded when a document is made. */
  readonly description: () => string
}

/** Group, version and kind of the object of an operation. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** The content of a body: a type, by its reference in the tables, or text. */
export type Content = { readonly type: string } | 'text'

/** The body of a request. */
interface RequestBody {
  readonly type: string
  readonly required: boolean
}

/** The value of `x-kubernetes-action`. */
type Action = 'connect' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'post' | 'put' | 'watch' | 'watchlist'

/** An operation: one method of a path. */
export interface Operation {
  readonly id: string
  readonly description: string
  readonly tag: string
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body?: RequestBody
  /** Status codes of success. */
  readonly codes: readonly SuccessCode[]
  readonly content: Content
  /** Undefined if the path does not belong to a resource. */
  readonly action?: Action
  readonly kind?: GroupVersionKind
}

/** Status codes of success, with the descriptions that OpenAPI requires. */
export const successCodes = { '200': 'OK', '201': 'Created', '202': 'Accepted' } as const
type SuccessCode = keyof typeof successCodes

/** The methods in the order in which a path has them. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
export type Method = (typeof methods)[number]

/** A path with its operations. */
export interface PathItem {
  readonly path: string
  readonly operations: Readonly<Partial<Record<Method, Operation>>>
}

/** The parameters of a path. `shared` are those of all its methods, which are written on the path itself. */
export interface PlacedParameters {
  readonly shared: readonly Parameter[]
  own(operation: Operation): readonly Parameter[]
}

const keyOf = (parameter: Parameter): string => `${parameter.name} ${parameter.in}`
const byName = (a: Parameter, b: Parameter): number => (keyOf(a) < keyOf(b) ? -1 : 1)

/** Separates parameters that all methods of a path share from those of one operation. Follows k8s.io/kube-openapi/pkg/builder. */
export function placeParameters({ operations }: PathItem): PlacedParameters {
  const all = Object.values(operations)
  const counts = new Map<string, number>()
  for (const parameter of all.flatMap(({ parameters }) => parameters)) {
    counts.set(keyOf(parameter), (counts.get(keyOf(parameter)) ?? 0) + 1)
  }
  const isShared = (parameter: Parameter): boolean => counts.get(keyOf(parameter)) === all.length
  return {
    shared: (all[0]?.parameters ?? []).filter(isShared).sort(byName),
    own: ({ parameters }) => parameters.filter((parameter) => !isShared(parameter)).sort(byName),
  }
}
