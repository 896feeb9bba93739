/**
 * The strategy of custom resources, derived from their definition. Follows registry/customresource of apiextensions-apiserver.
 */
import { equalValues } from '../../apply/value.ts'
import type { DefinedKind } from '../../catalog/kind.ts'
import { forMainResource } from '../../catalog/warnings/warn.ts'
import { copyOf } from '../../go/json-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'
import { isQualifiedName } from '../../meta/names.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import type { StrategyHooks } from '../hooks.ts'
import { defaultStrategy, type ResetPaths, type StrategyOptions } from '../strategy-options.ts'

const status: ResetPaths = [['status']]

/** Returns the strategy options of a version: if it has a status subresource, all other writes leave the status unchanged. */
export function customRules({ hasStatus }: DefinedKind): StrategyOptions {
  return {
    ...defaultStrategy,
    allowUnconditionalUpdate: false,
    updateChecks: ['changes', 'object'],
    generation: 'counted',
    // apiextensions-apiserver accepts finalizers without a domain.
    finalizers: 'any',
    resets: hasStatus ? status : [],
    createResets: hasStatus ? status : [],
    statusResets: [['spec'], ['metadata']],
    statusMetadata: 'restored',
  }
}

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

function finalizerWarnings(name: string): string[] {
  const about = `metadata.finalizers: ${goQuote(name)}: `
  const wrong = isQualifiedName(name).map((text) => about + text)
  if (name.includes('/') || standardFinalizers.has(name)) return wrong
  const path = name.includes('.') ? ' including a path (/)' : ''
  return [
    ...wrong,
    `${about}prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
  ]
}

/** Warns of added finalizers. */
function warnOfFinalizers({ metadata }: KubernetesObject, old: KubernetesObject | undefined, warnings: WarningRecorder): void {
  const before = new Set(old?.metadata.finalizers ?? [])
  const added = new Set((metadata.finalizers ?? []).filter((name) => !before.has(name)))
  for (const name of [...added].sort()) for (const text of finalizerWarnings(name)) warnings.add(text)
}

/** Whether all fields except metadata are unchanged. */
function isSpecUnchanged(object: KubernetesObject, old: KubernetesObject): boolean {
  const withoutMetadata = ({
    metadata: _metadata,
    apiVersion: _apiVersion,
    kind: _kind,
    ...rest
  }: KubernetesObject): JsonObject => rest as JsonObject
  return equalValues(withoutMetadata(object), withoutMetadata(old))
}

/** Restores all fields except status and metadata for a write to /status. */
function keepAllButStatus(object: KubernetesObject, old: KubernetesObject): void {
  for (const key of Object.keys(object)) if (key !== 'metadata' && key !== 'status') delete object[key]
  for (const [key, value] of Object.entries(old)) if (key !== 'metadata' && key !== 'status') object[key] = value
}

/** Returns the strategy hooks of a version of a custom resource. */
export function customHooks(defined: DefinedKind): StrategyHooks {
  const { defaultStatus } = defined
  return {
    validate: defined.validate,
    validateUpdate: (object, old, _kind, notice) => defined.validateUpdate(object, old, '', notice),
    warn: forMainResource(warnOfFinalizers),
    // Create drops the status.
    ...(defaultStatus !== undefined && {
      defaultOnRead: (object: KubernetesObject) => {
        object.status ??= copyOf(defaultStatus)
      },
    }),
    isSpecUnchanged,
    subresources: {
      status: {
        prepareForUpdate: keepAllButStatus,
        validateUpdate: (object, old, notice) => defined.validateUpdate(object, old, 'status', notice),
      },
    },
  }
}
