/** The objects that every namespace has, which a cluster's control object makes in other collections. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import { type CoreObject, findObject } from '../clusters/read-object.ts'
import { readAdmissionSettings } from '../config/admission/settings.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import type { WritesOf } from '../controllers/admitted-writes.ts'
import type { Outbox } from '../controllers/outbox.ts'
import { ensureDefaultServiceAccount } from '../controllers/service-account/default-account.ts'
import { certificateKey, ensureRootCertificate, rootCertificateName } from '../controllers/service-account/root-certificate.ts'
import { phaseForCreate } from '../registry/policy/namespaces.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { Store } from '../storage/store.ts'

/** The parts of the control object that its default objects depend on. */
export interface DefaultObjectsHost {
  readonly storage: Pick<DurableObjectStorage, 'kv'>
  readonly environment: Environment
  readonly store: Pick<Store, 'get'>
  readonly collections: CollectionClient
  readonly writesOf: WritesOf
  readonly outbox: Pick<Outbox, 'add'>
  /** Whether collections are still to be copied from another cluster. */
  readonly isUnfinishedFork: () => boolean
}

/** The default objects of the namespaces of one cluster. */
export class DefaultObjects {
  readonly #host: DefaultObjectsHost

  constructor(host: DefaultObjectsHost) {
    this.#host = host
  }

  /**
   * Makes the default objects of a namespace, unless the namespace is gone or going.
   * @throws ApiError of one that could not be made; the other is made all the same
   */
  async make(namespace: string): Promise<void> {
    if (phaseForCreate(this.#host.store, readAdmissionSettings(this.#host.environment), namespace) !== 'Active') return
    const made = await Promise.allSettled([this.#makeAccount(namespace), this.#makeCertificate(namespace)])
    for (const result of made) if (result.status === 'rejected') throw result.reason
  }

  async #makeAccount(namespace: string): Promise<void> {
    const { environment, writesOf } = this.#host
    if (!objectSettings(environment).controllers.has('serviceaccount-controller')) return
    if (await this.#mayLack('serviceaccounts', namespace, 'default')) await ensureDefaultServiceAccount(writesOf, namespace)
  }

  async #makeCertificate(namespace: string): Promise<void> {
    const { environment, writesOf } = this.#host
    if (!objectSettings(environment).controllers.has('root-ca-certificate-publisher-controller')) return
    if (!(await this.#mayLack('configmaps', namespace, rootCertificateName))) return
    await ensureRootCertificate(writesOf, namespace, objectSettings(environment).rootCertificate)
  }

  /** Whether an object may have to be made. A fork looks first: a write would copy the whole collection from its parent. */
  async #mayLack(resource: CoreObject['resource'], namespace: string, name: string): Promise<boolean> {
    const { collections, isUnfinishedFork } = this.#host
    if (!isUnfinishedFork()) return true
    return (await findObject(collections, { resource, namespace, name })) === undefined
  }

  /** Publishes the certificate to all namespaces if it has changed. */
  publishCertificate(namespaces: Iterable<string>): void {
    const { storage, environment, outbox } = this.#host
    const certificate = objectSettings(environment).rootCertificate
    if (storage.kv.get<string>(certificateKey) === certificate) return
    for (const name of namespaces) outbox.add(`${namespaceCreated}${name}`)
    storage.kv.put(certificateKey, certificate)
  }
}
