/** The programs that `edgeplane envtest-assets` writes, run with the flags of envtest. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../../lab/free-port.ts'
import { eventually } from '../eventually.ts'
import { makeAuthority } from '../http/certificate-authority.ts'
import { configMaps } from '../paths.ts'
import { descendants, running, temporaryDirectory } from './harness.ts'

const edgeplane = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')
const assets = execFileSync(process.execPath, [edgeplane, 'envtest-assets'], { encoding: 'utf8' }).trim()
const started = new Set<ChildProcess>()

afterEach(async () => {
  for (const child of started) await stop(child)
  started.clear()
})

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code] = await ended
  return code
}

function start(name: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  const env = { ...process.env, ...environment }
  const child = spawn(join(assets, name), [...args], { stdio: ['ignore', 'inherit', 'inherit'], env })
  started.add(child)
  return child
}

const authority = await makeAuthority('envtest')
const serving = await authority.issue([['CN', 'apiserver']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
const signer = await authority.issue([['CN', 'signer']])
const admin = await authority.issue([
  ['O', 'system:masters'],
  ['CN', 'admin'],
])

async function startEtcd(dataDirectory: string): Promise<string> {
  const url = `http://127.0.0.1:${await freePort()}`
  start('etcd', [
    `--data-dir=${dataDirectory}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    '--unsafe-no-fsync=true',
  ])
  await answered(
    () =>
      new Promise((done) => get(`${url}/health`, (response) => done(response.resume().statusCode)).on('error', () => done(0))),
  )
  return url
}

async function answered(probe: () => Promise<number | undefined>): Promise<void> {
  while ((await probe()) !== 200) await new Promise((done) => setTimeout(done, 5))
}

interface ApiServer {
  readonly child: ChildProcess
  send(path: string, method?: string, body?: unknown): Promise<{ status: number | undefined; body: Record<string, unknown> }>
}

/** The processes of all programs that were started, without the programs themselves. */
const others = (): number[] => [...started].flatMap(({ pid = 0 }) => descendants(pid))

/** Starts kube-apiserver as envtest does, and waits until /healthz answers. */
const startApiServer = (etcd: string, ...more: string[]): Promise<ApiServer> => startApiServerIn({}, etcd, ...more)

async function startApiServerIn(environment: NodeJS.ProcessEnv, etcd: string, ...more: string[]): Promise<ApiServer> {
  const directory = temporaryDirectory()
  const file = (name: string): string => join(directory, name)
  const files = {
    'apiserver.crt': serving.certificate,
    'apiserver.key': serving.key,
    'sa-signer.crt': signer.certificate,
    'sa-signer.key': signer.key,
    'client-cert-auth-ca.crt': authority.certificate,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text)
  const port = await freePort()
  const args = ['--allow-privileged=true', '--authorization-mode=RBAC', '--bind-address=127.0.0.1', `--cert-dir=${directory}`]
  args.push(`--client-ca-file=${file('client-cert-auth-ca.crt')}`, '--disable-admission-plugins=ServiceAccount')
  args.push(`--etcd-servers=${etcd}`, `--secure-port=${port}`, `--service-account-issuer=https://127.0.0.1:${port}/`)
  args.push(`--service-account-key-file=${file('sa-signer.crt')}`, `--service-account-signing-key-file=${file('sa-signer.key')}`)
  const child = start('kube-apiserver', [...args, '--service-cluster-ip-range=10.0.0.0/24', ...more], environment)
  const send: ApiServer['send'] = (path, method = 'GET', body = undefined) =>
    new Promise((done, failed) => {
      const connection = {
        host: '127.0.0.1',
        port,
        ca: authority.certificate,
        cert: admin.certificate,
        key: admin.key,
        agent: false,
      }
      const sent = request({ ...connection, path, method, headers: { 'content-type': 'application/json' } }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => done({ status: response.statusCode, body: text.startsWith('{') ? JSON.parse(text) : { text } }))
      })
      sent.on('error', failed)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  await answered(async () => (await send('/healthz').catch(() => undefined))?.status)
  return { child, send }
}

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

