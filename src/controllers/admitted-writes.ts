/** Writes of controllers that policies and webhooks admit, as those of the controllers of kube-controller-manager. */
import type { Kind } from '../catalog/kind.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { type AdmissionOfOperation, allObjects, type DeleteOptions, type Target } from '../clusters/operation.ts'
import { removeEach } from '../clusters/remove-each.ts'
import type { Environment } from '../config/environment.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import type { User } from '../meta/user.ts'
import { mayMatch } from '../registry/admission/may-match.ts'
import type { Registry } from '../registry/registry.ts'

/** Makes the client of a cluster with which a user acts, including all lookups of admission. */
export type ControllerClients = (environment: Environment, cluster: string, user: User) => CollectionClient

/** The dependencies of a controller's writes. */
interface ClusterWrites {
  /** Returns the present policies and webhooks. */
  readonly currentAdmission: Registry['currentAdmission']
  /** The client for writes that no policy or webhook may match. */
  readonly collections: CollectionClient
  /** Returns the client with which a user acts, including all lookups of admission. */
  readonly client: (user: User) => CollectionClient
}

/** Makes the writes of the controller with this name. */
export type WritesOf = (controller: string) => AdmittedWrites

/** Returns the writes of the controllers of a cluster. */
export const writesInCluster =
  (host: ClusterWrites): WritesOf =>
  (controller) =>
    new AdmittedWrites(host, controller)

const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated']

type WriteOperation = 'CREATE' | 'UPDATE' | 'DELETE'

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/**
 * Returns the admission of a write of the controller; undefined if no policy or webhook may match: then it writes without.
 * @param kind in the storage version
 * @param options the fields of the CreateOptions, UpdateOptions or DeleteOptions
 */
export type AdmissionOfWrite = (kind: Kind, operation: WriteOperation, options?: JsonObject) => AdmissionOfOperation | undefined

/** A merge patch of metadata: null removes a field. */
export type MetadataPatch = { readonly [Field in keyof ObjectMeta]?: ObjectMeta[Field] | null }

/** The field manager of controllers. */
const manager = 'kube-controller-manager'

/** The writes of one controller. It has the name of its ServiceAccount in kube-controller-manager. */
export class AdmittedWrites {
  readonly #host: ClusterWrites
  readonly #user: User

  constructor(host: ClusterWrites, controller: string) {
    this.#host = host
    this.#user = { name: `system:serviceaccount:kube-system:${controller}`, uid: '', groups, extra: {} }
  }

  /** Asks for the present policies and webhooks. */
  async admission(): Promise<AdmissionOfWrite> {
    const configuration = await this.#host.currentAdmission()
    return (kind, operation, options = {}) => {
      if (!mayMatch(configuration, { operation, kind, subresource: '' })) return undefined
      return { tag: configuration.tag, options: { kind: optionKinds[operation], fields: options } }
    }
  }

  /** Returns a function that asks when it is first called, for work that may need the answer several times. */
  admissionOnce(): () => Promise<AdmissionOfWrite> {
    let asked: Promise<AdmissionOfWrite> | undefined
    return () => (asked ??= this.admission())
  }

  #client(): CollectionClient {
    return this.#host.client(this.#user)
  }

  /**
   * Creates an object.
   * @param target without a name
   * @param text the object as JSON
   * @throws ApiError of the creation: 409 if it exists, that of a policy or webhook that rejects it
   */
  async create(kind: Kind, target: Target, text: string): Promise<void> {
    await this.#write('create', kind, target, text)
  }

  /**
   * Replaces an object.
   * @param text the object as JSON
   * @throws ApiError of the update: that of a policy or webhook that rejects it
   */
  async update(kind: Kind, target: Target, text: string): Promise<void> {
    await this.#write('update', kind, target, text)
  }

  async #write(verb: 'create' | 'update', kind: Kind, target: Target, text: string): Promise<void> {
    const admission = (await this.admission())(kind, verb === 'create' ? 'CREATE' : 'UPDATE')
    const write = { manager, dryRun: false }
    // A write with a user asks whether that user may do what it contains.
    if (admission === undefined) return await this.#host.collections.performWithoutAnswer(kind, { verb, target, write }, text)
    const operation = { verb, target, write: { ...write, user: this.#user }, admission } as const
    await this.#client().performWithoutAnswer(kind, operation, text)
  }

  /**
   * Deletes an object.
   * @throws ApiError of the deletion
   */
  async remove(kind: Kind, target: Target, options: DeleteOptions, admission?: AdmissionOfOperation): Promise<void> {
    const deletion = { delete: options, dryRun: false, user: this.#user } as const
    const operation = { verb: 'delete', target, ...deletion, ...(admission !== undefined && { admission }) } as const
    await this.#client().performWithoutAnswer(kind, operation)
  }

  /**
   * Deletes all objects of a kind in a namespace.
   * @throws ApiError of the first deletion that fails
   */
  async removeAll(kind: Kind, target: Target, options: DeleteOptions, admission: AdmissionOfOperation): Promise<void> {
    const deletion = { delete: options, dryRun: false, user: this.#user, admission, unconverted: true } as const
    await removeEach(this.#client(), { kind, target, list: allObjects }, deletion)
  }

  /**
   * Changes the metadata of an object by a merge patch.
   * @throws ApiError of the patch: 409 if `resourceVersion` in the metadata is not that of the object
   */
  async patchMetadata(kind: Kind, target: Target, metadata: MetadataPatch, admission?: AdmissionOfOperation): Promise<void> {
    const write = { manager, dryRun: false, user: this.#user, fromPatch: true } as const
    const admitted = admission === undefined ? {} : { admission }
    const operation = { verb: 'patch', target, write, patchType: 'merge', fieldValidation: 'Ignore', ...admitted } as const
    await this.#client().performWithoutAnswer(kind, operation, JSON.stringify({ metadata }))
  }
}
