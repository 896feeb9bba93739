import { describe, expect, test } from 'vitest'
import { served } from '../../catalog/generated/served.ts'
import { unserved } from '../../catalog/generated/unserved.ts'
import { Discovery } from './discovery.ts'
import { routeNotFound } from './not-found.ts'
import { serveRootPaths } from './root-paths.ts'
import { serveDiscovery } from './serve.ts'
import type { ServedVersion } from './served-version.ts'

const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const names = { namespaced: true, verbs: customVerbs }
const wid = {
  ...names,
  resource: 'wids',
  singular: 'wid',
  kind: 'Wid',
  shortNames: ['wi'],
  categories: ['all'],
  storageVersion: 'v1',
}
const subresources = [
  { name: 'status', kind: { kind: 'Wid' }, verbs: ['get', 'patch', 'update'] },
  { name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get', 'patch', 'update'] },
]
const group = 'disc-a.example.com'
const custom: readonly ServedVersion[] = [
  { group, version: 'v1', custom: true, resources: [{ ...wid, subresources }] },
  { group, version: 'v1beta1', custom: true, resources: [wid] },
  { group, version: 'v10', custom: true, resources: [wid] },
]
const discovery = new Discovery([...served, ...custom])
/** Serves the versions that are off by default, too. */
const everything = new Discovery([...served, ...unserved])

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
}

async function ask(
  path: string,
  { method = 'GET', headers = {} }: Asked = {},
  documents = discovery,
): Promise<Response | undefined> {
  return serveDiscovery(new Request(`https://host${path}`, { method, headers }), path, documents, '192.0.2.2:16443')
}

const text = async (path: string, options?: Asked): Promise<string | undefined> => (await ask(path, options))?.text()
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

describe('discovery of groups and versions', () => {
  test('GET /api returns the address of the server', async () => {
    const document =
      '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.2:16443"}]}\n'
    expect(await text('/api')).toBe(document)
    expect(await text('/api/')).toBe(document)
  })

  test('GET /apis lists the groups in their order', async () => {
    const list = JSON.parse((await text('/apis/')) ?? '') as { groups: { name: string }[] }
    expect(list.groups.map(({ name }) => name)).toEqual([
      'apiregistration.k8s.io',
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'autoscaling',
      'batch',
      'certificates.k8s.io',
      'networking.k8s.io',
      'policy',
      'rbac.authorization.k8s.io',
      'storage.k8s.io',
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'scheduling.k8s.io',
      'coordination.k8s.io',
      'node.k8s.io',
      'discovery.k8s.io',
      'resource.k8s.io',
      'flowcontrol.apiserver.k8s.io',
      group,
    ])
  })

  test('the preferredVersion of a group is its newest stable version', async () => {
    expect(await text('/apis/autoscaling')).toBe(
      '{"kind":"APIGroup","apiVersion":"v1","name":"autoscaling","versions":[{"groupVersion":"autoscaling/v2","version":"v2"},{"groupVersion":"autoscaling/v1","version":"v1"}],"preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}}\n',
    )
  })

  test('GET /apis/GROUP/VERSION of a built-in group in YAML', async () => {
    const response = await ask('/apis/policy/v1', { headers: { accept: 'application/yaml' } })
    expect(response?.headers.get('content-type')).toBe('application/yaml')
    expect(await response?.text()).toBe(
      'apiVersion: v1\ngroupVersion: policy/v1\nkind: APIResourceList\nresources:\n- kind: PodDisruptionBudget\n  name: poddisruptionbudgets\n  namespaced: true\n  shortNames:\n  - pdb\n  singularName: poddisruptionbudget\n  storageVersionHash: EVWiDmWqyJw=\n  verbs:\n  - create\n  - delete\n  - deletecollection\n  - get\n  - list\n  - patch\n  - update\n  - watch\n- kind: PodDisruptionBudget\n  name: poddisruptionbudgets/status\n  namespaced: true\n  singularName: ""\n  verbs:\n  - get\n  - patch\n  - update\n',
    )
  })

  test('GET /apis/GROUP/VERSION of custom resources', async () => {
    expect(await text(`/apis/${group}/v1`)).toBe(
      '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"disc-a.example.com/v1","resources":[{"name":"wids","singularName":"wid","namespaced":true,"kind":"Wid","verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"shortNames":["wi"],"categories":["all"],"storageVersionHash":"kpw48WCAl+M="},{"name":"wids/status","singularName":"","namespaced":true,"kind":"Wid","verbs":["get","patch","update"]},{"name":"wids/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}]}\n',
    )
    expect(await text(`/apis/${group}/v10`)).toContain('"storageVersionHash":"kpw48WCAl+M="')
  })

  test.each([
    ['/api/v1', 'events', 'r2yiGXH7wu8='],
    ['/apis/events.k8s.io/v1', 'events', 'r2yiGXH7wu8='],
    ['/apis/autoscaling/v1', 'horizontalpodautoscalers', 'qwQve8ut294='],
    ['/apis/admissionregistration.k8s.io/v1', 'mutatingadmissionpolicies', 'LYmCf+UMVdg='],
    ['/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions', 'jfWCUB31mvA='],
    ['/apis/resource.k8s.io/v1beta1', 'deviceclasses', 'Yk2PTc1Ybxk='],
    ['/apis/resource.k8s.io/v1beta2', 'devicetaintrules', 'DJ3UJ0fj8MI='],
    ['/apis/authentication.k8s.io/v1', 'tokenreviews', undefined],
  ])('%s %s has the storageVersionHash of its storage version', async (path, name, hash) => {
    const found = await (await ask(path, {}, everything))?.text()
    const list = JSON.parse(found ?? '') as { resources: { name: string; storageVersionHash?: string }[] }
    expect(list.resources.find((resource) => resource.name === name)?.storageVersionHash).toBe(hash)
  })
})

