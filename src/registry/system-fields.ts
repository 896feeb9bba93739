/** The metadata that only the server sets. Follows WipeObjectMetaSystemFields of k8s.io/apiserver/pkg/registry/rest. */
import type { ObjectMeta } from '../meta/object-meta.ts'

const systemFields = ['selfLink', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const

/** Removes the metadata of a new object that a client must not set. */
export function dropSystemFields(metadata: ObjectMeta): void {
  for (const field of systemFields) delete metadata[field]
}
