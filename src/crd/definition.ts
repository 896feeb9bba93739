/** The type CustomResourceDefinition as it is stored, with common accessors. */
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { JsonSchema } from './json-schema.ts'

/** `spec.names` and `status.acceptedNames`. */
export interface DefinitionNames {
  plural: string
  singular?: string
  shortNames?: string[]
  kind: string
  listKind?: string
  categories?: string[]
}

/** An entry of `additionalPrinterColumns`. */
export interface DefinitionColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

/** `subresources.scale`. */
export interface DefinitionScale {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** `subresources`. */
export interface DefinitionSubresources {
  readonly status?: Readonly<Record<string, never>>
  readonly scale?: DefinitionScale
}

/** An entry of `spec.versions`. */
export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema }
  readonly subresources?: DefinitionSubresources
  readonly additionalPrinterColumns?: readonly DefinitionColumn[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

/** `clientConfig` of a webhook. */
export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number }
  readonly caBundle?: string
}

/** `spec.conversion`. */
export interface DefinitionConversion {
  readonly strategy: string
  readonly webhook?: { readonly clientConfig?: WebhookClientConfig; readonly conversionReviewVersions: readonly string[] }
}

/** `spec`. */
export interface DefinitionSpec {
  readonly group: string
  readonly names: DefinitionNames
  readonly scope: string
  readonly versions: readonly DefinitionVersion[]
  readonly conversion?: DefinitionConversion
  readonly preserveUnknownFields?: boolean
}

/** An entry of `status.conditions`. */
export interface DefinitionCondition {
  type: string
  status: string
  lastTransitionTime?: string | null
  reason?: string
  message?: string
  observedGeneration?: number
}

/** `status`. */
export interface DefinitionStatus {
  conditions?: DefinitionCondition[] | null
  acceptedNames: DefinitionNames
  storedVersions: string[] | null
}

/** A CustomResourceDefinition, decoded. */
export interface CustomResourceDefinition extends KubernetesObject {
  spec: DefinitionSpec
  status?: DefinitionStatus
}

/** The finalizer that keeps a definition until its instances are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** The key prefix of definitions in the control object. */
export const definitionPrefix = 'customresourcedefinitions.apiextensions.k8s.io/'

/** Returns the condition of a type. */
export function conditionOf({ status }: Pick<CustomResourceDefinition, 'status'>, type: string): DefinitionCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type)
}

/** Whether the condition of a type is True. */
export function isTrue(definition: Pick<CustomResourceDefinition, 'status'>, type: string): boolean {
  return conditionOf(definition, type)?.status === 'True'
}

/** Returns the storage version. */
export function storageVersionOf({ versions }: DefinitionSpec): DefinitionVersion | undefined {
  return versions.find((version) => version.storage)
}

export const isNamespaced = ({ scope }: DefinitionSpec): boolean => scope === 'Namespaced'
