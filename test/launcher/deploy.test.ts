/** `edgeplane deploy` and its siblings: the real wrangler uploads to an API on loopback, and the upload runs in workerd. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeCloudflare, secretsOf, variablesOf } from './fake-cloudflare.ts'
import { temporaryDirectory } from './harness.ts'

let cloudflare: FakeCloudflare
let directory: string

beforeEach(async () => {
  directory = temporaryDirectory()
  cloudflare = new FakeCloudflare(temporaryDirectory())
  await cloudflare.start()
})

afterEach(() => cloudflare.stop())

interface Result {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

const program = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')

async function run(...args: string[]): Promise<Result> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...cloudflare.environment },
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** Asks the server at an address as the holder of a token; with a body, it is to create the object. */
function askAt(url: string, path: string, token: string, body?: object): Promise<Answer> {
  const ca = readFileSync(cloudflare.environment.NODE_EXTRA_CA_CERTS ?? '')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return new Promise((done, failed) => {
    const sent = request(url + path, { ca, method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      text(response).then((answer) => done({ status: response.statusCode ?? 0, text: answer }), failed)
    })
    sent.on('error', failed)
    sent.end(body && JSON.stringify(body))
  })
}

const ask = (path: string, token: string, body?: object): Promise<Answer> => askAt(cloudflare.url, path, token, body)

/** Runs a command that has to succeed. Returns its standard output. */
async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args)
  expect(code, stderr + stdout).toBe(0)
  return stdout
}

