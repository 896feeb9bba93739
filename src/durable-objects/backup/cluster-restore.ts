/**
 * The end of a cluster's restore, in its control object: when all lines wait in their objects, it has every object emptied, and then
 * filled, and is itself the last one. Once begun it goes on by itself until it is done, also after a restart.
 */

import type { FillContents, FinishRestore, RestoredObject, StagedContents } from '../../clusters/backup-messages.ts'
import { type Message, send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { controlOf, nameInCluster, placementNamed } from '../../clusters/placement.ts'
import { repeated } from '../../clusters/protocol.ts'
import type { ClusterRecord } from '../../controllers/cluster/record.ts'
import { requireRoom } from '../../controllers/cluster/use.ts'
import type { Kernel } from '../../controllers/kernel.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import { logError } from '../../meta/log.ts'
import type { ClusterCollections } from '../cluster-collections.ts'
import { collectionOf } from '../object-name.ts'
import { beingRestored, type ObjectContents, type Restoration } from './restore.ts'

/** The storage key of the plan. It stays until the control object itself is filled. */
export const planKey = 'cluster-restore'

/** A restore that has to be carried out. */
interface Plan {
  readonly id: string
  /** All objects of the cluster but the control object. */
  readonly others: readonly RestoredObject[]
  readonly own: RestoredObject
  readonly keepsTokens: boolean
}

/** The parts of the control object that the end of a restore needs. */
export interface RestoredCluster {
  readonly restoration: Restoration
  readonly record: ClusterRecord
  readonly contents: ObjectContents
  /** Records collections that hold objects from now on. */
  readonly collections: Pick<ClusterCollections, 'adopt'>
  /** Makes the forks of the cluster copy what they still need: a restore ends the history. */
  readonly completeForks: () => Promise<void>
}

/** The pause after a failure, in milliseconds. */
const retryMilliseconds = 2000

/** The most objects of a cluster that a restore names: each collection is one. */
const mostObjects = 20_000

const segment = '[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?'
const names = new RegExp(`^[^/]{1,63}/(control|(${segment})?/${segment})$`)

/** Ends restores of one cluster. */
export class ClusterRestore {
  readonly #kernel: Kernel
  readonly #cluster: RestoredCluster
  readonly #plan: Plan | undefined
  #running: Promise<void> | undefined

  constructor(kernel: Kernel, cluster: RestoredCluster) {
    this.#kernel = kernel
    this.#cluster = cluster
    // Every read makes the object wake up later.
    this.#plan = cluster.restoration.isRestoring ? kernel.ctx.storage.kv.get<Plan>(planKey) : undefined
  }

  /**
   * Replaces the contents of the cluster. The object restarts before it is done: the request fails.
   * @throws ApiError 400 for names of no objects, 403 beyond a limit of the cluster, 409 if lines are missing, 503 during another restore
   */
  async finish(wanted: FinishRestore): Promise<void> {
    if (this.#cluster.restoration.hasEnded(wanted.id)) return
    if (this.#plan === undefined) return this.#begin(wanted)
    if (this.#plan.id !== wanted.id) throw beingRestored()
    return this.run()
  }

  /** Deletes the contents of the control object itself, which stores the plan in the same transaction and restarts with it. */
  async #begin({ id, objects }: FinishRestore): Promise<void> {
    const { ctx, client } = this.#kernel
    const { restoration, record, contents, completeForks } = this.#cluster
    const own = controlOf(client.cluster).name
    if (!Array.isArray(objects) || objects.length > mostObjects) throw badRequest('a restore names the objects of the cluster')
    const byName = new Map(
      (contents.names() ?? []).map((name): [string, RestoredObject] => [name, { name, objects: 0, atLeast: 0 }]),
    )
    for (const object of objects.map((one) => checked(one, client.cluster))) byName.set(object.name, object)
    const ofOwn = byName.get(own) ?? { name: own, objects: 0, atLeast: 0 }
    byName.delete(own)
    const all = [...byName.values(), ofOwn]
    const staged = await Promise.all(all.map((object) => this.#stagedIn(object, id)))
    requireRoom(record.terms?.limits ?? {}, {
      objects: staged.reduce((sum, { objects }) => sum + objects, 0),
      bytes: staged.reduce((sum, { bytes }) => sum + bytes, 0),
    })
    const plan: Plan = { id, others: [...byName.values()], own: ofOwn, keepsTokens: staged.at(-1)?.hasTokenKeys === true }
    await completeForks()
    await ctx.storage.setAlarm(Date.now() + retryMilliseconds)
    return restoration.empty(id, () => ctx.storage.kv.put<Plan>(planKey, plan))
  }

  async #stagedIn({ name, objects }: RestoredObject, id: string): Promise<StagedContents> {
    const staged = await this.#send(name, objectProtocol.staged, { id })
    if (staged.objects === objects) return staged
    throw new ApiError(409, 'Conflict', `${name} has ${staged.objects} objects of the restore instead of ${objects}`)
  }

  /** Goes on with the restore. Concurrent callers share it. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Goes on in the alarm, and tries again later if that fails. */
  async continue(): Promise<void> {
    const { ctx } = this.#kernel
    try {
      await this.run()
    } catch (error) {
      if (this.#kernel.isEnding) return
      logError('a restore does not go on', error)
      await ctx.storage.setAlarm(Date.now() + retryMilliseconds)
    }
  }

  async #run(): Promise<void> {
    const { restoration, collections } = this.#cluster
    if (this.#plan === undefined) return
    const { id, others, own, keepsTokens } = this.#plan
    // Objects ask each other about owners: all former contents are gone before the first one is filled.
    await Promise.all(others.map(({ name }) => this.#send(name, objectProtocol.empty, { id })))
    const fillOf = ({ atLeast }: RestoredObject): FillContents => ({ id, atLeast, keepsTokens })
    for (const object of others) await this.#send(object.name, objectProtocol.fill, fillOf(object))
    collections.adopt(others.filter(({ objects }) => objects > 0).map(({ name }) => ({ ...collectionOf(name), version: '' })))
    return restoration.fill(fillOf(own))
  }

  /** Sends a message to an object of the cluster, which may restart meanwhile. */
  #send<Question, Answer>(name: string, message: Message<Question, Answer>, question: Question): Promise<Answer> {
    // A stub stays broken after the restart of its object.
    return repeated(() => send(this.#kernel.client.get(placementNamed(name)), message, question))
  }
}

/** Checks a description of an object, whose cluster is this one whatever it says. @throws ApiError 400 */
function checked({ name, objects, atLeast }: RestoredObject, cluster: string): RestoredObject {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
  if (typeof name !== 'string' || name.length > 600 || !names.test(name))
    throw badRequest('a restore names objects of the cluster')
  if (!isCount(objects) || !isCount(atLeast) || atLeast > Number.MAX_SAFE_INTEGER / 2) {
    throw badRequest('a restore needs the number of objects and the resourceVersion of each Durable Object')
  }
  return { name: nameInCluster(cluster, name), objects, atLeast }
}
