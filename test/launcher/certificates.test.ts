import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { describe, expect, test, vi } from 'vitest'
import { baseNames } from '../../src/launcher/addresses.ts'
import { issueAuthority, issueServer } from '../../src/launcher/issue-certificates.ts'
import { eventually } from '../eventually.ts'
import {
  answered,
  descendants,
  edgeplane,
  openWatch,
  ready,
  running,
  type Server,
  send,
  startStandIn,
  supervisors,
  temporaryDirectory,
  workerdPid,
} from './harness.ts'

const day = 24 * 60 * 60 * 1000

async function served(port: number): Promise<X509Certificate> {
  return await new Promise((done, failed) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.end()
      if (certificate === undefined) failed(new Error('no certificate'))
      else done(certificate)
    })
    socket.on('error', failed)
  })
}

/** Writes a certificate into the data directory that was issued `days` ago for one year. */
async function age(dataDirectory: string, days: number): Promise<X509Certificate> {
  const ca = readFileSync(join(dataDirectory, 'tls/ca.pem'), 'utf8')
  const [key = '', certificate = ''] = ca.split(/(?=-----BEGIN CERTIFICATE)/)
  const old = await issueServer({ certificate, key }, baseNames, 365, Date.now() - days * day)
  writeFileSync(join(dataDirectory, 'tls/server.pem'), old.key + old.certificate)
  return new X509Certificate(old.certificate)
}

async function stop(server: Server): Promise<void> {
  server.child.kill('SIGTERM')
  expect(await server.exit).toBe(0)
}

test('the server certificate has the names of the cluster and is valid for one year, its CA for ten years', async () => {
  const server = await startStandIn()
  const certificate = await served(server.port)
  for (const name of ['localhost', 'kubernetes', 'kubernetes.default.svc.cluster.local'])
    expect(certificate.checkHost(name)).toBe(name)
  for (const address of ['127.0.0.1', '10.0.0.1', '::1']) expect(certificate.checkIP(address)).toBe(address)
  expect((Date.parse(certificate.validTo) - Date.now()) / day).toBeCloseTo(365, 0)
  expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
  const authority = new X509Certificate(readFileSync(join(server.dataDirectory, 'tls/ca.crt')))
  expect(certificate.verify(authority.publicKey)).toBe(true)
  expect(authority.ca).toBe(true)
  expect((Date.parse(authority.validTo) - Date.now()) / day).toBeCloseTo(3650, 0)
})

test('the server certificate is renewed at start if less than a third of its lifetime is left', async () => {
  const { dataDirectory, ...first } = await startStandIn()
  await stop({ dataDirectory, ...first })
  const good = await age(dataDirectory, 200)
  const second = await startStandIn({ dataDirectory })
  expect((await served(second.port)).fingerprint256).toBe(good.fingerprint256)
  await stop(second)
  const due = await age(dataDirectory, 300)
  const third = await startStandIn({ dataDirectory })
  expect((await served(third.port)).fingerprint256).not.toBe(due.fingerprint256)
  expect(await third.fetch('/')).toContain('"bound":true')
})

test('the server certificate is renewed at start if it does not cover the host', async () => {
  const first = await startStandIn()
  await stop(first)
  const second = await startStandIn({ dataDirectory: first.dataDirectory }, '--host', '127.0.0.2')
  expect(await second.fetch('/', { host: '127.0.0.2' })).toContain(`127.0.0.2:${second.port}`)
})

describe.each(supervisors)('with the supervisor %s', (_name, node) => {
  test('a running server serves a renewed certificate, with a watch open, and keeps its data', async () => {
    const server = await startStandIn({ node })
    await server.fetch('/rows', {}, 'first')
    const [before, workerd] = [await served(server.port), workerdPid(server)]
    const { closed } = await openWatch(server)
    const due = await age(server.dataDirectory, 300)
    server.child.kill('SIGUSR1')
    await closed
    await eventually(() => !running(workerd) && workerdPid(server) !== workerd)
    const answer = await answered(server, '/rows')
    expect(JSON.parse(answer)).toEqual(['first'])
    expect([before.fingerprint256, due.fingerprint256]).not.toContain((await served(server.port)).fingerprint256)
    await stop(server)
  })
})

test('with --client-ca-file the TLS proxy serves a renewed certificate too, and stops with the server', async () => {
  const clients = join(temporaryDirectory(), 'clients.crt')
  writeFileSync(clients, (await issueAuthority()).certificate)
  const server = await startStandIn({}, '--client-ca-file', clients)
  const before = await served(server.port)
  const due = await age(server.dataDirectory, 300)
  server.child.kill('SIGUSR1')
  const renewed = await vi.waitFor(async () => {
    const { fingerprint256 } = await served(server.port)
    if (fingerprint256 === before.fingerprint256) throw new Error('the former certificate is still served')
    return fingerprint256
  }, 20_000)
  expect(renewed).not.toBe(due.fingerprint256)
  expect(await answered(server, '/')).toContain('"bound":true')
  const family = descendants(server.pid)
  await stop(server)
  expect(family.filter(running)).toEqual([])
  expect(readdirSync(join(server.dataDirectory, 'run')).sort()).toEqual(['serving.crt', 'writable'])
})

test('a certificate with enough lifetime left is not renewed', async () => {
  const server = await startStandIn()
  const args = ['--port', String(server.port), '--data-dir', server.dataDirectory]
  const renew = await edgeplane(['renew', '--proxy', 'tcp', ...args])
  expect(await renew.exit).toBe(3)
})

test('a self-signed certificate of --tls-cert is served, and the kubeconfig trusts it', async () => {
  const directory = temporaryDirectory()
  const authority = await issueAuthority()
  const own = await issueServer(authority, ['localhost', '127.0.0.1'])
  const [certificate, key] = [join(directory, 'chain.pem'), join(directory, 'key.pem')]
  writeFileSync(certificate, own.certificate + authority.certificate)
  writeFileSync(key, own.key)
  const run = await edgeplane([
    'start',
    '--port',
    '0',
    '--data-dir',
    join(directory, 'data'),
    '--tls-cert',
    certificate,
    '--tls-key',
    key,
  ])
  await ready(run)
  const text = readFileSync(join(directory, 'data/kubeconfig'), 'utf8')
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(text)?.[1] ?? '', 'base64')
  const port = Number(/:(\d+)"/.exec(text)?.[1])
  expect(await send({ ca, port, path: '/' })).toContain('"bound":true')
  run.child.kill('SIGTERM')
  await run.exit
})
