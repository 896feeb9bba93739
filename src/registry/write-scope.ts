/** The parameters that all writes share. */
import type { DecodedObject, LostInJson } from '../catalog/decoded.ts'
import type { Kind } from '../catalog/kind.ts'
import type { Target, WriteOptions } from '../clusters/operation.ts'
import { parseJson } from '../go/json.ts'
import { ApiError } from '../meta/errors.ts'
import { LookupResults } from '../meta/lookups.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { WarningRecorder } from '../meta/warnings.ts'
import type { Transaction } from '../storage/store.ts'
import { withFindings } from './admission/findings.ts'
import type { AdmissionFindings } from './admission/plugin.ts'
import { commit } from './commit.ts'
import type { StrategyContext } from './hooks.ts'
import { restoreLost } from './parity/lost-in-json.ts'
import type { Registry, WriteResult } from './registry.ts'

/** A commit on the objects of one kind. */
export interface CommitScope {
  readonly registry: Registry
  readonly transaction: Transaction
  readonly kind: Kind
}

/** A write that a client or a controller requests: its object or subresource, and its options. */
export interface WriteRequest {
  readonly registry: Registry
  /** The kind in the version of the request. */
  readonly kind: Kind
  readonly target: Target
  readonly write: WriteOptions
}

/** The object of a create or update, decoded and defaulted by the Worker. */
export interface SentObject extends LostInJson, Pick<DecodedObject, 'misnamed'> {
  /** The JSON of the object. */
  readonly text: string
}

/** Returns the object that the Worker has sent. */
export const objectSent = ({ codec }: Kind, { text, ...sent }: SentObject): KubernetesObject =>
  restoreLost(parseJson(text, codec.decodedNumbers) as unknown as KubernetesObject, sent)

/**
 * A write within its commit. `createIn`, `updateIn`, `applyIn` and the hooks' context are called with it.
 * @example
 * commitWrite({ registry, kind, target, write: { manager: 'example', dryRun: false } }, (scope: WriteScope) => {
 *   const existing = scope.transaction.get(keyOf(kind, target.namespace, target.name))
 *   return existing === undefined ? createIn(scope, { object }) : updateIn(scope, { existing, object })
 * })
 */
export interface WriteScope extends WriteRequest, CommitScope {
  /** Takes the findings of admission in this attempt; absent if the server itself writes. */
  readonly findings?: AdmissionFindings
}

/**
 * Performs a write within the next group commit.
 * @returns the result of `perform`, after the commit
 * @throws ApiError 504 if the request's deadline has passed by then, and the errors of `perform`
 */
export function commitWrite(
  { registry, kind, target, write }: WriteRequest,
  perform: (scope: WriteScope) => WriteResult,
): Promise<WriteResult> {
  return commit(registry, (transaction) =>
    withFindings((findings) => perform({ registry, transaction, kind, target, write, findings })),
  )
}

/** Returns the context of strategy hooks. */
export function strategyContext({ registry, transaction, kind, write }: WriteScope): StrategyContext {
  const { user } = write
  return {
    kind,
    transaction,
    write,
    now: registry.now(),
    warnings: new WarningRecorder(),
    lookups: registry.lookups ?? new LookupResults(),
    services: registry,
    ...(user !== undefined && { user }),
  }
}

/**
 * Performs a write and inserts warnings before those of the result, or of the error.
 * @param warnings may grow while the write is performed
 * @throws the errors of `perform`
 */
export function withWarnings(warnings: WarningRecorder, perform: () => WriteResult): WriteResult {
  try {
    const result = perform()
    return { ...result, warnings: [...warnings.texts, ...(result.warnings ?? [])] }
  } catch (error) {
    if (error instanceof ApiError) error.warning(warnings.texts)
    throw error
  }
}
