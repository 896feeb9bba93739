/**
 * Changes of Ingresses: v1 has the service of a backend as an object, with a port that is a name or a number. Follows
 * k8s.io/kubernetes/pkg/apis/networking/v1beta1/conversion.go.
 */
import type { JsonObject } from '../../go/json-value.ts'
import { type Changes, objectAt, objectsAt, rename } from './fields.ts'

/** Returns all backends of a spec whose default backend has this name. */
function backendsOf(spec: JsonObject | undefined, defaultBackend: string): JsonObject[] {
  const paths = objectsAt(spec, 'rules').flatMap((rule) => objectsAt(objectAt(rule, 'http'), 'paths'))
  return [objectAt(spec, defaultBackend), ...paths.map((path) => objectAt(path, 'backend'))].filter((b) => b !== undefined)
}

function toService(backend: JsonObject): void {
  const { serviceName = '', servicePort = 0 } = backend
  delete backend.serviceName
  delete backend.servicePort
  if (serviceName === '' && servicePort === 0) return
  const port: JsonObject = typeof servicePort === 'string' ? { name: servicePort } : { number: servicePort }
  backend.service = { name: serviceName, port }
}

function fromService(backend: JsonObject): void {
  const service = objectAt(backend, 'service')
  delete backend.service
  if (service === undefined) return
  const port = objectAt(service, 'port')
  backend.serviceName = service.name ?? ''
  const { name = '' } = port ?? {}
  backend.servicePort = name === '' ? (port?.number ?? 0) : name
}

/** The changes of extensions/v1beta1 and networking.k8s.io/v1beta1. */
export const ingressChanges: Changes = {
  toStorage: (object) => {
    const spec = objectAt(object, 'spec')
    for (const backend of backendsOf(spec, 'backend')) toService(backend)
    rename(spec, 'backend', 'defaultBackend')
  },
  fromStorage: (object) => {
    const spec = objectAt(object, 'spec')
    for (const backend of backendsOf(spec, 'defaultBackend')) fromService(backend)
    rename(spec, 'defaultBackend', 'backend')
  },
}
