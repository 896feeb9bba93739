/** Clusters that emulate older releases: what they serve, and what happens when they move to another release. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { guide } from '../migration-guide.ts'
import { type ClusterServer, startClusterServer } from './cluster-server.ts'

let server: ClusterServer
const tokens = new Map<number, string>()

/** The releases before and after each change that the guide describes, and those of the stories. */
const minors = [...new Set([15, 21, ...guide.flatMap(({ removed }) => [removed - 1, removed])])].sort((a, b) => a - b)

beforeAll(async () => {
  server = await startClusterServer()
  const made = minors.map(async (minor) => tokens.set(minor, await server.make(`r${minor}`, { emulatedRelease: `1.${minor}` })))
  await Promise.all(made)
}, 60_000)

afterAll(() => server?.stop())

const pathOf = (version: string): string => (version.includes('/') ? `/apis/${version}` : `/api/${version}`)

/** Sends a request to the cluster of a release. */
const ask = (minor: number, path: string, options = {}): Promise<Reply> =>
  server.inside(`r${minor}`, path, { token: tokens.get(minor) ?? '', ...options })

interface ResourceList {
  readonly resources: readonly { readonly name: string }[]
}

/** Whether discovery lists a resource in a release. */
async function isListed(minor: number, version: string, resource: string): Promise<boolean> {
  const reply = await ask(minor, pathOf(version))
  return reply.status === 200 && reply.json<ResourceList>().resources.some(({ name }) => name === resource)
}

/** Requests a collection; sends an empty object if the resource can only be created. */
function request(minor: number, version: string, resource: string): Promise<Reply> {
  if (!resource.endsWith('reviews')) return ask(minor, `${pathOf(version)}/${resource}`)
  const place = resource.startsWith('local') ? 'namespaces/default/' : ''
  return ask(minor, `${pathOf(version)}/${place}${resource}`, { method: 'POST', body: {} })
}

describe('the migration guide', () => {
  test.each(guide)('1.$removed does not serve: $name', async ({ removed, versions, resources, instead }) => {
    for (const resource of resources) {
      for (const version of versions) {
        const [before, after] = [await request(removed - 1, version, resource), await request(removed, version, resource)]
        expect([before.status === 404, after.status], `${version} ${resource}`).toEqual([false, 404])
        const warnings = String(before.headers.warning)
        expect(warnings).toMatch(`299 - "${version} `)
        expect(warnings).toMatch(`, unavailable in v1.${removed}+`)
        expect(await isListed(removed - 1, version, resource)).toBe(true)
        expect(await isListed(removed, version, resource)).toBe(false)
      }
      if (instead !== undefined) expect(await isListed(removed, instead[0], resource), instead[0]).toBe(true)
    }
  })
})

interface Version {
  readonly emulationMinor: string
  readonly minCompatibilityMinor: string
  readonly gitVersion: string
}

test('/version, OpenAPI and metrics name the emulated release', async () => {
  const version = (await ask(21, '/version')).json<Version>()
  expect(version).toMatchObject({ emulationMinor: '21', minCompatibilityMinor: '20', gitVersion: 'v1.36.3' })
  const { info, paths } = (await ask(21, '/openapi/v2')).json<{ info: { version: string }; paths: object }>()
  expect(info.version).toBe('1.21')
  expect(paths).toHaveProperty(['/apis/batch/v1beta1/cronjobs'])
  expect(paths).not.toHaveProperty(['/apis/resource.k8s.io/v1/deviceclasses'])
  expect((await ask(21, '/metrics')).text).toContain(
    'version_info{binary="1.36.3",component="kube",emulation="1.21",min_compat="1.20"} 1',
  )
})

interface GroupList {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: { readonly version: string } }[]
}

test('groups come in the order of the release, with its preferred versions', async () => {
  const oldest = (await ask(15, '/apis')).json<GroupList>().groups
  expect(oldest.slice(0, 4).map(({ name }) => name)).toEqual(['apiregistration.k8s.io', 'extensions', 'apps', 'events.k8s.io'])
  const preferredIn = async (minor: number, group: string): Promise<string | undefined> => {
    const { groups } = (await ask(minor, '/apis')).json<GroupList>()
    return groups.find(({ name }) => name === group)?.preferredVersion.version
  }
  expect([await preferredIn(22, 'autoscaling'), await preferredIn(24, 'autoscaling')]).toEqual(['v1', 'v2'])
})

test('a version warns from the release on in which it was deprecated', async () => {
  const warned = async (minor: number): Promise<boolean> => {
    const reply = await ask(minor, '/apis/storage.k8s.io/v1beta1/storageclasses')
    expect(reply.status).toBe(200)
    return reply.headers.warning !== undefined
  }
  expect([await warned(15), await warned(21)]).toEqual([false, true])
})

test('APIServices are those of the release', async () => {
  const names = async (minor: number): Promise<string[]> => {
    const reply = await ask(minor, '/apis/apiregistration.k8s.io/v1/apiservices')
    return reply.json<{ items: { metadata: { name: string } }[] }>().items.map(({ metadata }) => metadata.name)
  }
  expect(await names(16)).toEqual(expect.arrayContaining(['v1beta1.extensions', 'v1beta1.batch']))
  expect(await names(32)).not.toEqual(expect.arrayContaining(['v1.resource.k8s.io']))
})

