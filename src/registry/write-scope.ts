/** The parameters that all writes of the registry share. */
import type { BodyFindings } from '../catalog/decoded.ts'
import type { Kind } from '../catalog/kind.ts'
import type { Target, WriteOptions } from '../clusters/operation.ts'
import { LookupResults } from '../meta/lookups.ts'
import type { Transaction } from '../storage/store.ts'
import { commit } from './commit.ts'
import type { StrategyContext } from './hooks.ts'
import type { Registry } from './registry.ts'

/** A commit that works on the objects of one kind. */
export interface CommitScope {
  readonly registry: Registry
  readonly transaction: Transaction
  readonly kind: Kind
}

/** A write that a client or a controller requests: the object or subresource it is for, and its options. */
export interface WriteRequest {
  readonly registry: Registry
  /** In the version that the request names. */
  readonly kind: Kind
  readonly target: Target
  readonly write: WriteOptions
}

/** The object of a create or update as the Worker has decoded and defaulted it. */
export interface SentObject extends BodyFindings {
  /** Its JSON. */
  readonly text: string
}

/** A write within its commit. */
export interface WriteScope extends WriteRequest, CommitScope {}

/**
 * Performs a write within the next group commit.
 * @throws ApiError 504 if the request's deadline has passed by then, and the errors of `perform`
 */
export function commitWrite<T>({ registry, kind, target, write }: WriteRequest, perform: (scope: WriteScope) => T): Promise<T> {
  return commit(registry, (transaction) => perform({ registry, transaction, kind, target, write }))
}

/** Makes the context of the hooks of a kind's strategy. */
export function strategyContext({ registry, transaction, kind, write }: WriteScope): StrategyContext {
  const { user } = write
  return {
    kind,
    transaction,
    write,
    now: registry.now(),
    warnings: [],
    lookups: registry.lookups ?? new LookupResults(),
    services: registry,
    ...(user !== undefined && { user }),
  }
}
