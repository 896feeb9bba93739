/** The result of decoding a body, and the steps that are the same for all kinds. */
import type { JsonValue } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { TypeMeta } from '../meta/type-meta.ts'
import type { ExplicitEmpty } from '../schema/explicit-empty.ts'

/** How unknown and duplicate fields of a body are treated. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** An object on its way from decoding to validation. */
export interface DecodedObject {
  readonly object: KubernetesObject
  /** The apiVersion and kind in the body of a custom resource, if they differ from the kind's. */
  readonly misnamed?: TypeMeta | undefined
}

/** The parts of a Go value that its JSON lacks. */
export interface LostInJson {
  /** The lists and maps that are present and empty; absent if the object has no such field. */
  readonly explicitEmpty?: readonly ExplicitEmpty[]
  /** Whether the labels are the map of the template's labels by default: in Go, a change of one then changes both. */
  readonly sharesLabels?: true
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

/** Keeps an empty managedFields list, which decoding drops: it means that no manager owns any field. */
export function keepEmptyManagers(value: JsonValue, object: KubernetesObject): void {
  const metadata = (value as { readonly metadata?: { readonly managedFields?: JsonValue } } | null)?.metadata
  if (Array.isArray(metadata?.managedFields) && metadata.managedFields.length === 0) object.metadata.managedFields = []
}
