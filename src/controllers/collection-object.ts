/** The Durable Object of one collection: its store, the verbs on it, and the alarm that keeps its history short. */
import { DurableObject } from 'cloudflare:workers'
import { kindOf } from '../catalog/catalogue.ts'
import { firstResourceVersion } from '../clusters/first-resource-version.ts'
import { Objects } from '../clusters/objects.ts'
import { operationOf, type Target } from '../clusters/operation.ts'
import { controlOf, defaultCluster } from '../clusters/placement.ts'
import { performOperation } from '../registry/collection.ts'
import type { Registry } from '../registry/registry.ts'
import { nextCompaction } from '../storage/compaction.ts'
import { SqliteStore } from '../storage/sqlite-store.ts'
import { bootstrapCollection } from './bootstrap/collections.ts'
import { controllerOf } from './collection-controllers.ts'
import type { Controller } from './controller.ts'
import { type Environment, historyOf, serviceCidrOf } from './environment.ts'
import { Outbox, type Work } from './outbox.ts'

/** How soon the next step of a compaction follows that did not finish: requests come in between. */
const compactionPause = 10

/** What all objects with a store have. */
export abstract class StoreObject extends DurableObject<Environment> {
  protected readonly store: SqliteStore
  protected readonly registry: Registry
  protected readonly objects: Objects
  protected readonly outbox: Outbox
  readonly #controller: Controller | undefined
  #alarmAt: number | undefined

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    const name = ctx.id.name ?? ''
    this.store = new SqliteStore(ctx, {
      ...historyOf(environment),
      firstResourceVersion: firstResourceVersion(name),
      changed: (keys) => this.changed(keys),
    })
    this.objects = new Objects(environment)
    this.#controller = controllerOf(name, {
      cluster: defaultCluster,
      objects: this.objects,
      registry: () => this.registry,
      rootCertificate: environment.ROOT_CERTIFICATE ?? '',
    })
    this.outbox = new Outbox(ctx.storage, { ...this.#controller?.works, ...this.works() })
    this.registry = {
      store: this.store,
      kindOf,
      now: Date.now,
      continueSecret: this.store.continueSecret,
      serviceCidr: serviceCidrOf(environment),
      outbox: (entry) => this.outbox.note(entry),
      ...this.surroundings(),
    }
    // No request is answered before what is there from the beginning is there.
    void ctx.blockConcurrencyWhile(async () => {
      await bootstrapCollection(name, this.registry)
      await this.started()
    })
  }

  /** How entries of the outbox are worked off. Called while the object is made: to be answered without its fields. */
  protected works(): Readonly<Record<string, Work>> {
    return {}
  }

  /** What the object's registry knows besides. Called while the object is made: to be answered without its fields. */
  protected surroundings(): Pick<Registry, 'rbac'> {
    return {}
  }

  /** Runs once, when what is there from the beginning is there, before the first request. */
  protected async started(): Promise<void> {}

  /** Runs when keys have changed; without keys, anything may have. */
  protected changed(keys: readonly string[]): void {
    if (this.#controller === undefined) return
    for (const key of keys) {
      const entry = this.#controller.noticed(key)
      if (entry !== undefined) this.outbox.note(entry)
    }
  }

  override async fetch(request: Request): Promise<Response> {
    const response = await performOperation(this.registry, request)
    await this.armAlarm()
    return response
  }

  /** When the object has something to do by itself; undefined where nothing is to come. A pure function of the state. */
  protected nextAlarm(now: number): number | undefined {
    const times = [nextCompaction(this.store.compactionState, now), this.outbox.nextAlarm()].filter((at) => at !== undefined)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Sets the alarm where it is not set, or set too late. Costs nothing where it is right. */
  protected async armAlarm(): Promise<void> {
    const next = this.nextAlarm(Date.now())
    if (next === undefined || (this.#alarmAt !== undefined && this.#alarmAt <= next)) return
    this.#alarmAt = Math.max(next, Date.now())
    await this.ctx.storage.setAlarm(this.#alarmAt)
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined
    try {
      await this.work()
    } finally {
      await this.armAlarm()
    }
  }

  /** What the alarm does. */
  protected async work(): Promise<void> {
    const now = Date.now()
    await this.outbox.work(now)
    const due = nextCompaction(this.store.compactionState, now)
    if (due === undefined || due > now) return
    if (this.store.compact(now)) {
      this.#alarmAt = now + compactionPause
      await this.ctx.storage.setAlarm(this.#alarmAt)
    }
  }
}

/** One group-resource of one cluster, over all namespaces. */
export class Collection extends StoreObject {
  #registered: Promise<void> | undefined
  #known = false

  /** A write waits until the control object knows of the collection: deletions of namespaces must find its objects. */
  override async fetch(request: Request): Promise<Response> {
    if (!this.#known) {
      const { verb, target } = operationOf(request)
      if (verb === 'create' || verb === 'update') await this.#register(target)
    }
    return super.fetch(request)
  }

  #register({ group, version, resource }: Target): Promise<void> {
    this.#registered ??= this.#tellControl({ group, version, resource }).catch((error: unknown) => {
      this.#registered = undefined
      throw error
    })
    return this.#registered
  }

  async #tellControl(collection: Pick<Target, 'group' | 'version' | 'resource'>): Promise<void> {
    if ((await this.ctx.storage.get<boolean>(registeredKey)) === true) {
      this.#known = true
      return
    }
    const control = this.objects.get(controlOf(defaultCluster))
    await control.fetch('http://control/collections', { method: 'POST', body: JSON.stringify(collection) })
    await this.ctx.storage.put(registeredKey, true)
    this.#known = true
  }
}

const registeredKey = 'registered'
