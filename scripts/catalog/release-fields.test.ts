import { expect, test } from 'vitest'
import { describedRelease, releaseFields } from './release-fields.ts'

const release = (minor: number, properties: object, paths: readonly string[]) =>
  describedRelease(
    minor,
    JSON.stringify({
      paths: Object.fromEntries(paths.map((path) => [path, {}])),
      definitions: {
        'io.k8s.api.core.v1.PodSpec': { properties },
        'io.k8s.api.policy.v1beta1.IDRange': minor < 17 ? {} : { properties },
        'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { properties },
      },
    }),
  )

const pod = '/api/v1/namespaces/{namespace}/pods/{name}'
const claim = '/apis/apps/v1/namespaces/{namespace}/controllerrevisions/{name}'
const releases = [
  release(15, { containers: {} }, [pod, claim, `${pod}/status`, '/api/v1/namespaces/{name}/finalize']),
  release(16, { containers: {}, overhead: {} }, [pod, `${pod}/status`, `${pod}/proxy`, `${pod}/proxy/{path}`]),
  release(17, { containers: {}, overhead: {}, os: {} }, [
    pod,
    claim,
    `${claim}/status`,
    `${pod}/status`,
    '/api/v1/namespaces/{name}/finalize',
  ]),
]

test('a field came later if an earlier release has the type without it', () => {
  expect(releaseFields(releases).fields).toEqual({
    'core/v1.PodSpec': { 16: 'overhead', 17: 'os' },
    'policy/v1beta1.IDRange': { 17: 'containers os overhead' },
  })
})

test('a subresource came later if an earlier release has others of the resource', () => {
  expect(releaseFields(releases).subresources).toEqual({
    '/v1/pods': { 16: 'proxy' },
    'apps/v1/controllerrevisions': { 17: 'status' },
  })
})

test('the first release of a type has all of its first fields', () => {
  expect(releaseFields(releases.slice(2)).fields).toEqual({})
})
