/** Which collections have a controller of their own, by the last parts of their objects' names (`<group>/<resource>`). */
import type { Controller, Surroundings } from './controller.ts'
import { rootCertificateController } from './service-account/root-certificate.ts'
import { serviceAccountController } from './service-account/wiring.ts'
import { serviceAddressController } from './service-addresses/wiring.ts'
import { tokenSecretController } from './token-secrets/wiring.ts'

const controllers: Readonly<Record<string, (surroundings: Surroundings) => Controller>> = {
  '/configmaps': rootCertificateController,
  '/secrets': tokenSecretController,
  '/serviceaccounts': serviceAccountController,
  '/services': serviceAddressController,
}

/** The controller of the Durable Object of this name; undefined where there is nothing to do. */
export function controllerOf(objectName: string, surroundings: Surroundings): Controller | undefined {
  return controllers[objectName.slice(objectName.indexOf('/') + 1)]?.(surroundings)
}
