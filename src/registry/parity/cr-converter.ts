/**
 * An apply to the Scale of a custom resource. The FieldManager that apiextensions-apiserver makes for it converts with crdConverter,
 * which knows no Scale: an apply fails with 500, unless it changes nothing.
 *
 * Recorded: ssa-scale-custom.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { called, gvkText } from '../configuration-name.ts'

const noConversionOf = (kind: Kind): string => `request to convert CR to an invalid group/version: ${kind.apiVersion}`

/** Returns the 500 error of an apply to the Scale of a custom resource: apiextensions-apiserver cannot convert Scales. */
export function noConversion(kind: Kind, configuration: JsonObject): ApiError {
  const what = `failed to convert new object (${called(kind, configuration)}) to proper version`
  return new ApiError(500, '', `${what}: ${noConversionOf(kind)}`)
}

/**
 * Checks that the Scale of a custom resource has managedFields: kube-apiserver cannot create a manager for existing fields of it.
 * @throws ApiError 500
 */
export function requireManagers(kind: Kind, live: JsonObject | undefined): void {
  if (((live as unknown as KubernetesObject | undefined)?.metadata.managedFields ?? []).length > 0) return
  const what = `failed to convert live object (/; ${gvkText(kind.apiVersion, kind.kind)}) to proper version`
  throw new ApiError(500, '', `failed to create manager for existing fields: ${what}: ${noConversionOf(kind)}`)
}
