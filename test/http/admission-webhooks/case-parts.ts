import { configMaps } from '../../paths.ts'
/** The types of the recorded matrix, and the objects and requests of which its cases are made. */

/** A webhook of a case. */
export interface CaseWebhook {
  readonly phase: 'mutating' | 'validating'
  /** The path at which it is called, which names its answer; or a whole clientConfig. */
  readonly answer: string | { readonly clientConfig: object }
  /** Fields that differ from the usual ones. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** A request of a case. `CASE` in paths and bodies stands for the case's name. */
export interface CaseRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
}

/** Webhooks and the requests that are sent one after the other. Only objects with the label `case: NAME` are matched. */
export interface Case {
  readonly name: string
  readonly webhooks: readonly CaseWebhook[]
  /** Sent before the webhooks exist. */
  readonly before?: readonly CaseRequest[]
  readonly requests: readonly CaseRequest[]
  /** Only the paths of the reviews are recorded: others show the same reviews. */
  readonly records?: 'paths'
}

export const pods = '/api/v1/namespaces/default/pods'
export const labels = { case: 'CASE' }

export const configMap = (others: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'CASE', labels },
  data: { a: '1' },
  ...others,
})

export const pod = (metadata: object = { name: 'CASE' }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, labels },
  spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false },
})

export const post = (path: string, body: unknown): CaseRequest => ({ method: 'POST', path, body })
export const create = post(configMaps, configMap())
export const createPod = post(pods, pod())
export const merge = (path: string, body: unknown): CaseRequest => ({
  method: 'PATCH',
  path,
  body,
  type: 'application/merge-patch+json',
})
export const apply = (path: string, body: unknown): CaseRequest => ({
  method: 'PATCH',
  path,
  body,
  type: 'application/apply-patch+yaml',
})
export const remove = (path: string, body?: unknown): CaseRequest => ({
  method: 'DELETE',
  path,
  ...(body !== undefined && { body }),
})
export const get = (path: string): CaseRequest => ({ method: 'GET', path })

export const ofConfigMaps = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }
export const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }

export const mutating = (answer: CaseWebhook['answer'], fields: Record<string, unknown> = {}): CaseWebhook => ({
  phase: 'mutating',
  answer,
  fields,
})
export const validating = (answer: CaseWebhook['answer'], fields: Record<string, unknown> = {}): CaseWebhook => ({
  phase: 'validating',
  answer,
  fields,
})
