/** Makes the objects that every namespace has: the ServiceAccount `default`, and the ConfigMap with the CA certificate. */

import { type CoreObject, findObject } from '../../clusters/read-object.ts'
import { phaseForCreate } from '../../registry/policy/namespaces.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller } from '../controller.ts'
import { namespaceNames, namespacePrefix } from '../namespace/names.ts'
import { ensureDefaultServiceAccount } from './default-account.ts'
import { certificateKey, ensureRootCertificate, rootCertificateName } from './root-certificate.ts'

/** Whether an object may have to be made. A fork looks first: a write would copy the whole collection from its parent. */
async function mayLack(
  { kernel, fork }: ControlContext,
  resource: CoreObject['resource'],
  namespace: string,
  name: string,
): Promise<boolean> {
  if (fork.remaining.length === 0) return true
  return (await findObject(kernel.client, { resource, namespace, name })) === undefined
}

async function makeAccount(context: ControlContext, namespace: string): Promise<void> {
  const { controllers, writesOf } = context.kernel
  if (!controllers.has('serviceaccount-controller')) return
  if (await mayLack(context, 'serviceaccounts', namespace, 'default')) await ensureDefaultServiceAccount(writesOf, namespace)
}

async function makeCertificate(context: ControlContext, namespace: string): Promise<void> {
  const { controllers, settings, writesOf } = context.kernel
  if (!controllers.has('root-ca-certificate-publisher-controller')) return
  if (!(await mayLack(context, 'configmaps', namespace, rootCertificateName))) return
  await ensureRootCertificate(writesOf, namespace, settings.rootCertificate)
}

/** The controller of new namespaces, and of all when the certificate has changed. */
export const defaultObjects: Controller<ControlContext> = {
  name: 'namespace-created',
  rows: 'outbox/namespace-created/',
  watches: [namespacePrefix],
  open: (context) => ({
    keys: ({ type, object }) => (type === 'ADDED' ? [object.key.slice(namespacePrefix.length)] : []),
    *atStart() {
      const { ctx, settings, store } = context.kernel
      const certificate = settings.rootCertificate
      if (ctx.storage.kv.get<string>(certificateKey) === certificate) return
      yield* namespaceNames(store)
      ctx.storage.kv.put(certificateKey, certificate)
    },
    // One that cannot be made does not keep the other from being made.
    reconcile: async (namespace) => {
      if (phaseForCreate(context.kernel.store, context.kernel.registry.admissionSettings, namespace) !== 'Active') return 'done'
      const results = await Promise.allSettled([makeAccount(context, namespace), makeCertificate(context, namespace)])
      for (const result of results) if (result.status === 'rejected') throw result.reason
      return 'done'
    },
  }),
}
