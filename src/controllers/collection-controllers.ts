/** The collections with controllers, by the last parts of their Durable Objects' names (`<group>/<resource>`). */

import type { ControllerName } from '../config/controllers.ts'
import type { Controller, ControllerContext } from './controller.ts'
import { kubernetesServiceController } from './kubernetes-service/wiring.ts'
import { deletionReportController } from './service-account/deletion-reports.ts'
import { rootCertificateController } from './service-account/root-certificate.ts'
import { serviceAccountController } from './service-account/wiring.ts'
import { serviceAddressController } from './service-addresses/wiring.ts'
import { serviceEndpointsController } from './service-endpoints/wiring.ts'
import { tokenSecretController } from './token-secrets/wiring.ts'
import { claimProtectionController, claimUserController, volumeProtectionController } from './volume-protection/wiring.ts'

interface CollectionController {
  /** The controller is needed if one of these is enabled; 'always' if it is a part of the server itself. */
  readonly names: readonly ControllerName[] | 'always'
  readonly make: (context: ControllerContext) => Controller
}

const kubernetesService: CollectionController = { names: 'always', make: kubernetesServiceController }

const controllers: Readonly<Record<string, readonly CollectionController[]>> = {
  '/configmaps': [{ names: ['root-ca-certificate-publisher-controller'], make: rootCertificateController }],
  '/endpoints': [kubernetesService],
  '/persistentvolumeclaims': [{ names: ['persistentvolumeclaim-protection-controller'], make: claimProtectionController }],
  '/persistentvolumes': [{ names: ['persistentvolume-protection-controller'], make: volumeProtectionController }],
  '/pods': [{ names: ['persistentvolumeclaim-protection-controller'], make: claimUserController }],
  '/secrets': [{ names: ['serviceaccount-token-controller'], make: tokenSecretController }],
  '/serviceaccounts': [
    { names: 'always', make: deletionReportController },
    { names: ['serviceaccount-controller', 'serviceaccount-token-controller'], make: serviceAccountController },
  ],
  '/services': [
    { names: 'always', make: serviceAddressController },
    { names: 'always', make: serviceEndpointsController },
    kubernetesService,
  ],
  'discovery.k8s.io/endpointslices': [kubernetesService],
}

/** Returns the controllers of a Durable Object. */
export function controllersOf(objectName: string, context: ControllerContext): readonly Controller[] {
  const found = controllers[objectName.slice(objectName.indexOf('/') + 1)] ?? []
  const runs = ({ names }: CollectionController): boolean => names === 'always' || names.some((name) => context.enabled.has(name))
  return found.filter(runs).map(({ make }) => make(context))
}
