/**
 * Webhooks of controller-runtime's builder decide about Pods, over HTTPS with a caBundle of their own. Skipped without Go, or if its
 * modules cannot be downloaded.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../lab/free-port.ts'
import type { Reply } from '../client.ts'
import { makeAuthority } from '../http/certificate-authority.ts'
import { startServer, type TestServer } from '../server.ts'

const module = join(import.meta.dirname, 'operator')
const minutes = 60_000

const succeeds = (args: readonly string[], timeout: number): Promise<boolean> =>
  new Promise((done) => execFile('go', [...args], { cwd: module, timeout }, (error) => done(error === null)))

const canBuild = (await succeeds(['version'], minutes)) && (await succeeds(['mod', 'download'], 3 * minutes))
if (!canBuild) console.info('the webhooks of controller-runtime are skipped: there is no Go, or its modules cannot be had')

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => {
      socket.destroy()
      done(true)
    })
    socket.on('error', () => done(false))
  })

const configurations = '/apis/admissionregistration.k8s.io/v1'
const pods = '/api/v1/namespaces/default/pods'

describe.skipIf(!canBuild)('webhooks of controller-runtime', () => {
  const directory = mkdtempSync(join(tmpdir(), 'edgeplane-webhooks-'))
  let server: TestServer
  let program: ChildProcess

  beforeAll(async () => {
    const binary = join(directory, 'operator')
    expect(await succeeds(['build', '-buildvcs=false', '-o', binary, '.'], 5 * minutes)).toBe(true)
    const authority = await makeAuthority('webhooks')
    const { certificate, key } = await authority.issue([['CN', 'hook']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
    writeFileSync(join(directory, 'tls.crt'), certificate)
    writeFileSync(join(directory, 'tls.key'), key)
    server = await startServer()
    const port = await freePort()
    program = spawn(binary, ['webhooks', server.kubeconfig, String(port), directory], { cwd: module, stdio: 'ignore' })
    while (!(await isOpen(port))) await after(50)
    const webhook = (path: string) => ({
      name: `${path.slice(1, 7)}.example.com`,
      clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle: Buffer.from(authority.certificate).toString('base64') },
      rules: [{ operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    })
    for (const [kind, path] of [
      ['MutatingWebhookConfiguration', '/mutate--v1-pod'],
      ['ValidatingWebhookConfiguration', '/validate--v1-pod'],
    ] as const) {
      const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'hooks' }, webhooks: [webhook(path)] }
      const reply = await server.send(`${configurations}/${kind.toLowerCase()}s`, { method: 'POST', body })
      expect(reply.status).toBe(201)
    }
  }, 8 * minutes)

  afterAll(async () => {
    if (program !== undefined && program.exitCode === null) {
      program.kill('SIGTERM')
      await once(program, 'exit')
    }
    await server?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const create = (name: string, labels: Readonly<Record<string, string>>): Promise<Reply> => {
    const spec = { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false }
    return server.send(pods, { method: 'POST', body: { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec } })
  }

  const label = (name: string, labels: Readonly<Record<string, string>>): Promise<Reply> =>
    server.send(`${pods}/${name}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { labels } },
    })

  test('a defaulter changes the object, and warnings of a validator reach the client', async () => {
    const reply = await create('good', { team: 'a' })
    expect(reply.status).toBe(201)
    expect(reply.json<{ metadata: { labels: object } }>().metadata.labels).toEqual({ team: 'a', defaulted: 'yes' })
    expect(reply.headers.warning).toBe('299 - "welcome"')
  })

  test('a validator denies a create with a warning', async () => {
    const reply = await create('bad', {})
    expect(reply.status).toBe(403)
    expect(reply.json<{ message: string }>().message).toBe(
      'admission webhook "valida.example.com" denied the request: the Pod has no team',
    )
    expect(reply.headers.warning).toBe('299 - "a team is expected"')
  })

  test('a validator denies an update and a deletion', async () => {
    await create('kept', { team: 'a', keep: 'yes' })
    expect((await label('kept', { team: 'b' })).status).toBe(403)
    expect((await label('kept', { other: 'b' })).status).toBe(200)
    expect((await server.send(`${pods}/kept`, { method: 'DELETE' })).status).toBe(403)
    expect((await label('kept', { keep: '' })).status).toBe(200)
    expect((await server.send(`${pods}/kept?gracePeriodSeconds=0`, { method: 'DELETE' })).status).toBe(200)
  })
})
