/** The result of reading a body, and the steps that are the same for all kinds. */
import type { JsonValue } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { TypeMeta } from '../meta/type-meta.ts'
import type { ExplicitEmpty } from '../schema/explicit-empty.ts'

/** How unknown and duplicate fields of a body are treated. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** Facts about a body that validation needs besides the object. */
export interface BodyFindings {
  /** The apiVersion and kind in the body of a custom resource, if they are not the kind's. */
  readonly misnamed?: TypeMeta | undefined
  /** Lists and maps that the body gives and that hold nothing; absent if it gives none. */
  readonly explicitEmpty?: readonly ExplicitEmpty[] | undefined
}

/** An object on its way from decoding to validation. */
export interface DecodedObject extends BodyFindings {
  readonly object: KubernetesObject
}

/** The object, and the warnings to send. */
export interface Decoded extends DecodedObject {
  readonly warnings: readonly string[]
}

/** A body with unknown or duplicate fields, if field validation refuses them. */
export class StrictDecodeError extends Error {}

/** @throws StrictDecodeError with all findings of field validation, if it is Strict and there are some */
export function refuseStrictly(validation: FieldValidation, findings: readonly string[]): void {
  if (validation !== 'Strict' || findings.length === 0) return
  throw new StrictDecodeError(`strict decoding error: ${findings.join(', ')}`)
}

/** Keeps an empty list of managers, which decoding leaves out: it says that nobody is to own anything. */
export function keepEmptyManagers(value: JsonValue, object: KubernetesObject): void {
  const metadata = (value as { readonly metadata?: { readonly managedFields?: JsonValue } } | null)?.metadata
  if (Array.isArray(metadata?.managedFields) && metadata.managedFields.length === 0) object.metadata.managedFields = []
}
