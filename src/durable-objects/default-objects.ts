/** The objects that every namespace has, which a cluster's control object makes in other collections. */

import { type CoreObject, findObject } from '../clusters/read-object.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { ensureDefaultServiceAccount } from '../controllers/service-account/default-account.ts'
import { certificateKey, ensureRootCertificate, rootCertificateName } from '../controllers/service-account/root-certificate.ts'
import { phaseForCreate } from '../registry/policy/namespaces.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { ClusterFork } from './cluster-fork.ts'

/** The default objects of the namespaces of one cluster. */
export class DefaultObjects {
  readonly #kernel: Kernel
  readonly #fork: ClusterFork

  /** @param fork tells whether collections are still to be copied from another cluster */
  constructor(kernel: Kernel, fork: ClusterFork) {
    this.#kernel = kernel
    this.#fork = fork
  }

  /**
   * Makes the default objects of a namespace, unless the namespace is gone or going.
   * @throws ApiError of one that could not be made; the other is made all the same
   */
  async make(namespace: string): Promise<void> {
    if (phaseForCreate(this.#kernel.store, this.#kernel.registry.admissionSettings, namespace) !== 'Active') return
    const made = await Promise.allSettled([this.#makeAccount(namespace), this.#makeCertificate(namespace)])
    for (const result of made) if (result.status === 'rejected') throw result.reason
  }

  async #makeAccount(namespace: string): Promise<void> {
    const { controllers, writesOf } = this.#kernel
    if (!controllers.has('serviceaccount-controller')) return
    if (await this.#mayLack('serviceaccounts', namespace, 'default')) await ensureDefaultServiceAccount(writesOf, namespace)
  }

  async #makeCertificate(namespace: string): Promise<void> {
    const { controllers, settings, writesOf } = this.#kernel
    if (!controllers.has('root-ca-certificate-publisher-controller')) return
    if (!(await this.#mayLack('configmaps', namespace, rootCertificateName))) return
    await ensureRootCertificate(writesOf, namespace, settings.rootCertificate)
  }

  /** Whether an object may have to be made. A fork looks first: a write would copy the whole collection from its parent. */
  async #mayLack(resource: CoreObject['resource'], namespace: string, name: string): Promise<boolean> {
    if (this.#fork.remaining.length === 0) return true
    return (await findObject(this.#kernel.client, { resource, namespace, name })) === undefined
  }

  /** Publishes the certificate to all namespaces if it has changed. */
  publishCertificate(namespaces: Iterable<string>): void {
    const { ctx, settings, outbox } = this.#kernel
    const { storage } = ctx
    const certificate = settings.rootCertificate
    if (storage.kv.get<string>(certificateKey) === certificate) return
    for (const name of namespaces) outbox.add(`${namespaceCreated}${name}`)
    storage.kv.put(certificateKey, certificate)
  }
}
