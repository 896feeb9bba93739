/**
 * Rewrites stored objects in the storage version of their resource, as StorageVersionMigrations ask for it: a page of objects in
 * each run of the control object's alarm.
 */

import type { StorageVersionMigration } from '../../catalog/generated/types/storagemigration.v1beta1.ts'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { allObjects, type Target } from '../../clusters/operation.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { listUnder } from '../../registry/list/all.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller, Outcome, QueueName } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
import { beginInDefinition, endInDefinition } from './definition.ts'
import { MigrationPlaces } from './places.ts'
import { stepOf, withCondition, withoutRunning } from './reconcile.ts'

const group = 'storagemigration.k8s.io'
const version = 'v1beta1'
const resource = 'storageversionmigrations'

/** The key prefix of the migrations. */
const prefix = `${resource}.${group}/`

const queue: QueueName = { name: 'storage-version-migrator', rows: 'due/storage-version-migrator/' }

/** The field manager of the status, and that of the rewritten objects, to which it adds nothing. */
const statusManager = 'kube-controller-manager'
const manager = 'storage-version-migrator-controller'

/** The number of objects of a page. */
const pageObjects = 100
/** The time in milliseconds for which a migration waits for its resource. */
const patience = 60_000
/** Verbs without which a resource is not migrated. */
const neededVerbs = ['update', 'patch', 'list']

interface Page {
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string }
  readonly items: readonly KubernetesObject[] | null
}

/** An error that no repetition mends. */
class MigrationFailed extends Error {}

/** The form of a page. */
const representation = { as: 'PartialObjectMetadataList', version: 'v1' } as const

const targetOf = (kind: Kind, namespace = '', name = ''): Target => ({
  group: kind.group,
  version: kind.version,
  resource: kind.resource,
  subresource: '',
  namespace,
  name,
})

/** Whether a later attempt may succeed. Follows isRetriableError. */
const isPassing = ({ code }: ApiError): boolean => code === 429 || code >= 500

/** Does the migrations of one cluster. */
class Migrations {
  readonly #kernel: Kernel
  readonly #customKind: (group: string, resource: string) => Kind | undefined
  readonly #places: MigrationPlaces

  constructor({ kernel, definitions }: ControlContext) {
    this.#kernel = kernel
    this.#customKind = (ofGroup, ofResource) => definitions.storageKind(`${ofResource}.${ofGroup}`)
    this.#places = new MigrationPlaces(kernel.ctx.storage)
  }

  /** Returns those of the names, and of all migrations, that do not wait: a change of one may let another one start. */
  idle(...changed: readonly string[]): string[] {
    const names = [...changed, ...this.#migrations().map(({ metadata }) => metadata.name ?? '')]
    return names.filter((name) => !this.#kernel.queues.has(queue, name))
  }

  #migrations(): readonly StorageVersionMigration[] {
    return [...listUnder(this.#kernel.registry.store, prefix)] as unknown as readonly StorageVersionMigration[]
  }

  /** Does the next step of a migration. */
  async step(name: string): Promise<Outcome> {
    const all = this.#migrations()
    const migration = all.find(({ metadata }) => metadata.name === name)
    if (migration === undefined) {
      this.#places.forget(name)
      return 'done'
    }
    const { group: ofGroup, resource: ofResource } = migration.spec.resource
    const same = all.filter(({ spec }) => spec.resource.group === ofGroup && spec.resource.resource === ofResource)
    const step = stepOf(migration, same)
    const definition = `${ofResource}.${ofGroup}`
    try {
      if (step.do === 'nothing') return 'done'
      if (step.do === 'start') await this.#start(migration, definition)
      else if (step.do === 'finish') await this.#finish(migration, definition, step.hasSucceeded)
      else if (step.do === 'measure') await this.#measure(migration)
      else await this.#rewrite(migration, step.until)
    } catch (error) {
      if (!(error instanceof MigrationFailed)) throw error
      const failure = `migration encountered unhandled error: ${error.message}`
      await this.#setStatus(migration, (status, time) => ({
        ...status,
        conditions: [...withCondition(status.conditions ?? [], 'Failed', time, failure)],
      }))
    }
    return 'more'
  }

