/** Restores of named clusters: large ones, interrupted ones, those that their owners have altered; and of the deployment itself. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Reply } from '../client.ts'
import { type ClusterServer, clustersPath, startClusterServer } from '../http/cluster-server.ts'
import { configMaps } from '../paths.ts'

const program = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')
const folder = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
const secrets = '/api/v1/namespaces/default/secrets'
let server: ClusterServer
/** A name of each test. */
let name: string
let number = 0

beforeAll(async () => {
  server = await startClusterServer()
}, 180_000)
beforeEach(() => {
  name = `restored-${number++}`
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const run = (kubeconfig: string, ...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [program, ...args, '--kubeconfig', kubeconfig], { stdio: ['ignore', 'pipe', 'pipe'] })

async function edgeplane(kubeconfig: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = run(kubeconfig, ...args)
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('no output')
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { code: code as number, output: out + err }
}

/** Writes the kubeconfig of a cluster to a file. */
async function kubeconfigOf(cluster: string): Promise<string> {
  const file = join(folder, `${cluster}.kubeconfig`)
  writeFileSync(file, await server.kubeconfigOf(cluster))
  return file
}

const post = (cluster: string, token: string, path: string, body: object | string): Promise<Reply> =>
  server.inside(cluster, path, { method: 'POST', body, token })
const names = async (cluster: string, token: string, path: string): Promise<readonly string[]> => {
  const { items } = (await server.inside(cluster, path, { token })).json<{ items: { metadata: { name: string } }[] }>()
  return items.map(({ metadata }) => metadata.name)
}
const lines = (cluster: string, object: string, id: string): string =>
  `/edgeplane/v1/lines?object=${encodeURIComponent(`${cluster}${object}`)}&id=${id}`
const finish = (cluster: string): string => `/edgeplane/v1/finish?object=${cluster}%2Fcontrol`

/** Returns the line of a ConfigMap. */
function line(object: string, version: number, size = 10): string {
  const metadata = { name: object, namespace: 'default', uid: `uid-${object}`, resourceVersion: String(version) }
  const value = JSON.stringify({ metadata, data: { x: 'x'.repeat(size) } })
  return `${JSON.stringify({ object: `configmaps/default/${object}`, version, labels: '', value })}\n`
}

/** Writes an archive of a cluster with one object: its own, and many ConfigMaps of 64 KB. */
async function largeArchive(kubeconfig: string, megabytes: number): Promise<string> {
  const small = join(folder, `${name}.small`)
  expect(await edgeplane(kubeconfig, 'export', '--archive', small)).toMatchObject({ code: 0 })
  const all = readFileSync(small, 'utf8').split('\n').slice(0, -1)
  const first = all.findIndex((one) => one.startsWith('{"section"'))
  const last = all.findIndex((one) => one.startsWith('{"end"'))
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha256')
  const file = join(folder, `${name}.large`)
  const out = createWriteStream(file)
  const write = async (one: string, isHashed: boolean): Promise<void> => {
    if (isHashed) hash.update(one)
    if (!out.write(one)) await once(out, 'drain')
  }
  for (const one of all.slice(0, first)) await write(`${one}\n`, false)
  for (const one of all.slice(first, last)) await write(`${one}\n`, true)
  const more = megabytes * 16
  for (let i = 0; i < more; i++) await write(line(`large-${i}`, 1_000_000_000_000 + i, 65_000), true)
  const end = JSON.parse(all[last] ?? '') as { end: string; objects: number }
  await write(`${JSON.stringify({ ...end, objects: end.objects + more, sha256: hash.digest('hex') })}\n`, false)
  for (const one of all.slice(last + 1)) await write(`${one}\n`, false)
  out.end()
  await once(out, 'close')
  return file
}

test('import --replace of 100 MB into a named cluster: cut in the middle nothing is lost, repeated it is complete [C17]', async () => {
  const token = await server.make(name)
  const kubeconfig = await kubeconfigOf(name)
  const archive = await largeArchive(kubeconfig, 100)
  await post(name, token, configMaps, { metadata: { name: 'precious' } })
  const cut = run(kubeconfig, 'import', archive, '--replace')
  // While lines arrive the cluster works as before.
  await vi.waitFor(async () => {
    const state = await post(name, token, `/edgeplane/v1/state?object=${name}%2Fcontrol`, {})
    expect(state.json<{ staged?: number }>().staged).toBeGreaterThan(100)
  }, 60_000)
  cut.kill('SIGKILL')
  await once(cut, 'close')
  expect(await names(name, token, configMaps)).toContain('precious')
  expect((await post(name, token, configMaps, { metadata: { name: 'after' } })).status).toBe(201)

  expect(await edgeplane(kubeconfig, 'import', archive, '--replace')).toMatchObject({ code: 0 })
  const restored = await server.inside(name, `${configMaps}?limit=1`, { token })
  expect(restored.json<{ metadata: { remainingItemCount: number } }>().metadata.remainingItemCount).toBeGreaterThan(1599)
  for (const gone of ['precious', 'after']) {
    expect((await server.inside(name, `${configMaps}/${gone}`, { token })).status).toBe(404)
  }
  expect((await post(name, token, configMaps, { metadata: { name: 'later' } })).status).toBe(201)
  await server.remove(name)
}, 180_000)

test('a cluster with a restore that is never finished serves its contents, and can be deleted and made again', async () => {
  const token = await server.make(name)
  const sent = await post(name, token, lines(name, '/control', 'never'), line('waits', 1_000_000_000_000))
  expect({ status: sent.status, text: sent.text }).toEqual({ status: 200, text: '{"leftOut":0}' })
  expect(await names(name, token, configMaps)).not.toContain('waits')
  await server.remove(name)
  await vi.waitFor(async () => expect((await server.inside(name, configMaps, { token })).status).not.toBe(200), 20_000)
  const later = await server.make(name)
  const finished = await post(name, later, finish(name), {
    id: 'never',
    objects: [{ name: `${name}/control`, objects: 1, atLeast: 0 }],
  })
  expect(finished.status, finished.text).toBe(409)
  await server.remove(name)
})

test('the limits of a cluster hold for a restore, before anything is lost [C18]', async () => {
  const token = await server.make(name, { limits: { objects: 230, bytes: 3_000_000 } })
  await post(name, token, configMaps, { metadata: { name: 'precious' } })
  const many = Array.from({ length: 231 }, (_, i) => line(`many-${i}`, 1_000_000_000_000 + i)).join('')
  const large = Array.from({ length: 5 }, (_, i) => line(`large-${i}`, 1_000_000_000_000 + i, 700_000)).join('')
  for (const [id, body] of Object.entries({ many, large })) {
    const { status, text: answer } = await post(name, token, lines(name, '/control', id), body)
    expect({ status, answer }).toMatchObject({ status: 403, answer: expect.stringContaining('exceeded quota: cluster') })
  }
  const terms = await post(name, token, lines(name, '/control', 'terms'), '{"key":"cluster/terms","value":{}}\n')
  expect(terms.text).toBe('{"leftOut":0}')
  expect(await names(name, token, configMaps)).toContain('precious')
  await server.remove(name)
})

test('only the deployment is taken back to a time: the storage of a named cluster may have been that of another one', async () => {
  const token = await server.make(name)
  for (const [step, body] of [
    ['recover', { at: 0 }],
    ['raise', { atLeast: 1 }],
    ['hold', []],
  ] as const) {
    const { status } = await post(name, token, `/edgeplane/v1/${step}?object=${name}%2Fcontrol`, body)
    expect({ step, status }).toEqual({ step, status: 403 })
  }
  await server.remove(name)
})

test('a restore of the deployment keeps its clusters, with new kubeconfigs; no archive has a token of one [C19]', async () => {
  const token = await server.make(name)
  await post(name, token, configMaps, { metadata: { name: 'of-the-tenant' } })
  const file = join(folder, 'deployment.ndjson')
  expect(await edgeplane(server.kubeconfig, 'backup', file)).toMatchObject({ code: 0 })
  const archive = readFileSync(file, 'utf8')
  expect(archive).not.toContain(token)
  expect(archive).not.toContain(Buffer.from(token).toString('base64'))
  await server.send(`/api/v1/namespaces/edgeplane-clusters/secrets/${name}-kubeconfig`, { method: 'DELETE' })
  expect(await edgeplane(server.kubeconfig, 'restore', file, '--replace')).toMatchObject({ code: 0 })
  expect((await server.status(name)).phase).toBe('Ready')
  await vi.waitFor(async () => {
    const secret = await server.send(`/api/v1/namespaces/edgeplane-clusters/secrets/${name}-kubeconfig`)
    expect(Buffer.from(secret.json<{ data: { token: string } }>().data.token, 'base64').toString()).toBe(token)
  }, 20_000)
  expect(await names(name, token, configMaps)).toContain('of-the-tenant')
  await server.remove(name)
  await vi.waitFor(async () => expect((await server.inside(name, configMaps, { token })).status).not.toBe(200), 20_000)
}, 60_000)

test('Cluster objects of another deployment, or altered ones, are left out unless the operator says that they are its own', async () => {
  const victim = await server.make(name)
  await post(name, victim, configMaps, { metadata: { name: 'precious' } })
  const file = join(folder, 'forged.ndjson')
  expect(await edgeplane(server.kubeconfig, 'backup', file)).toMatchObject({ code: 0 })
  const { uid } = (await server.send(`${clustersPath}/${name}`)).json<{ metadata: { uid: string } }>().metadata
  const forged = readFileSync(file, 'utf8')
    .split('\n')
    .filter((one) => one.startsWith('{"object":"clusters.edgeplane.dev/'))
    .map((one) => `${one.replaceAll(uid, uid.split('').reverse().join(''))}\n`)
    .join('')
  const path = (id: string, clusters: string): string =>
    `/edgeplane/v1/lines?object=default%2Fedgeplane.dev%2Fclusters&id=${id}&clusters=${clusters}`
  const send = async (id: string, clusters: string): Promise<unknown> =>
    (await server.send(path(id, clusters), { method: 'POST', body: forged })).json()
  const count = forged.split('\n').length - 1
  expect(await send('forged', 'signed')).toEqual({ leftOut: count })
  expect(await send('own', 'unsigned')).toEqual({ leftOut: 0 })
  expect(await names(name, victim, configMaps)).toContain('precious')
  await server.remove(name)
})

test('every line that an archive may hold, altered, reaches nothing of another cluster', async () => {
  const [red, blue] = [`${name}-red`, `${name}-blue`]
  const victims = [
    [red, await server.make(red)],
    [blue, await server.make(blue, { placement: 'collections' })],
  ] as const
  const uids: string[] = []
  for (const [victim, token] of victims) {
    await post(victim, token, secrets, { metadata: { name: 'db' }, stringData: { password: `needle-of-${victim}` } })
    await post(victim, token, configMaps, { metadata: { name: 'precious' } })
    uids.push((await server.send(`${clustersPath}/${victim}`)).json<{ metadata: { uid: string } }>().metadata.uid)
  }
  for (const placement of ['one-object', 'collections']) {
    const mallory = `${name}-mallory-${placement === 'collections' ? 'c' : 'o'}`
    const token = await server.make(mallory, { placement })
    for (const resource of ['secrets', 'configmaps'])
      await post(mallory, token, `/api/v1/namespaces/default/${resource}`, { metadata: { name: 'own' } })
    const { names: objects } = (await server.inside(mallory, '/edgeplane/v1/objects', { token })).json<{ names: string[] }>()
    const used = objects.filter((object) => /control$|\/\/secrets$|\/\/configmaps$/.test(object))
    const attacks = victims.flatMap(([victim], i) => hostileLines(victim, uids[i] ?? ''))
    for (const [i, hostile] of attacks.entries()) {
      const counts = new Map<string, number>()
      for (const object of used) {
        const sent = await post(
          mallory,
          token,
          `/edgeplane/v1/lines?object=${encodeURIComponent(object)}&id=attack-${i}`,
          `${JSON.stringify(hostile)}\n`,
        )
        expect({ hostile, status: sent.status }).toMatchObject({
          status: expect.toSatisfy((code: number) => [200, 400].includes(code)),
        })
        const isTaken = 'object' in hostile && sent.status === 200 && sent.json<{ leftOut: number }>().leftOut === 0
        counts.set(object, isTaken ? 1 : 0)
      }
      // Ending each one would empty the cluster as often: the last ones of each kind do.
      if (i % 5 !== 4) continue
      const wanted = {
        id: `attack-${i}`,
        objects: used.map((object) => ({ name: object, objects: counts.get(object), atLeast: 0 })),
      }
      await vi.waitFor(async () => {
        const ended = await post(mallory, token, finish(mallory), wanted)
        expect({ hostile, status: ended.status, text: ended.text }).toEqual({ hostile, status: 200, text: '{}' })
      }, 10_000)
    }
    const dump = [
      await server.inside(mallory, '/api/v1/secrets', { token }),
      await server.inside(mallory, `${secrets}/db`, { token }),
      await server.inside(mallory, '/edgeplane/v1/backup', { token }),
    ]
    for (const { text: answer } of dump)
      for (const [victim] of victims) {
        expect(answer).not.toContain(Buffer.from(`needle-of-${victim}`).toString('base64'))
      }
    // Its controllers have worked off whatever was there.
    await post(mallory, token, configMaps, { metadata: { name: 'wake' } })
    for (const [victim, own] of victims) {
      expect(await names(victim, own, configMaps)).toContain('precious')
      expect(await names(victim, own, secrets)).toContain('db')
      expect((await server.status(victim)).phase).toBe('Ready')
    }
    await server.remove(mallory)
  }
  for (const [victim] of victims) await server.remove(victim)
}, 120_000)

/** Returns lines of every kind that archives have had, altered so that they would lead to a victim. */
function hostileLines(victim: string, uid: string): readonly Record<string, unknown>[] {
  const version = 1_000_000_000_000
  const object = (key: string, value: Record<string, unknown>): Record<string, unknown> => ({
    object: key,
    version,
    labels: '',
    value: JSON.stringify(value),
  })
  const metadata = (more: object): Record<string, unknown> => ({ metadata: { resourceVersion: String(version), uid, ...more } })
  const fork = {
    parent: victim,
    uid,
    time: Date.now() - 500,
    placement: 'one-object',
    collections: [{ group: '', version: 'v1', resource: 'secrets' }],
  }
  const open = { state: 'open', past: { version: 9e15, dependentPlaces: [] } }
  const entries: Record<string, unknown> = {
    fork,
    'fork-copy/secrets': open,
    cluster: uid,
    'cluster/terms': {},
    'cluster/deletion': true,
    [`hold/${uid}`]: { cluster: victim, time: 0, since: 0, remaining: ['secrets'] },
    placement: 'collections',
    jurisdiction: 'eu',
    [`outbox/cluster/${victim}`]: true,
    [`outbox-of-writes/cluster/${victim}`]: true,
    'outbox/fork-progress/': true,
    [`outbox/namespace-created/${victim}`]: true,
    'registered/default': true,
    'collection//secrets': { group: '', version: 'v1', resource: `../../${victim}//secrets` },
    'holding/default//secrets': { group: '', version: 'v1', resource: 'secrets', at: 0 },
    definition: { tag: 'x', text: '{}' },
    'storage-versions/secrets': [{ version: `${victim}/control`, through: 1 }],
    'storage-versions': 'v1',
    'token-keys': [{ keyId: 'mine', privateKey: {}, publicKey: {} }],
    'restore/state': { phase: 'empty', id: 'x', floor: 0 },
    'cluster-restore': { id: 'x', others: [{ name: `${victim}/control`, objects: 0, atLeast: 0 }], own: {} },
    bootstrapped: 'x',
    'policy-part/rbac': '{}',
    'quota/mode': 'x',
  }
  return [
    ...Object.entries(entries).map(([key, value]) => ({ key, value })),
    { key: 'token-keys', value: [], signature: `${Date.now()}.${'A'.repeat(43)}` },
    { table: 'deletions', row: [uid, `collection ${victim}//configmaps`, 'secrets/default/db', 'gone', 0, 0] },
    { table: 'dependent_places', row: ['secrets', `collection ${victim}//configmaps`] },
    object(`clusters.edgeplane.dev/${victim}`, metadata({ name: victim })),
    object('secrets/edgeplane-clusters/x', metadata({ name: 'x', namespace: 'edgeplane-clusters' })),
    object('namespaces/edgeplane-clusters', metadata({ name: 'edgeplane-clusters' })),
    object(`../${victim}//secrets/default/db`, metadata({ name: 'db', namespace: 'default' })),
    object('secrets/default/db', metadata({ name: 'other', namespace: 'default' })),
    object('secrets/default/db/x', metadata({ name: 'x', namespace: 'default' })),
    object('secrets/default/db', { metadata: [] }),
    object('secrets/default/db', metadata({ name: 'db', namespace: 'default', ownerReferences: 7 })),
    object('secrets/default/db', metadata({ name: 'db', namespace: 'default', labels: { a: { b: 1 } } })),
    { object: 'secrets/default/db', version: 2 ** 53 - 1, labels: '', value: '{"metadata":{}}' },
    { object: 'secrets/default/db', version, labels: '', value: 'null' },
    object('configmaps/default/owned', {
      metadata: {
        name: 'owned',
        namespace: 'default',
        uid: 'mine',
        resourceVersion: String(version),
        ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'db', uid }],
      },
    }),
  ]
}
