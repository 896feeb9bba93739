/** Non-resource paths, unusual methods, and malformed paths. */
import { type Case, custom, other, own } from '../case.ts'

const documents = [
  '/',
  '/api',
  '/api/',
  '/api/v1',
  '/api/v1/',
  '/apis',
  '/apis/',
  '/apis/apps',
  '/apis/apps/v1',
  custom,
  '/apis/nothing.example.com',
  '/apis/nothing.example.com/v1',
  '/openapi',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/openapi/v4',
  '/healthz',
  '/healthz/ping',
  '/healthz/nothing',
  '/livez',
  '/livez/ping',
  '/readyz',
  '/readyz/ping',
  '/version',
  '/version/',
  '/metrics',
  '/metrics/slis',
  '/logs',
  '/nothing',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/API',
  '/Healthz',
  '/healthz%2Fping',
  '/healthz/',
  '/livez/../metrics',
  '/livez/%2e%2e/metrics',
  '/livez//ping',
  '//livez',
  '/apiextra',
  '/api/../metrics',
]

const configMaps = `/api/v1/namespaces/${own}/configmaps`

const odd = [
  `/${configMaps}`,
  `//${configMaps}`,
  `/api/${configMaps.slice(4)}`,
  `/api//v1/namespaces/${own}/configmaps`,
  `/api/v1//namespaces/${own}/configmaps`,
  `/api/v1/namespaces//${own}/configmaps`,
  `/api/v1/namespaces/${own}//configmaps`,
  `${configMaps}//one`,
  `${configMaps}/`,
  `${configMaps}//`,
  `${configMaps}/one/`,
  `${configMaps}/one//`,
  ...[
    '%25',
    '%2F',
    '%2Fone',
    'one%2Fstatus',
    '.',
    '..',
    '%2e',
    '%2E%2E',
    '%20',
    '%',
    '%zz',
    'a%25b',
    '%3F',
    '%23',
    '%5C',
    'one%2F',
    '%2F%2F',
    '%00',
    '%0A',
    '%C3%A9',
    '+',
    '*',
    '~',
  ].map((name) => `${configMaps}/${name}`),
  ...['.', '..', '%25', '%20', '%2F', 'Own', '%00', 'a%2Fb'].flatMap((namespace) => [
    `/api/v1/namespaces/${namespace}`,
    `/api/v1/namespaces/${namespace}/configmaps`,
    `/api/v1/namespaces/${namespace}/configmaps/one`,
    `${custom}/namespaces/${namespace}/widgets`,
    `${custom}/namespaces/${namespace}/widgets/one`,
  ]),
  ...['%25', '.', '..', '%2F', 'one%2Fstatus', '%20'].flatMap((name) => [
    `${custom}/namespaces/${own}/widgets/${name}`,
    `${custom}/gadgets/${name}`,
    `/api/v1/nodes/${name}`,
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${own}/roles/${name}`,
    `/api/v1/namespaces/${own}/pods/${name}/log`,
    `${configMaps}/${name}/status`,
  ]),
  '/api/v1/watch',
  '/api/v1/watch/',
  '/api/v1/proxy',
  '/apis/apps/v1/watch',
  `${custom}/watch`,
  '/api/v1/watch/watch/pods',
  '/api/v1/proxy/nodes/one',
  `/api/v1/proxy/namespaces/${own}/pods/one`,
  '/api/v1/watch/proxy/pods',
  '/api/v2/pods',
  '/api/V1/pods',
  '/Api/v1/pods',
  '/apis//v1/pods',
  '/apis/apps//deployments',
  '/apis/apps/v2/deployments',
  '/apis/v1/pods',
  '/api/apps/v1/deployments',
  '/apis/Apps/v1/deployments',
  `/api/v1/namespaces/${own}/configmaps;x=1`,
  `/api/v1;x/namespaces/${own}/configmaps`,
]

/** Returns paths with this number of characters, in the name or in further segments. */
const long = (length: number): readonly string[] => [
  `${configMaps}/${'a'.repeat(length)}`,
  `${configMaps}/one/${'a/'.repeat(length / 2)}`,
]

const methods = ['HEAD', 'OPTIONS', 'TRACE', 'PURGE', 'get', 'POST', 'PUT', 'PATCH', 'DELETE']

export function* otherPaths(): Iterable<Case> {
  for (const user of ['anonymous', 'nobody', 'paths', 'all-paths', 'everything']) {
    for (const path of documents) yield { user, method: 'GET', path }
  }
  for (const user of ['anonymous', 'all-paths']) {
    for (const method of methods) {
      for (const path of ['/', '/api', '/healthz', '/version', '/openapi/v3', '/nothing']) {
        yield { user, method, path }
      }
    }
  }
  for (const user of ['own-admin', 'everything']) {
    for (const path of odd) yield { user, method: 'GET', path }
    for (const path of [...long(300), ...long(8000)]) yield { user, method: 'GET', path, note: String(path.length) }
    for (const method of methods) {
      for (const path of [
        configMaps,
        `${configMaps}/one`,
        `${configMaps}/one/status`,
        `/api/v1/namespaces/${other}/configmaps`,
        '/api/v1/nodes',
        `${custom}/namespaces/${own}/widgets`,
        `${custom}/namespaces/${own}/widgets/one`,
      ]) {
        yield { user, method, path: `${path}?dryRun=All` }
      }
    }
  }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }
  for (const user of ['own-admin']) {
    for (const path of odd.filter((path) => path.startsWith(configMaps) || path.startsWith(`${custom}/namespaces/${own}/`))) {
      yield { user, method: 'PUT', path: `${path}?dryRun=All`, body: object }
      yield {
        user,
        method: 'PATCH',
        path: `${path}?dryRun=All`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: {},
      }
      yield { user, method: 'DELETE', path: `${path}?dryRun=All` }
    }
    for (const path of [
      `/api/v1/namespaces/${own}/nodes`,
      `/api/v1/namespaces/${own}/nodes/x`,
      configMaps,
      `${configMaps}/one`,
    ]) {
      for (const type of ['text/plain', 'application/xml', 'application/vnd.kubernetes.protobuf', '']) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          yield { user, method, path: `${path}?dryRun=All`, headers: { 'content-type': type }, body: 'x' }
        }
      }
      for (const accept of ['text/plain', 'application/xml', 'application/json;as=Nothing;g=meta.k8s.io;v=v1', '']) {
        yield { user, method: 'GET', path, headers: { accept } }
      }
    }
  }
}