  async #start(migration: StorageVersionMigration, definition: string): Promise<void> {
    await beginInDefinition(this.#kernel.registry, definition, migration.metadata.name ?? '')
    await this.#setStatus(migration, (status, time) => ({
      ...status,
      conditions: [...withCondition(status.conditions ?? [], 'Running', time)],
    }))
  }

  async #finish(migration: StorageVersionMigration, definition: string, hasSucceeded: boolean): Promise<void> {
    await endInDefinition(this.#kernel.registry, definition, hasSucceeded)
    this.#places.forget(migration.metadata.name ?? '')
    await this.#setStatus(migration, (status, time) => ({
      ...status,
      conditions: [...withoutRunning(status.conditions ?? [], time, migration.metadata.generation)],
    }))
  }

  /** Records the present resourceVersion of the resource: objects that are written later are in the storage version. */
  async #measure(migration: StorageVersionMigration): Promise<void> {
    const kind = this.#kindOf(migration)
    const missing = neededVerbs.some((verb) => !kind.verbs.has(verb))
    if (missing) {
      const described = `${kind.group}/${kind.version}, Resource=${kind.resource}`
      throw new MigrationFailed(`resource "${described}" does not support discovery operations: [${neededVerbs.join(' ')}]`)
    }
    const { metadata } = await this.#page(kind, '', 1)
    await this.#setStatus(migration, (status) => ({ ...status, resourceVersion: metadata.resourceVersion }))
  }

  /** Rewrites one page. */
  async #rewrite(migration: StorageVersionMigration, until: string): Promise<void> {
    const kind = this.#kindOf(migration)
    // Objects of built-in kinds are stored in one version only, whatever the release that wrote them.
    if (kind.definition !== undefined) {
      const page = await this.#page(kind, this.#places.get(migration.metadata), pageObjects)
      const older = (page.items ?? []).filter(({ metadata }) => BigInt(metadata.resourceVersion ?? '0') <= BigInt(until))
      // Writes that arrive together share a commit.
      await Promise.all(older.map((object) => this.#rewriteObject(kind, object)))
      const { continue: next = '' } = page.metadata
      if (next !== '') {
        this.#places.set(migration.metadata, next)
        return
      }
    }
    await this.#setStatus(migration, (status, time) => ({
      ...status,
      conditions: [...withCondition(status.conditions ?? [], 'Succeeded', time)],
    }))
  }

  /** Applies nothing to an object, which stores it again if it is stored in another version. */
  async #rewriteObject(kind: Kind, { metadata }: KubernetesObject): Promise<void> {
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata
    const body = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, uid, resourceVersion } }
    const operation = {
      verb: 'apply',
      target: targetOf(kind, namespace, name),
      write: { manager, dryRun: false },
      force: false,
    } as const
    try {
      await this.#kernel.client.performWithoutAnswer(kind, operation, JSON.stringify(body))
    } catch (error) {
      if (!(error instanceof ApiError) || isPassing(error)) throw error
      // It was written or deleted in the meantime, so that nothing is left to do.
      if (error.code !== 409) throw new MigrationFailed(error.message)
    }
  }

  /**
   * Lists the metadata of a page, because whole objects may be larger than the memory of the control object. A place that has expired
   * begins again: what is rewritten is not written twice.
   */
  async #page(kind: Kind, place: string, limit: number): Promise<Page> {
    const list = { ...allObjects, limit, continue: place }
    try {
      const answer = await this.#kernel.client.perform(kind, {
        verb: 'list',
        representation,
        unconverted: true,
        target: targetOf(kind),
        list,
      })
      return await answer.json<Page>()
    } catch (error) {
      if (error instanceof ApiError && error.code === 410 && place !== '') return this.#page(kind, '', limit)
      throw error
    }
  }

  /** Returns the kind of a migration's objects. @throws Error for a resource that may still be defined, MigrationFailed later */
  #kindOf({ spec, metadata }: StorageVersionMigration): Kind {
    const { group: ofGroup, resource: ofResource } = spec.resource
    const custom = this.#customKind(ofGroup, ofResource)
    const found = custom ?? builtInKind(ofGroup, ofResource)
    if (found !== undefined) return found
    const age = this.#kernel.now() - Date.parse(metadata.creationTimestamp ?? '')
    if (age < patience) throw new Error(`there is no resource ${ofResource}.${ofGroup} yet`)
    throw new MigrationFailed('resource does not exist in discovery')
  }

  /** Writes the status of the migration, if it is still the same object. */
  async #setStatus(
    { metadata }: StorageVersionMigration,
    change: (status: StorageVersionMigration['status'], time: string) => StorageVersionMigration['status'],
  ): Promise<void> {
    const { name = '', uid } = metadata
    const { registry } = this.#kernel
    const kind = kindOf(group, version, resource)
    if (kind === undefined) throw new Error('no kind StorageVersionMigration')
    await registry.store.write((transaction) => {
      const existing = transaction.get(prefix + name)
      if (existing === undefined) return
      const object = objectOf(existing) as StorageVersionMigration
      if (object.metadata.uid !== uid) return
      object.status = change(object.status ?? {}, rfc3339Seconds(registry.now()))
      const target: Target = { group, version, resource, subresource: 'status', namespace: '', name }
      updateIn({ registry, transaction, kind, target, write: { manager: statusManager, dryRun: false } }, { existing, object })
    })
  }
}

/** The versions in which built-in kinds are searched: each resource has one of them. */
const versions = ['v1', 'v2', 'v1beta2', 'v1beta1', 'v1alpha3', 'v1alpha2', 'v1alpha1']

function builtInKind(ofGroup: string, ofResource: string): Kind | undefined {
  for (const one of versions) {
    const kind = kindOf(ofGroup, one, ofResource)
    if (kind !== undefined) return kind.asStored()
  }
  return undefined
}

/** The controller of StorageVersionMigrations. */
export const storageVersionMigrator: Controller<ControlContext> = {
  ...queue,
  enabledBy: ['storage-version-migrator-controller'],
  featureGate: 'StorageVersionMigrator',
  watches: [prefix],
  open: (context) => {
    const migrations = new Migrations(context)
    return {
      keys: ({ object }) => migrations.idle(object.key.slice(prefix.length)),
      atStart: () => migrations.idle(),
      reconcile: (name) => migrations.step(name),
    }
  },
}
