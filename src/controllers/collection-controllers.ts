/** The collections with controllers, by `<group>/<resource>`. */

import { entriesFor, type PlacedObject, prefixOfCollection } from '../clusters/placement.ts'
import type { ControllerName } from '../config/controllers.ts'
import { clusterController } from './cluster/wiring.ts'
import { clusterAuthenticationController } from './cluster-authentication/wiring.ts'
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
  '/configmaps': [
    { names: 'always', make: clusterAuthenticationController },
    { names: ['root-ca-certificate-publisher-controller'], make: rootCertificateController },
  ],
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
  'edgeplane.dev/clusters': [{ names: 'always', make: clusterController }],
}

/** A controller and the prefix of the keys of its collection's objects. */
export interface PlacedController extends Controller {
  readonly prefix: string
}

/** Returns the controllers of the collections in a Durable Object. */
export function controllersOf(object: PlacedObject, context: Omit<ControllerContext, 'collection'>): readonly PlacedController[] {
  const runs = ({ names }: CollectionController): boolean => names === 'always' || names.some((name) => context.enabled.has(name))
  return entriesFor(controllers, object).flatMap(([place, found]) => {
    const [group = '', resource = ''] = place.split('/')
    const prefix = prefixOfCollection(group, resource)
    return found
      .filter(runs)
      .map(({ make }) => ({ prefix: `${prefix}/`, ...make({ ...context, collection: { group, resource } }) }))
  })
}
