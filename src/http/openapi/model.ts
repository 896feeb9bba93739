/** What an OpenAPI document tells of paths, before it is written in the form of version 2 or 3. */

/** A parameter in the path or the query. Parameters of one name and place in a path are the same parameter. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'boolean' | 'integer'
  /** What it is for; '' where nothing is known. Read when a document is written, since it may have to be looked up. */
  readonly description: () => string
}

/** Group, version and kind of the object that an operation is about. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** What stands in a body: a type, as the tables refer to it, or text. */
export type Content = { readonly type: string } | 'text'

/** A request's body. */
interface RequestBody {
  readonly type: string
  readonly required: boolean
}

/** What an operation is to a resource. */
type Action = 'connect' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'post' | 'put' | 'watch' | 'watchlist'

/** A method of a path. */
export interface Operation {
  readonly id: string
  readonly description: string
  readonly tag: string
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body?: RequestBody
  /** Codes with which it succeeds. */
  readonly codes: readonly SuccessCode[]
  readonly content: Content
  /** Absent for what is no resource. */
  readonly action?: Action
  readonly kind?: GroupVersionKind
}

/** Codes of success, and the descriptions that OpenAPI asks for. */
export const successCodes = { '200': 'OK', '201': 'Created', '202': 'Accepted' } as const
type SuccessCode = keyof typeof successCodes

/** In the order in which a path's methods are written. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
export type Method = (typeof methods)[number]

/** A path and its methods. */
export interface PathItem {
  readonly path: string
  readonly operations: Readonly<Partial<Record<Method, Operation>>>
}

/** A path's parameters, apart: those that all methods have stand on the path. */
export interface PlacedParameters {
  readonly shared: readonly Parameter[]
  own(operation: Operation): readonly Parameter[]
}

const keyOf = (parameter: Parameter): string => `${parameter.name} ${parameter.in}`
const byName = (a: Parameter, b: Parameter): number => (keyOf(a) < keyOf(b) ? -1 : 1)

/** Where a path's parameters are written, in order. Follows k8s.io/kube-openapi/pkg/builder. */
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
