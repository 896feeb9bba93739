/**
 * Changes of role bindings and reviews. Follows k8s.io/kubernetes/pkg/apis/rbac/v1alpha1/conversion.go and the generated conversions
 * of authorization/v1beta1.
 */
import type { JsonObject } from '../../go/json-value.ts'
import { type Changes, objectAt, objectsAt, rename } from './fields.ts'

const group = 'rbac.authorization.k8s.io'
const usersAndGroups: ReadonlySet<unknown> = new Set(['User', 'Group'])

/** Returns the group of an apiVersion; '' if it has none or more than two parts. */
function groupOf(apiVersion: unknown): string {
  const parts = String(apiVersion ?? '').split('/')
  return parts.length === 2 ? (parts[0] ?? '') : ''
}

function toApiGroup(subject: JsonObject): void {
  const { kind, apiVersion, name } = subject
  delete subject.apiVersion
  if (usersAndGroups.has(kind)) subject.apiGroup = group
  else if (kind !== 'ServiceAccount') subject.apiGroup = groupOf(apiVersion)
  // The user * of v1alpha1 means all authenticated users.
  if (kind === 'User' && name === '*') Object.assign(subject, { kind: 'Group', name: 'system:authenticated' })
}

function toApiVersion(subject: JsonObject): void {
  const { kind, apiGroup = '' } = subject
  delete subject.apiGroup
  if (kind === 'ServiceAccount' && apiGroup === '') subject.apiVersion = 'v1'
  else if (usersAndGroups.has(kind) && apiGroup === group) subject.apiVersion = `${group}/v1alpha1`
  else subject.apiVersion = apiGroup === '' ? '' : `${String(apiGroup)}/`
}

/** Subjects of v1alpha1 have an apiVersion in place of a group. */
export const subjectChanges: Changes = {
  toStorage: (object) => objectsAt(object, 'subjects').forEach(toApiGroup),
  fromStorage: (object) => objectsAt(object, 'subjects').forEach(toApiVersion),
}

/** The groups of a review are called `group` in v1beta1. */
export const accessReviewChanges: Changes = {
  toStorage: (object) => rename(objectAt(object, 'spec'), 'group', 'groups'),
  fromStorage: (object) => rename(objectAt(object, 'spec'), 'groups', 'group'),
}

/** LeaseCandidates of coordination.k8s.io/v1alpha1 have a list of strategies, of which only the first one counts. */
export const leaseCandidateChanges: Changes = {
  toStorage: (object) => {
    const spec = objectAt(object, 'spec') ?? {}
    if (Array.isArray(spec.preferredStrategies)) spec.strategy = spec.preferredStrategies[0] ?? ''
  },
  fromStorage: (object) => {
    const spec = objectAt(object, 'spec') ?? {}
    if (typeof spec.strategy === 'string' && spec.strategy !== '') spec.preferredStrategies = [spec.strategy]
  },
}

const migrationConditions = (object: JsonObject): JsonObject[] => objectsAt(objectAt(object, 'status'), 'conditions')

/** Conditions of storagemigration.k8s.io/v1alpha1 have another name for their time. */
export const migrationChanges: Changes = {
  toStorage: (object) => {
    for (const condition of migrationConditions(object)) rename(condition, 'lastUpdateTime', 'lastTransitionTime')
  },
  fromStorage: (object) => {
    for (const condition of migrationConditions(object)) rename(condition, 'lastTransitionTime', 'lastUpdateTime')
  },
}

/** RuntimeClasses of node.k8s.io/v1alpha1 have a spec. Follows k8s.io/kubernetes/pkg/apis/node/v1alpha1/conversion.go. */
export const runtimeClassChanges: Changes = {
  toStorage: (object) => {
    const { runtimeHandler = '', overhead, scheduling } = objectAt(object, 'spec') ?? {}
    delete object.spec
    Object.assign(object, { handler: runtimeHandler }, overhead && { overhead }, scheduling && { scheduling })
  },
  fromStorage: (object) => {
    const { handler = '', overhead, scheduling } = object
    object.spec = { runtimeHandler: handler }
    Object.assign(object.spec, overhead && { overhead }, scheduling && { scheduling })
  },
}