describe('kube-apiserver and etcd for envtest', () => {
  test('client certificates name users; ServiceAccount tokens are signed by the given key', async () => {
    const server = await startApiServer(await startEtcd(temporaryDirectory()))
    const review = await server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', 'POST', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    })
    expect(review.body.status).toMatchObject({
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    })
    await server.send('/api/v1/namespaces/default/serviceaccounts', 'POST', { metadata: { name: 'robot' } })
    const { status, body } = await server.send('/api/v1/namespaces/default/serviceaccounts/robot/token', 'POST', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    expect(status).toBe(201)
    const { token } = body.status as { token: string }
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
    const keys = (await server.send('/openid/v1/jwks')).body.keys as { kid: string; alg: string }[]
    expect(keys.map(({ kid, alg }) => ({ kid, alg }))).toEqual([{ kid: header.kid, alg: 'ES256' }])
    const checked = await server.send('/apis/authentication.k8s.io/v1/tokenreviews', 'POST', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token },
    })
    expect(checked.body.status).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:robot' } })
  })

  test('like kube-apiserver, it runs no controllers of kube-controller-manager', async () => {
    const server = await startApiServer(await startEtcd(temporaryDirectory()))
    await server.send('/api/v1/namespaces', 'POST', { metadata: { name: 'left' } })
    expect((await server.send('/api/v1/namespaces/left', 'DELETE')).status).toBe(200)
    expect((await server.send('/api/v1/namespaces/left')).body.status).toEqual({ phase: 'Terminating' })
    expect((await server.send('/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(404)
  })

  test('SIGTERM ends it with code 0; a new one with the same etcd has the objects, one with another etcd has none', async () => {
    const etcd = await startEtcd(temporaryDirectory())
    const [first, other] = [await startApiServer(etcd), await startApiServer(await startEtcd(temporaryDirectory()))]
    expect((await first.send(configMaps, 'POST', configMap('kept'))).status).toBe(201)
    expect(await stop(first.child)).toBe(0)
    await expect(first.send('/healthz')).rejects.toThrow('ECONNREFUSED')
    const again = await startApiServer(etcd)
    expect((await again.send(`${configMaps}/kept`)).status).toBe(200)
    expect((await other.send(`${configMaps}/kept`)).status).toBe(404)
  })

  test('after SIGKILL nothing stays, and a new one starts', async () => {
    const etcd = await startEtcd(temporaryDirectory())
    const server = await startApiServer(etcd)
    const processes = others()
    expect(processes.length).toBeGreaterThan(0)
    await stop(server.child, 'SIGKILL')
    await eventually(() => processes.every((pid) => !running(pid)))
    expect((await (await startApiServer(etcd)).send('/readyz')).status).toBe(200)
  })

  test('kube-apiserver ends with code 1 when its etcd is killed, and nothing stays', async () => {
    const server = await startApiServer(await startEtcd(temporaryDirectory()))
    const processes = others()
    const ended = once(server.child, 'exit')
    for (const child of started) if (child !== server.child) child.kill('SIGKILL')
    expect((await ended)[0]).toBe(1)
    await eventually(() => processes.every((pid) => !running(pid)))
  })

  test('kube-apiserver is a process of its own if it does not find that of etcd, and finds the same objects', async () => {
    const etcd = await startEtcd(temporaryDirectory())
    const first = await startApiServer(etcd)
    expect((await first.send(configMaps, 'POST', configMap('kept'))).status).toBe(201)
    await stop(first.child)
    const own = await startApiServerIn({ TMPDIR: temporaryDirectory() }, etcd)
    const processes = descendants(own.child.pid ?? 0)
    expect(processes.length).toBeGreaterThan(0)
    expect((await own.send(`${configMaps}/kept`)).status).toBe(200)
    expect(await stop(own.child)).toBe(0)
    await eventually(() => processes.every((pid) => !running(pid)))
  })

  test('the reason why it cannot start is printed, and a later one starts', async () => {
    const etcd = await startEtcd(temporaryDirectory())
    const flags = [`--etcd-servers=${etcd}`, '--secure-port=1', '--service-account-issuer=x', '--authorization-mode=RBAC']
    const keys = ['--service-account-key-file=missing', '--service-account-signing-key-file=missing']
    const refused = promisify(execFile)(join(assets, 'kube-apiserver'), [...flags, ...keys])
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^"command failed" err="failed to parse service-account-issuer-key-file: open .*missing/),
    })
    expect((await (await startApiServer(etcd)).send('/readyz')).status).toBe(200)
  })

  test.runIf(statfsSync('/dev/shm').bavail * statfsSync('/dev/shm').bsize > 2 ** 30)(
    'with --unsafe-no-fsync the data of a directory that envtest has made is in memory etcd ends',
    async () => {
      const inMemory = () => readdirSync('/dev/shm').filter((name) => name.startsWith('edgeplane-etcd-'))
      const before = inMemory()
      const directory = mkdtempSync(join(tmpdir(), 'k8s_test_framework_'))
      const server = await startApiServer(await startEtcd(directory))
      expect((await server.send(configMaps, 'POST', configMap('fast'))).status).toBe(201)
      const [made = ''] = inMemory().filter((name) => !before.includes(name))
      expect(readdirSync(join('/dev/shm', made))).toContain('objects')
      for (const child of started) await stop(child)
      expect(inMemory()).not.toContain(made)
      rmSync(directory, { recursive: true })
    },
  )

  test('serves an older release with the later versions that flags allow', async () => {
    const emulated = ['--emulated-version=1.33', '--min-compatibility-version=1.32', '--emulation-forward-compatible']
    const etcd = await startEtcd(temporaryDirectory())
    const { child, send } = await startApiServer(etcd, ...emulated, '--runtime-config=resource.k8s.io/v1beta1=true')
    expect((await send('/version')).body).toMatchObject({ emulationMinor: '33', minCompatibilityMinor: '32' })
    expect((await send('/apis/resource.k8s.io/v1')).status).toBe(200)
    expect((await send('/apis/resource.k8s.io/v1alpha3')).status).toBe(404)
    await stop(child)
  })

  test('feature gates, admission plugins, the range of Services, the audit log', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'policy'), '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}')
    const flags = ['--feature-gates=CBORServingAndStorage=true', '--enable-admission-plugins=AlwaysPullImages']
    flags.push(`--audit-policy-file=${join(directory, 'policy')}`, `--audit-log-path=${join(directory, 'audit.log')}`)
    const server = await startApiServer(await startEtcd(temporaryDirectory()), ...flags, '--service-cluster-ip-range=10.7.0.0/24')
    const service = await server.send('/api/v1/namespaces/default/services', 'POST', {
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }] },
    })
    expect((service.body.spec as { clusterIP: string }).clusterIP).toMatch(/^10\.7\.0\./)
    const pod = await server.send('/api/v1/namespaces/default/pods', 'POST', {
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'a', image: 'nginx', imagePullPolicy: 'Never' }] },
    })
    expect((pod.body.spec as { containers: { imagePullPolicy: string }[] }).containers[0]?.imagePullPolicy).toBe('Always')
    await stop(server.child)
    expect(readFileSync(join(directory, 'audit.log'), 'utf8')).toContain('/api/v1/namespaces/default/pods')
  })

  test('flags that kube-apiserver refuses', async () => {
    const run = promisify(execFile)
    const refusal = (...args: string[]) =>
      run(join(assets, 'kube-apiserver'), args).then(
        () => '',
        ({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr}`,
      )
    expect(await refusal('--foo')).toBe('1 Error: unknown flag: --foo\n')
    expect(await refusal('--secure-port=70000', '--authorization-mode=RBAC')).toContain(
      '--secure-port 70000 must be between 1 and 65535',
    )
    const required = ['--service-account-issuer=x', '--service-account-key-file=x', '--service-account-signing-key-file=x']
    expect(await refusal('--etcd-servers=http://127.0.0.1:1', ...required, '--authorization-mode=AlwaysAllow')).toContain(
      'not AlwaysAllow',
    )
  })

  test('help and version, which envtest and setup-envtest ask for', async () => {
    const run = promisify(execFile)
    const { stdout } = await run(join(assets, 'kube-apiserver'), ['--help'])
    expect(stdout).toMatch(/^ +--client-ca-file string$/m)
    expect(stdout).not.toContain('--insecure-port')
    expect((await run(join(assets, 'etcd'), ['--help'])).stdout).toMatch(/^ *--unsafe-no-fsync\b/m)
    expect((await run(join(assets, 'kube-apiserver'), ['--version'])).stdout).toBe('Kubernetes v1.36.3\n')
  })

  test('--dir writes the programs there; kubectl is the one of the PATH', () => {
    const directory = join(temporaryDirectory(), "with ' and space")
    const path = temporaryDirectory()
    mkdirSync(join(path, 'bin'))
    writeFileSync(join(path, 'bin/kubectl'), '#!/bin/sh\necho mine\n', { mode: 0o755 })
    const env = { ...process.env, PATH: `${path}/bin:${process.env.PATH}` }
    execFileSync(process.execPath, [edgeplane, 'envtest-assets', '--dir', directory], { env })
    expect(readdirSync(directory).sort()).toEqual(['etcd', 'kube-apiserver', 'kube-apiserver.help', 'kubectl'])
    expect(execFileSync(join(directory, 'kubectl'), { encoding: 'utf8' })).toBe('mine\n')
    expect(execFileSync(join(directory, 'kube-apiserver'), ['--help'], { encoding: 'utf8' })).toContain('--secure-port')
    expect(existsSync(join(directory, 'kubectl'))).toBe(true)
  })
})
