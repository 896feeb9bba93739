/** The operations of a resource and of its parts, without their parameters of the path. */
import type { GroupVersionKind, Method, Operation } from './model.ts'
import { deleteCollectionParameters, deleteParameters, listParameters, patchParameters, writeParameters } from './parameters.ts'

/** The media types of objects, and of what streams besides. */
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

/** What all operations of a resource share. `type` refers to the object's type. */
export interface Subject {
  readonly tag: string
  readonly kind: GroupVersionKind
  readonly type: string
}

/** An operation and its method. */
export type Made = readonly [Method, Operation]

const base = (subject: Subject, id: string) => ({ id, tag: subject.tag, kind: subject.kind, consumes: any, produces: objects })

/** GET of an object. */
export const read = (subject: Subject, id: string): Made => [
  'get',
  { ...base(subject, id), parameters: [], codes: ['200'], content: { type: subject.type }, action: 'get' },
]

/** GET of the lines of pods/log. */
export const readText = (subject: Subject, id: string, parameters: Operation['parameters']): Made => {
  const produces = ['text/plain', ...objects]
  return ['get', { ...base(subject, id), produces, parameters, codes: ['200'], content: 'text', action: 'get' }]
}

/** GET of a collection. */
export const list = (subject: Subject, id: string): Made => {
  const content = { type: `${subject.type}List` }
  return ['get', { ...base(subject, id), produces: streams, parameters: listParameters, codes: ['200'], content, action: 'list' }]
}

/** GET of the paths under /watch, which are older than `?watch=1`. */
export const watch = (subject: Subject, id: string, action: 'watch' | 'watchlist'): Made => {
  const content = { type: 'meta/v1.WatchEvent' }
  return ['get', { ...base(subject, id), produces: streams, parameters: listParameters, codes: ['200'], content, action }]
}

/** POST to a collection or to a part of an object. */
export const create = (subject: Subject, id: string): Made => {
  const body = { type: subject.type, required: true }
  const content = { type: subject.type }
  const codes = ['200', '201', '202'] as const
  return ['post', { ...base(subject, id), parameters: writeParameters, body, codes, content, action: 'post' }]
}

/** PUT of an object. */
export const replace = (subject: Subject, id: string): Made => {
  const body = { type: subject.type, required: true }
  const content = { type: subject.type }
  return ['put', { ...base(subject, id), parameters: writeParameters, body, codes: ['200', '201'], content, action: 'put' }]
}

/** PATCH of an object. */
export const patch = (subject: Subject, id: string): Made => {
  const content = { type: subject.type }
  const written = { ...base(subject, id), consumes: patches, parameters: patchParameters, body: patchBody }
  return ['patch', { ...written, codes: ['200', '201'], content, action: 'patch' }]
}

/** DELETE of an object. Some kinds answer the object as it last was, the others a Status. */
export const remove = (subject: Subject, id: string, returnsObject: boolean): Made => {
  const content = returnsObject ? { type: subject.type } : status
  const written = { ...base(subject, id), parameters: deleteParameters, body: deleteOptions }
  return ['delete', { ...written, codes: ['200', '202'], content, action: 'delete' }]
}

/** DELETE of a collection. */
export const removeCollection = (subject: Subject, id: string): Made => {
  const written = { ...base(subject, id), parameters: deleteCollectionParameters, body: deleteOptions }
  return ['delete', { ...written, codes: ['200'], content: status, action: 'deletecollection' }]
}

/** Any method of exec, attach, portforward and proxy. */
export const connect = (subject: Subject, id: string, method: Method, parameters: Operation['parameters']): Made => [
  method,
  { ...base(subject, id), produces: any, parameters, codes: ['200'], content: 'text', action: 'connect' },
]

/** GET of a document of discovery. */
export const discover = (tag: string, id: string, type: string): Made => [
  'get',
  { id, tag, consumes: objects, produces: objects, parameters: [], codes: ['200'], content: { type } },
]

/** GET of /version. */
export const readVersion: Made = [
  'get',
  {
    id: 'getCodeVersion',
    tag: 'version',
    consumes: ['application/json'],
    produces: ['application/json'],
    parameters: [],
    codes: ['200'],
    content: { type: 'version.Info' },
  },
]
