/** Which collections have a controller of their own, by the last parts of their objects' names (`<group>/<resource>`). */
import type { Controller, Surroundings } from './controller.ts'
import type { ControllerName } from './enabled.ts'
import { rootCertificateController } from './service-account/root-certificate.ts'
import { serviceAccountController } from './service-account/wiring.ts'
import { serviceAddressController } from './service-addresses/wiring.ts'
import { tokenSecretController } from './token-secrets/wiring.ts'

interface CollectionController {
  /** It is of use where one of these runs; 'always': it is a part of the server itself. */
  readonly names: readonly ControllerName[] | 'always'
  readonly make: (surroundings: Surroundings) => Controller
}

const controllers: Readonly<Record<string, CollectionController>> = {
  '/configmaps': { names: ['root-ca-certificate-publisher-controller'], make: rootCertificateController },
  '/secrets': { names: ['serviceaccount-token-controller'], make: tokenSecretController },
  '/serviceaccounts': {
    names: ['serviceaccount-controller', 'serviceaccount-token-controller'],
    make: serviceAccountController,
  },
  '/services': { names: 'always', make: serviceAddressController },
}

/** The controller of the Durable Object of this name; undefined where there is nothing to do. */
export function controllerOf(objectName: string, surroundings: Surroundings): Controller | undefined {
  const found = controllers[objectName.slice(objectName.indexOf('/') + 1)]
  if (found === undefined) return undefined
  const { names, make } = found
  return names === 'always' || names.some((name) => surroundings.enabled.has(name)) ? make(surroundings) : undefined
}