describe('aggregated discovery', () => {
  const accept = { headers: { accept: aggregatedType } }
  const builtin = new Discovery(served)

  test.each([
    [
      '/api',
      '"4D7E1BED90B364BC86049DD9E636494980AEF65B7F8CFAA267616FA062B514A8A3CC2C2851CC9337B8D28B4C80960E2353DE5E0B152E87CC223E02EA3C5C37AC"',
    ],
    [
      '/apis',
      '"A74552DF419C4697E3A22F67B8FE55FD8F2CC33F6134FF206B16341598294CDE9896C7F67B2819217E6BB70E74F97FCC864DDFCDB02FDA565699CC7D6E3CC377"',
    ],
  ])('of built-in kinds at %s is byte for byte that of kube-apiserver', async (path, etag) => {
    const response = await ask(path, accept, builtin)
    expect(Object.fromEntries(response?.headers ?? [])).toMatchObject({
      etag,
      vary: 'Accept',
      'cache-control': 'public',
      'content-type': aggregatedType,
    })
  })

  test('If-None-Match with the current ETag: 304 without a body', async () => {
    const etag = (await ask('/apis', accept))?.headers.get('etag') ?? ''
    const again = await ask('/apis', { headers: { accept: aggregatedType, 'if-none-match': etag } })
    expect([again?.status, again?.headers.get('etag'), await again?.text()]).toEqual([304, etag, ''])
    expect((await ask('/apis', { headers: { accept: aggregatedType, 'if-none-match': `W/${etag}` } }))?.status).toBe(200)
  })

  test('custom resources have a responseKind with group and version', async () => {
    const list = JSON.parse((await text('/apis', accept)) ?? '') as { items: unknown[] }
    const resource = {
      resource: 'wids',
      scope: 'Namespaced',
      singularResource: 'wid',
      verbs: customVerbs,
      shortNames: ['wi'],
      categories: ['all'],
    }
    const kindIn = (version: string): object => ({ group, version, kind: 'Wid' })
    expect(list.items.at(-1)).toEqual({
      metadata: { name: group },
      versions: [
        { version: 'v10', resources: [{ ...resource, responseKind: kindIn('v10') }], freshness: 'Current' },
        {
          version: 'v1',
          resources: [
            {
              ...resource,
              responseKind: kindIn('v1'),
              subresources: [
                { subresource: 'status', responseKind: kindIn('v1'), verbs: ['get', 'patch', 'update'] },
                {
                  subresource: 'scale',
                  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                  verbs: ['get', 'patch', 'update'],
                },
              ],
            },
          ],
          freshness: 'Current',
        },
        { version: 'v1beta1', resources: [{ ...resource, responseKind: kindIn('v1beta1') }], freshness: 'Current' },
      ],
    })
  })

  test.each(['/apis/', '/apis/apps', '/apis/apps/v1', '/api/v1'])('406 NotAcceptable at %s', async (path) => {
    await expect(ask(path, accept)).rejects.toMatchObject({ code: 406 })
  })

  test('v2beta1 is not served; an application/json after it in the Accept header is', async () => {
    const beta = aggregatedType.replace('v2', 'v2beta1')
    await expect(ask('/apis', { headers: { accept: beta } })).rejects.toMatchObject({ code: 406 })
    expect((await ask('/apis', { headers: { accept: `${beta},application/json` } }))?.headers.get('content-type')).toBe(
      'application/json',
    )
  })
})

