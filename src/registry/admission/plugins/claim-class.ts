/** The StorageClass that a PersistentVolumeClaim names. */
import { isObject } from '../../../go/json-object.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import { ownValue } from '../../../go/own-value.ts'

/** The annotation that named the class before the field did. It takes precedence. */
const annotation = 'volume.beta.kubernetes.io/storage-class'

/**
 * Returns the class, which may be ''; undefined if the claim names none.
 * @param claim a claim, possibly not validated
 */
export function claimClass(claim: JsonValue): string | undefined {
  const { metadata, spec } = isObject(claim) ? claim : {}
  const annotations = isObject(metadata) ? metadata.annotations : undefined
  const annotated = isObject(annotations) ? ownValue(annotations, annotation) : undefined
  const named = annotated ?? (isObject(spec) ? spec.storageClassName : undefined)
  return typeof named === 'string' ? named : undefined
}
