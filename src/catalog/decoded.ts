/** The result of decoding a body, and the steps that are the same for all kinds. */
import type { JsonValue } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { TypeMeta } from '../meta/type-meta.ts'
import type { ExplicitEmpty } from '../schema/explicit-empty.ts'

/** How unknown and duplicate fields of a body are treated. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** Facts about a body that validation needs besides the object. */
export interface BodyFindings {
  /** The apiVersion and kind in the body of a custom resource, if they differ from the kind's. */
  readonly misnamed?: TypeMeta | undefined
  /** The lists and maps that are present and empty in the body; absent if the body has none. */
  readonly explicitEmpty?: readonly ExplicitEmpty[] | undefined
  /** Whether the labels are the map of the template's labels by default: in Go, a change of one then changes both. */
  readonly sharesLabels?: true | undefined
}

/** An object on its way from decoding to validation. */
export interface DecodedObject extends BodyFindings {
  readonly object: KubernetesObject
}

/** A decoded object, and the warnings for the client. */
export interface Decoded extends DecodedObject {
  readonly warnings: readonly string[]
}

/** Strict field validation rejected a body with unknown or duplicate fields. */
export class StrictDecodeError extends Error {}

/** @throws StrictDecodeError with all findings of field validation, if it is Strict and has findings */
export function refuseStrictly(validation: FieldValidation, findings: readonly string[]): void {
  if (validation !== 'Strict' || findings.length === 0) return
  throw new StrictDecodeError(`strict decoding error: ${findings.join(', ')}`)
}

interface Templated {
  readonly metadata: KubernetesObject['metadata']
  readonly spec?: { readonly template?: { readonly metadata?: KubernetesObject['metadata'] } }
}

const templateLabels = (object: KubernetesObject): Record<string, string> | undefined =>
  (object as Templated).spec?.template?.metadata?.labels

/** Whether a default has set the labels to those of the template. */
export const sharesLabels = (object: KubernetesObject): boolean =>
  object.metadata.labels !== undefined && object.metadata.labels === templateLabels(object)

/** Makes the labels those of the template again, after the object was sent as JSON. */
export function shareLabels(object: KubernetesObject): void {
  const labels = templateLabels(object)
  if (labels !== undefined) object.metadata.labels = labels
}

/** Keeps an empty managedFields list, which decoding drops: it means that no manager owns any field. */
export function keepEmptyManagers(value: JsonValue, object: KubernetesObject): void {
  const metadata = (value as { readonly metadata?: { readonly managedFields?: JsonValue } } | null)?.metadata
  if (Array.isArray(metadata?.managedFields) && metadata.managedFields.length === 0) object.metadata.managedFields = []
}