describe('methods and headers', () => {
  test.each([
    ['POST', '/api'],
    ['HEAD', '/api/v1'],
    ['DELETE', '/apis/apps/v1'],
    ['POST', '/apis/apps//'],
    ['POST', '/apis/apiregistration.k8s.io'],
  ])('405 MethodNotAllowed: %s %s', async (method, path) => {
    await expect(ask(path, { method })).rejects.toMatchObject({ code: 405, reason: 'MethodNotAllowed' })
  })

  test.each([
    ['DELETE', '/apis'],
    ['POST', '/apis/apps'],
    ['HEAD', '/apis/apps/'],
    ['DELETE', `/apis/${group}/v1/`],
  ])('%s %s has the same response as GET', async (method, path) => {
    expect((await ask(path, { method }))?.status).toBe(200)
  })

  test('415 UnsupportedMediaType only on the paths that allow only GET', async () => {
    const headers = { 'content-type': 'text/plain' }
    await expect(ask('/api/v1', { headers })).rejects.toMatchObject({ code: 415 })
    expect((await ask('/apis/apps', { headers }))?.status).toBe(200)
    expect((await ask(`/apis/${group}/v1`, { headers }))?.status).toBe(200)
  })
})

describe('paths that are not discovery', () => {
  test.each(['/api/v2', '/apis//', '//api', '/apis/apps/v9', '/apis/nope.example.com', '/api/v1/pods', '/apix', '/'])(
    'not served by discovery: %s',
    async (path) => {
      expect(await ask(path)).toBeUndefined()
    },
  )

  test.each(['/api/v2', '/api/v1/nope/x', '/apis/apps/v9', '/version/x'])('404 NotFound Status: %s', (path) => {
    expect(() => routeNotFound(path, discovery)).toThrow(
      expect.objectContaining({ code: 404, message: 'the server could not find the requested resource', details: {} }),
    )
  })

  test.each(['/nope', '/apis//', '//api', '/apis/nope.example.com/v1/things', `/apis/${group}/v9`])(
    '404 page not found: %s',
    async (path) => {
      const response = routeNotFound(path, discovery)
      expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
        404,
        'text/plain; charset=utf-8',
        '404 page not found\n',
      ])
    },
  )

  test('GET / lists all paths, sorted', async () => {
    const small = new Discovery(served.filter((each) => each.group === 'apps'))
    const response = serveRootPaths('/', small, ['/version', '/livez', '/apis'])
    expect(await response?.text()).toBe(
      '{\n  "paths": [\n    "/api",\n    "/api/v1",\n    "/apis",\n    "/apis/",\n    "/apis/apps",\n    "/apis/apps/v1",\n    "/livez",\n    "/version"\n  ]\n}',
    )
    expect(serveRootPaths('/index.html/', small, [])).toBeUndefined()
  })
})