const hashOf = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}`
const inFolder = (...path: string[]): string => join(directory, '.edgeplane/cloudflare/edgeplane', ...path)
const tokenIn = (kubeconfig: string): string => /token: "(.+)"/.exec(kubeconfig)?.[1] ?? ''

/** An audit policy of some 7 KB, as large ones of the field are. */
const longPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: Array.from({ length: 60 }, (_, i) => ({
    level: 'None',
    users: [`system:serviceaccount:kube-system:controller-${i}-ü`],
    verbs: ['get', 'watch'],
  })),
})

test('deploy uploads the Worker, its Durable Objects and the hash of a new token; upgrade keeps token and settings, deploy changes them, destroy deletes the Worker', async () => {
  writeFileSync(join(directory, 'policy.json'), longPolicy)
  writeFileSync(
    join(directory, 'tokens.json'),
    JSON.stringify([{ token: 'the-token-of-ci-jobs', user: 'ci', groups: ['builders'] }]),
  )
  const first = await succeed(
    'deploy',
    '--url',
    cloudflare.url,
    '--audit-policy-file',
    'policy.json',
    '--static-tokens',
    'tokens.json',
  )
  const kubeconfig = readFileSync(inFolder('kubeconfig'), 'utf8')
  const token = tokenIn(kubeconfig)
  expect(statSync(inFolder('kubeconfig')).mode & 0o777).toBe(0o600)
  expect(first).toContain(`  export KUBECONFIG=${inFolder('kubeconfig')}\n  kubectl get namespaces\n`)
  expect(first).not.toContain(token)

  const [upload] = cloudflare.uploads
  if (upload === undefined) throw new Error('nothing was uploaded')
  expect(upload.metadata).toMatchObject({
    migrations: { new_tag: 'v1', steps: [{ new_sqlite_classes: ['Collection', 'Control'] }] },
    code_update_strategy: { mode: 'immediate' },
  })
  expect(secretsOf(upload)).toMatchObject({ ADMIN_TOKEN: hashOf(token), STATIC_TOKENS_PARTS: '1' })
  expect(variablesOf(upload)).toMatchObject({
    AUDIT_POLICY_PARTS: '2',
    SERVER_ADDRESS: new URL(cloudflare.url).host,
    SERVICE_ACCOUNT_ISSUER: cloudflare.url,
  })
  expect(JSON.stringify(variablesOf(upload))).not.toContain('the-token-of-ci-jobs')
  expect(existsSync(inFolder('run/secrets.json'))).toBe(false)

  expect((await ask('/api/v1/namespaces/default', token)).status).toBe(200)
  expect((await ask('/.well-known/openid-configuration', token)).text).toContain(`"issuer":"${cloudflare.url}"`)
  expect((await ask('/api', token)).text).toContain(new URL(cloudflare.url).host)
  expect((await ask('/api/v1/namespaces', 'the-token-of-ci-jobs')).text).toContain('User \\"ci\\" cannot list')

  await succeed('upgrade')
  const [, second] = cloudflare.uploads
  expect(second && variablesOf(second)).toEqual(variablesOf(upload))
  expect(second && secretsOf(second)).toEqual(secretsOf(upload))
  expect(await succeed('status')).toMatch(/ready +yes\n.+\n +settings +AUDIT_POLICY, STATIC_TOKENS\n$/)

  // Another token, a secret that is removed, and a setting more.
  await succeed('deploy', '--rotate-token', '--var', 'STATIC_TOKENS=', '--location', 'weur')
  const rotated = tokenIn(readFileSync(inFolder('kubeconfig'), 'utf8'))
  expect(rotated).not.toBe(token)
  const last = cloudflare.uploads.at(-1)
  expect(last && variablesOf(last)).toMatchObject({ LOCATION: 'weur' })
  expect((await ask('/api/v1/namespaces', rotated)).status).toBe(200)
  expect((await ask('/api/v1/namespaces', token)).status).toBe(401)
  expect((await ask('/api/v1/namespaces', 'the-token-of-ci-jobs')).status).toBe(401)

  expect(await run('destroy')).toMatchObject({ code: 1, stderr: expect.stringContaining('confirm it with --yes') })
  await succeed('destroy', '--yes')
  expect(cloudflare.requests).toContain('DELETE /workers/services/edgeplane')
  expect(existsSync(inFolder())).toBe(false)
}, 300_000)

test('preview deploys a cluster of its own for a branch; backup and restore use an object in R2', async () => {
  await succeed('deploy', '--url', cloudflare.url, '--var', 'HISTORY_SECONDS=60')
  const token = tokenIn(readFileSync(inFolder('kubeconfig'), 'utf8'))
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const body = { metadata: { name: 'kept' } }
  expect((await ask(configMaps, token, body)).status).toBe(201)

  const shown = await succeed('preview', 'deploy', '--branch', 'Fix/Things')
  expect(shown).toContain(`URL         ${cloudflare.previewUrl}`)
  const ofPreview = tokenIn(readFileSync(inFolder('previews/fix-things/kubeconfig'), 'utf8'))
  expect((await askAt(cloudflare.previewUrl, configMaps, ofPreview)).text).not.toContain('kept')
  expect((await askAt(cloudflare.previewUrl, configMaps, token)).status).toBe(401)
  const upload = cloudflare.uploads.at(-1)
  expect(upload && variablesOf(upload)).toMatchObject({ PLACEMENT: 'one-object', HISTORY_SECONDS: '60', SERVER_ADDRESS: '' })
  await succeed('preview', 'destroy', '--branch', 'Fix/Things')
  expect(cloudflare.requests).toContain('DELETE /workers/workers/edgeplane/previews/fix-things')
  expect(existsSync(inFolder('previews/fix-things'))).toBe(false)

  const kubeconfig = ['--kubeconfig', inFolder('kubeconfig')]
  expect(await succeed('backup', 'r2://copies/monday', ...kubeconfig)).toContain('objects of')
  expect([...cloudflare.objects.keys()]).toEqual(['copies/objects/monday'])
  expect((await ask(configMaps, token, { metadata: { name: 'later' } })).status).toBe(201)
  await succeed('restore', 'r2://copies/monday', '--replace', ...kubeconfig)
  expect((await ask(`${configMaps}/kept`, token)).status).toBe(200)
  expect((await ask(`${configMaps}/later`, token)).status).toBe(404)
}, 300_000)

test.each([
  ['an address of workers.dev after the first upload', [], ['', 'edgeplane.tests.workers.dev:443']],
  ['its domain with the only upload', ['--domain', 'k8s.example.com'], ['k8s.example.com:443']],
])(
  'the Worker knows %s',
  async (_what, options, addresses) => {
    const child = spawn(process.execPath, [program, 'deploy', ...options], {
      cwd: directory,
      stdio: 'ignore',
      env: { ...process.env, ...cloudflare.environment },
    })
    // The command then waits for an answer at an address that only Cloudflare could serve.
    const ended = once(child, 'exit')
    await expect.poll(() => existsSync(inFolder('kubeconfig')), { timeout: 120_000 }).toBe(true)
    expect(cloudflare.uploads.map((upload) => variablesOf(upload).SERVER_ADDRESS)).toEqual(addresses)
    expect(readFileSync(inFolder('kubeconfig'), 'utf8')).toContain(`https://${addresses.at(-1)?.replace(':443', '')}`)
    child.kill()
    await ended
  },
  150_000,
)

test.each([
  ['a name with capitals', ['deploy', '--name', 'Not_A_Name'], '--name must have at most 54 lower-case letters'],
  ['a variable without a value', ['deploy', '--var', 'nonsense'], '--var must be NAME=VALUE'],
  ['a long variable', ['deploy', '--var', `CONTROLLERS=${'*,'.repeat(3000)}`], 'CONTROLLERS has more than 5120 bytes'],
  ['an address without TLS', ['deploy', '--url', 'http://127.0.0.1'], '--url must be https://HOST'],
  ['an upgrade of nothing', ['upgrade'], 'edgeplane was not deployed from this directory'],
])('%s fails with one line, before anything is uploaded', async (_case, args, message) => {
  const { code, stderr } = await run(...args)
  expect(code).toBe(1)
  expect(stderr).toContain(message)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(cloudflare.uploads).toHaveLength(0)
})
