/** The strategy of CustomResourceDefinitions: storedVersions is maintained, and a deletion waits for the custom resources. */

import { forMainResource } from '../../../catalog/warnings/warn.ts'
import {
  type CustomResourceDefinition,
  cleanupFinalizer,
  type DefinitionCondition,
  type DefinitionSpec,
  type DefinitionStatus,
  storageVersionOf,
} from '../../../crd/definition.ts'
import {
  definitionErrors,
  definitionName,
  definitionStatusErrors,
  definitionUpdateErrors,
} from '../../../crd/validation/definition.ts'
import { warnOfFormats } from '../../../crd/validation/formats.ts'
import { rfc3339Seconds } from '../../../go/time.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { deletionConflict } from '../../preconditions.ts'
import { largeDefinitionErrors } from './definition-errors.ts'

const resource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

const noNames = { plural: '', kind: '' }

/** Returns the status with the storage version in storedVersions. */
function withStorageVersion(definition: CustomResourceDefinition, status: DefinitionStatus): DefinitionStatus {
  const storage = storageVersionOf(definition.spec)?.name
  const stored = status.storedVersions ?? []
  return storage === undefined || stored.includes(storage) ? status : { ...status, storedVersions: [...stored, storage] }
}

const pending = (lastTransitionTime: string): DefinitionCondition => ({
  type: 'Terminating',
  status: 'True',
  lastTransitionTime,
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
})

/** Sets missing required fields to their zero values, as Go decodes them, so that validation names them. */
function fillIn(definition: CustomResourceDefinition): void {
  const { group, scope, names, versions, ...others } = (definition.spec as Partial<DefinitionSpec> | undefined) ?? {}
  definition.spec = { ...others, group: group ?? '', names: names ?? noNames, scope: scope ?? '', versions: versions ?? [] }
  dropEmptyWebhook(definition.spec)
}

/** Drops an empty conversion.webhook: the internal type has no field that would keep it. */
function dropEmptyWebhook({ conversion }: DefinitionSpec): void {
  const { clientConfig, conversionReviewVersions } = conversion?.webhook ?? {}
  if (conversion !== undefined && clientConfig === undefined && (conversionReviewVersions ?? []).length === 0) {
    delete (conversion as { webhook?: unknown }).webhook
  }
}

export const customResourceDefinitionHooks: StrategyHooks = {
  prepareForCreate(object) {
    const definition = object as CustomResourceDefinition
    fillIn(definition)
    const status: DefinitionStatus = { conditions: null, acceptedNames: noNames, storedVersions: null }
    definition.status = withStorageVersion(definition, status)
  },
  prepareForUpdate(object) {
    const definition = object as CustomResourceDefinition
    fillIn(definition)
    if (definition.status !== undefined) definition.status = withStorageVersion(definition, definition.status)
  },
  lookUpErrors: (object, old, lookups, { version }) =>
    largeDefinitionErrors(
      { definition: object as CustomResourceDefinition, old: old as CustomResourceDefinition | undefined, version },
      lookups,
    ),
  validateNameOf: (object) => definitionName(object as CustomResourceDefinition),
  validate: (object, { version }) => definitionErrors(object as CustomResourceDefinition, version),
  validateUpdate: (object, old, { version }) =>
    definitionUpdateErrors(object as CustomResourceDefinition, old as CustomResourceDefinition, version),
  warn: forMainResource<CustomResourceDefinition>(warnOfFormats),
  subresources: { status: { validateUpdate: (object) => definitionStatusErrors(object as CustomResourceDefinition) } },
  validateDelete: ({ metadata }, options) => deletionConflict(resource, metadata, options),
  beginDelete(object, _options, now) {
    const definition = object as CustomResourceDefinition
    const { metadata } = definition
    const time = rfc3339Seconds(now)
    metadata.deletionTimestamp = time
    const finalizers = metadata.finalizers ?? []
    metadata.finalizers = finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer]
    const conditions = (definition.status?.conditions ?? []).filter(({ type }) => type !== 'Terminating')
    const status = definition.status ?? { acceptedNames: noNames, storedVersions: null }
    definition.status = { ...status, conditions: [...conditions, pending(time)] }
  },
}