test('fields that came later are unknown', async () => {
  const pod = { metadata: { name: 'later' }, spec: { hostUsers: false, containers: [{ name: 'c', image: 'i' }] } }
  const path = '/api/v1/namespaces/default/pods'
  const strict = await ask(21, `${path}?fieldValidation=Strict`, { method: 'POST', body: pod })
  expect([strict.status, strict.text]).toEqual([400, expect.stringContaining('unknown field \\"spec.hostUsers\\"')])
  const warned = await ask(21, path, { method: 'POST', body: pod })
  expect([warned.status, warned.headers.warning]).toEqual([201, expect.stringContaining('unknown field')])
  expect(warned.text).not.toContain('hostUsers')
  expect((await ask(25, `${path}?fieldValidation=Strict`, { method: 'POST', body: pod })).json()).toMatchObject(pod)
  const described = async (minor: number): Promise<string> => (await ask(minor, '/openapi/v3/api/v1')).text
  expect([(await described(21)).includes('"hostUsers"'), (await described(25)).includes('"hostUsers"')]).toEqual([false, true])
})

test('subresources that came later do not exist', async () => {
  const names = async (minor: number): Promise<string[]> =>
    (await ask(minor, '/api/v1')).json<ResourceList>().resources.map(({ name }) => name)
  expect([(await names(31)).includes('pods/resize'), (await names(32)).includes('pods/resize')]).toEqual([false, true])
  expect((await ask(31, '/api/v1/namespaces/default/pods/a/resize', { method: 'PUT', body: {} })).status).toBe(404)
})

describe('a cluster that moves', () => {
  let token: string

  beforeAll(async () => {
    token = await server.make('moving', { emulatedRelease: '1.21' })
  })

  const inside = (path: string, options = {}): Promise<Reply> => server.inside('moving', path, { token, ...options })

  /** Changes the release, and waits until every request is in it. */
  async function moveTo(release: string): Promise<void> {
    expect((await server.patch('moving', { emulatedRelease: release })).status).toBe(200)
    const minor = release.split('.')[1]
    while ((await inside('/version')).json<Version>().emulationMinor !== minor) await new Promise((done) => setTimeout(done, 50))
  }

  test('keeps its objects, and serves them in the versions of the new release', async () => {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } }
    const old = '/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets'
    expect((await inside(old, { method: 'POST', body: { metadata: { name: 'web' }, spec } })).status).toBe(201)
    const security = { seLinux: { rule: 'RunAsAny' }, runAsUser: { rule: 'RunAsAny' } }
    const rest = { supplementalGroups: { rule: 'RunAsAny' }, fsGroup: { rule: 'RunAsAny' } }
    const policies = '/apis/policy/v1beta1/podsecuritypolicies'
    const policy = { metadata: { name: 'tight' }, spec: { ...security, ...rest } }
    expect((await inside(policies, { method: 'POST', body: policy })).status).toBe(201)

    await moveTo('1.25')
    expect((await inside(`${old}/web`)).status).toBe(404)
    expect((await inside(policies)).status).toBe(404)
    const now = await inside('/apis/policy/v1/namespaces/default/poddisruptionbudgets/web')
    expect(now.json()).toMatchObject({ apiVersion: 'policy/v1', spec })
    expect(now.headers.warning).toBeUndefined()
    expect((await inside('/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.policy')).status).toBe(404)

    await moveTo('1.21')
    expect((await inside(`${old}/web`)).json()).toMatchObject({ apiVersion: 'policy/v1beta1', spec })
    expect((await inside(`${policies}/tight`)).json()).toMatchObject(policy)
    expect((await inside('/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.policy')).status).toBe(200)
  })

  test('hides fields that came later, and keeps them', async () => {
    const pods = '/api/v1/namespaces/default/pods'
    const spec = { hostUsers: false, containers: [{ name: 'c', image: 'i', startupProbe: { grpc: { port: 1 } } }] }
    await moveTo('1.25')
    expect((await inside(pods, { method: 'POST', body: { metadata: { name: 'later' }, spec } })).status).toBe(201)

    await moveTo('1.21')
    const shown = await inside(`${pods}/later`)
    expect(shown.json()).toMatchObject({ spec: { containers: [{ startupProbe: { periodSeconds: 10 } }] } })
    const all = [shown, await inside(pods), await inside(`${pods}?watch=true&timeoutSeconds=1`)]
    const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
    all.push(await inside(`${pods}?includeObject=Object`, { headers: asTable }))
    for (const { text } of all) {
      expect(text).toContain('"name":"later"')
      expect(text).not.toMatch(/"(?:hostUsers|grpc)"/)
    }
    const labels = { metadata: { labels: { moved: 'yes' } } }
    const mergePatch = { 'content-type': 'application/merge-patch+json' }
    expect((await inside(`${pods}/later`, { method: 'PATCH', body: labels, headers: mergePatch })).status).toBe(200)
    const read = (await inside(`${pods}/later`)).json<object>()
    expect((await inside(`${pods}/later`, { method: 'PUT', body: read })).status).toBe(200)

    await moveTo('1.25')
    expect((await inside(`${pods}/later`)).json()).toMatchObject({ ...labels, spec })
  })

  test('cannot move to a release that is not emulated', async () => {
    const reply = await server.patch('moving', { emulatedRelease: '1.14' })
    expect([reply.status, reply.text]).toEqual([422, expect.stringContaining('spec.emulatedRelease')])
  })
})
