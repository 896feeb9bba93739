/** The operations of a resource and its subresources, without the parameters of the path. */
import type { GroupVersionKind, Method, Operation } from './model.ts'
import { deleteCollectionParameters, deleteParameters, listParameters, patchParameters, writeParameters } from './parameters.ts'

/** The media types of objects; `streams` also has those of watches. */
const objects = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const
const streams = [...objects, 'application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const
const patches = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const
const any = ['*/*'] as const

const deleteOptions = { type: 'meta/v1.DeleteOptions', required: false } as const
const patchBody = { type: 'meta/v1.Patch', required: true } as const
const status = { type: 'meta/v1.Status' } as const

/** The properties that all operations of a resource, or of a subresource, share. */
export interface Subject {
  readonly tag: string
  /** The kind of the bodies. */
  readonly kind: GroupVersionKind
  /** The reference to the type of the bodies. */
  readonly type: string
  /** The kind of the resource. */
  readonly owner: string
  /** The name of the subresource. */
  readonly part?: string
  readonly watchable: boolean
}

/** An operation with its method. */
export type Made = readonly [Method, Operation]

const base = ({ tag, kind }: Subject, id: string, description: string) => ({
  id,
  description,
  tag,
  kind,
  consumes: any,
  produces: objects,
})

/** Returns the kind with its article; a plural has no article. */
function withArticle(kind: string): string {
  if (/[^s]s$/.test(kind)) return kind
  return `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`
}

const partOf = ({ part }: Subject): string => (part === undefined ? '' : `${part} of `)
const specified = (subject: Subject): string => `${partOf(subject)}the specified ${subject.owner}`

/** GET of an object. */
export const read = (subject: Subject, id: string): Made => {
  const content = { type: subject.type }
  return ['get', { ...base(subject, id, `read ${specified(subject)}`), parameters: [], codes: ['200'], content, action: 'get' }]
}

/** GET of pods/log. */
export const readText = (subject: Subject, id: string, parameters: Operation['parameters']): Made => {
  const made = { ...base(subject, id, `read ${specified(subject)}`), produces: ['text/plain', ...objects] }
  return ['get', { ...made, parameters, codes: ['200'], content: 'text', action: 'get' }]
}

/** GET of a collection. */
export const list = (subject: Subject, id: string): Made => {
  const content = { type: `${subject.type}List` }
  const description = `${subject.watchable ? 'list or watch' : 'list'} objects of kind ${subject.owner}`
  const made = { ...base(subject, id, description), produces: streams, parameters: listParameters }
  return ['get', { ...made, codes: ['200'], content, action: 'list' }]
}

const insteadOfWatching = "deprecated: use the 'watch' parameter with a list operation instead"
const watched = {
  watchlist: (kind: string) => `watch individual changes to a list of ${kind}. ${insteadOfWatching}.`,
  watch: (kind: string) =>
    `watch changes to an object of kind ${kind}. ${insteadOfWatching}, filtered to a single item with the 'fieldSelector' parameter.`,
} as const

/** GET of the paths under /watch, which are older than `?watch=1`. */
export const watch = (subject: Subject, id: string, action: keyof typeof watched): Made => {
  const content = { type: 'meta/v1.WatchEvent' }
  const made = { ...base(subject, id, watched[action](subject.owner)), produces: streams, parameters: listParameters }
  return ['get', { ...made, codes: ['200'], content, action }]
}

/** POST to a collection or to a subresource. */
export const create = (subject: Subject, id: string): Made => {
  const body = { type: subject.type, required: true }
  const content = { type: subject.type }
  const made = {
    ...base(subject, id, `create ${partOf(subject)}${withArticle(subject.owner)}`),
    parameters: writeParameters,
    body,
  }
  return ['post', { ...made, codes: ['200', '201', '202'], content, action: 'post' }]
}

/** PUT of an object. */
export const replace = (subject: Subject, id: string): Made => {
  const body = { type: subject.type, required: true }
  const content = { type: subject.type }
  const made = { ...base(subject, id, `replace ${specified(subject)}`), parameters: writeParameters, body }
  return ['put', { ...made, codes: ['200', '201'], content, action: 'put' }]
}

/** PATCH of an object. */
export const patch = (subject: Subject, id: string): Made => {
  const content = { type: subject.type }
  const made = { ...base(subject, id, `partially update ${specified(subject)}`), consumes: patches, parameters: patchParameters }
  return ['patch', { ...made, body: patchBody, codes: ['200', '201'], content, action: 'patch' }]
}

/** DELETE of an object. Some kinds respond with the deleted object, the others with a Status. */
export const remove = (subject: Subject, id: string, returnsObject: boolean): Made => {
  const content = returnsObject ? { type: subject.type } : status
  const made = { ...base(subject, id, `delete ${withArticle(subject.owner)}`), parameters: deleteParameters, body: deleteOptions }
  return ['delete', { ...made, codes: ['200', '202'], content, action: 'delete' }]
}

/** DELETE of a collection. */
export const removeCollection = (subject: Subject, id: string): Made => {
  const made = { ...base(subject, id, `delete collection of ${subject.owner}`), parameters: deleteCollectionParameters }
  return ['delete', { ...made, body: deleteOptions, codes: ['200'], content: status, action: 'deletecollection' }]
}

/** Any method of exec, attach, portforward and proxy. */
export const connect = (subject: Subject, id: string, method: Method, parameters: Operation['parameters']): Made => {
  const description = `connect ${method.toUpperCase()} requests to ${partOf(subject)}${subject.owner}`
  return [
    method,
    { ...base(subject, id, description), produces: any, parameters, codes: ['200'], content: 'text', action: 'connect' },
  ]
}

/** The discovery documents: description and type of their GET operations. */
export const discovered = {
  versions: { description: 'get available API versions', type: 'meta/v1.APIVersions' },
  groups: { description: 'get available API versions', type: 'meta/v1.APIGroupList' },
  group: { description: 'get information of a group', type: 'meta/v1.APIGroup' },
  resources: { description: 'get available resources', type: 'meta/v1.APIResourceList' },
} as const

/** GET of a discovery document. */
export const discover = (tag: string, id: string, { description, type }: { description: string; type: string }): Made => [
  'get',
  { id, description, tag, consumes: objects, produces: objects, parameters: [], codes: ['200'], content: { type } },
]

/** GET of /version. */
export const readVersion: Made = [
  'get',
  {
    id: 'getCodeVersion',
    description: 'get the version information for this server',
    tag: 'version',
    consumes: ['application/json'],
    produces: ['application/json'],
    parameters: [],
    codes: ['200'],
    content: { type: 'version.Info' },
  },
]

/** GET of the service account issuer's configuration or keys. Follows OpenID Connect Discovery. */
const issuer = (id: string, description: string, tag: string, mediaType: string): Made => [
  'get',
  { id, description, tag, consumes: [], produces: [mediaType], parameters: [], codes: ['200'], content: 'text' },
]

export const readIssuer: Made = issuer(
  'getServiceAccountIssuerOpenIDConfiguration',
  "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
  'WellKnown',
  'application/json',
)
export const readIssuerKeys: Made = issuer(
  'getServiceAccountIssuerOpenIDKeyset',
  'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)',
  'openid',
  'application/jwk-set+json',
)
