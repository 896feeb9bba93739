import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunOptions } from '../edgeplane.ts'
import { edgeplane, startStandIn, temporaryDirectory } from './harness.ts'

/** Runs `edgeplane`, which must exit with code 1 and one sentence on stderr. Returns the sentence. */
async function refusal(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const run = await edgeplane(args, options)
  expect(await run.exit).toBe(1)
  expect(run.output.stdout).toBe('')
  const [sentence = '', ...more] = run.output.stderr.trimEnd().split('\n')
  expect(more).toEqual([])
  expect(sentence).toMatch(/^edgeplane: [A-Z\w-].*\.$/)
  return sentence
}

const start = (directory: string, ...more: string[]) => ['start', '--port', '0', '--data-dir', directory, ...more]

test.each([
  [[], 'A command is missing'],
  [['--wrong'], "Unknown option '--wrong'"],
  [['begin'], 'There is no command "begin"'],
  [['start', '--prot', '1'], "Unknown option '--prot'"],
  [['start', 'here'], "Unexpected argument 'here'"],
  [['start', '--port'], "Option '--port <value>' argument missing"],
  [['start', '--port', '65536'], '--port must be a number from 0 to 65535'],
  [['start', '--port', '1e3'], '--port must be a number'],
  [['start', '--host', 'a b'], '--host must be an address or a host name'],
  [['start', '--host', '192.0.2.1', '--ephemeral'], 'this machine has no such address'],
  [['start', '--data-dir='], '--data-dir must not be empty'],
  [
    ['start', '--emulated-version', '1.14'],
    'The API cannot be served: [emulation version 1.14 is not between [1.15, 1.36.0], minCompatibilityVersion version 1.15 is not between [1.15, 1.14]]',
  ],
  [['start', '--runtime-config', 'foo/v1=true'], 'The API cannot be served: unknown api groups foo/v1'],
  [
    ['start', '--emulated-version', '1.34', '--feature-gates', 'GenericWorkload=true'],
    'feature is PreAlpha at emulated version 1.34, min compatibility version 1.33',
  ],
  [['start', '--feature-gates', 'Foo=true'], '--feature-gates: unrecognized feature gate: Foo'],
  [
    ['start', '--feature-gates', 'StreamingCollectionEncodingToJSON=false'],
    'cannot set feature gate StreamingCollectionEncodingToJSON to false, feature is locked to true',
  ],
  [['start', '--feature-gates', 'CBORServingAndStorage=maybe'], 'strconv.ParseBool: parsing "maybe": invalid syntax'],
  [['start', '--feature-gates', 'CBORServingAndStorage'], 'missing bool value for CBORServingAndStorage'],
  [
    ['start', '--show-hidden-metrics-for-version', '1.30'],
    `metrics.showHiddenMetricsForVersion: Invalid value: "1.30": must be omitted or have the value '1.35'; only the previous minor version is allowed`,
  ],
  [['start', '--livez-grace-period=-1s'], '--livez-grace-period can not be a negative value'],
  [['start', '--shutdown-delay-duration=-1s'], '--shutdown-delay-duration can not be negative value'],
  [['start', '--audit-webhook-config-file', 'hook.yaml'], '--audit-webhook-config-file needs --audit-policy-file'],
  [['start', '--controllers', '*,-deployment-controller'], 'there is no controller "-deployment-controller"'],
  [
    ['start', '--enable-admission-plugins', 'AlwaysAdmit', '--enable-admission-plugins', 'Foo'],
    'enable-admission-plugins plugin "Foo" is unknown',
  ],
  [
    ['start', '--enable-admission-plugins=EventRateLimit', '--disable-admission-plugins=EventRateLimit'],
    '[EventRateLimit] in enable-admission-plugins and disable-admission-plugins overlapped',
  ],
  [['start', '--default-not-ready-toleration-seconds', 'x'], 'strconv.ParseInt: parsing "x": invalid syntax'],
  [['start', '--placement', 'two'], '--placement: must be one of collections, one-object, not "two"'],
  [['start', '--ephemeral', '--data-dir', '/tmp/x'], 'exclude each other'],
  [['start', '--tls-cert', 'x'], 'belong together'],
  [['start', '--client-ca-file='], '--client-ca-file must not be empty'],
  [['start', '--audit-log-path', 'x'], 'needs --audit-policy-file'],
  [['start', '--audit-policy-file', 'p', '--audit-log-maxsize', '1'], '--audit-log-maxsize needs --audit-log-path'],
  [['start', '--audit-policy-file', 'p', '--audit-log-path', 'x', '--audit-log-maxage', '1'], 'need --audit-log-maxsize'],
  [['start', '--audit-policy-file', 'p', '--audit-log-path', 'x', '--audit-log-maxsize', '1M'], 'must be a whole number'],
  [['start', '--authentication-token-webhook-cache-ttl', 'soon'], 'time: invalid duration "soon"'],
  [['kubeconfig', '--data-dir', '/nowhere'], 'There is no kubeconfig in /nowhere'],
])('invalid arguments: %j', async (args, words) => {
  expect(await refusal(args)).toContain(words)
})

test('--client-ca-file without a valid certificate', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'clients.crt')
  const error = (): Promise<string> => refusal(start(join(directory, 'data'), '--client-ca-file', file))
  expect(await error()).toContain('holds no PEM certificate')
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
  expect(await error()).toContain(`The file ${file} of --client-ca-file cannot be used`)
  const deep = start(join(directory, 'x'.repeat(100)), '--client-ca-file', file)
  expect(await refusal(deep)).toContain('too long for the name of a socket')
})

test.each([
  [
    '--authentication-config',
    { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'Other' },
    'kind must be "AuthenticationConfiguration"',
  ],
  ['--authorization-config', { kind: 'AuthorizationConfiguration' }, 'apiVersion is required'],
  ['--static-tokens', {}, 'STATIC_TOKENS is no list'],
  ['--authentication-token-webhook-config-file', { clusters: [] }, 'kubeconfig.current-context is required'],
  [
    '--authentication-token-webhook-config-file',
    {
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c' } }],
      clusters: [{ name: 'c', cluster: { server: 'http://hook.example' } }],
    },
    'must be an https URL',
  ],
  [
    '--authentication-token-webhook-config-file',
    {
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://hook.example', 'insecure-skip-tls-verify': true } }],
    },
    'insecure-skip-tls-verify is not supported',
  ],
  ['--admission-control-config-file', { a: 1 }, "failed to read plugin config: Object 'Kind' is missing"],
  [
    '--admission-control-config-file',
    {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [{ name: 'PodSecurity', path: 'missing.yaml' }],
    },
    'no such file',
  ],
  [
    '--admission-control-config-file',
    {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [
        {
          name: 'MutatingAdmissionWebhook',
          configuration: {
            apiVersion: 'apiserver.config.k8s.io/v1',
            kind: 'WebhookAdmissionConfiguration',
            kubeConfigFile: 'relative',
          },
        },
      ],
    },
    'kubeConfigFile: Invalid value: "relative": must be an absolute file path',
  ],
])('%s with an invalid file: %j', async (option, value, words) => {
  const directory = temporaryDirectory()
  const file = join(directory, 'file.json')
  writeFileSync(file, JSON.stringify(value))
  const sentence = await refusal(start(join(directory, 'data'), option, file))
  expect(sentence).toContain(`The file ${file} cannot be used: `)
  expect(sentence).toContain(words)
})

test('a port that is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const sentence = await refusal(['start', '--port', String(port), '--data-dir', temporaryDirectory()])
  other.close()
  expect(sentence).toContain(`Port ${port} on 127.0.0.1 is taken`)
})

test('a data directory that is not writable', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'file'), '')
  expect(await refusal(start(join(directory, 'file/data')))).toContain('cannot be written: a part of the path is not a directory')
  expect(await refusal(start(join(directory, 'file')))).toContain('cannot be written: a file is in the way')
})

test('workerd is missing or cannot run', async () => {
  const directory = temporaryDirectory()
  expect(await refusal(start(directory), { env: { EDGEPLANE_WORKERD: '/nowhere/workerd' } })).toContain('workerd is missing')
  writeFileSync(join(directory, 'workerd'), '#!/bin/sh\nexit 7\n')
  chmodSync(join(directory, 'workerd'), 0o755)
  expect(await refusal(start(directory), { env: { EDGEPLANE_WORKERD: join(directory, 'workerd') } })).toContain('exit status 7')
})

test('the bundle of the Worker is missing', async () => {
  expect(await refusal(start(temporaryDirectory()), { env: { EDGEPLANE_WORKER: '/nowhere/worker.js' } })).toContain(
    'cannot be read',
  )
})

test('two servers with the same data directory', async () => {
  const server = await startStandIn()
  const sentence = await refusal(start(server.dataDirectory))
  expect(sentence).toContain(`is in use by another edgeplane server (process ${server.pid})`)
  expect(await server.fetch('/')).toContain('"bound":true')
})

test('damaged files in the data directory', async () => {
  const { dataDirectory, child, exit } = await startStandIn()
  child.kill('SIGTERM')
  await exit
  for (const file of ['tls/ca.pem', 'tls/server.pem', 'admin-token']) {
    const path = join(dataDirectory, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.slice(0, text.length / 3))
    expect(await refusal(start(dataDirectory))).toContain(
      file === 'admin-token' ? 'does not hold a token' : `in ${path} is damaged`,
    )
    writeFileSync(path, text)
  }
})

test('--tls-cert and --tls-key that are malformed, missing or do not match', async () => {
  const directory = temporaryDirectory()
  const { issueAuthority } = await import('../../src/launcher/issue-certificates.ts')
  const [one, other] = [await issueAuthority(), await issueAuthority()]
  const files = { one: one.certificate, key: one.key, other: other.key, junk: 'junk' }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const own = (certificate: string, key: string) =>
    start(join(directory, 'data'), '--tls-cert', join(directory, certificate), '--tls-key', join(directory, key))
  expect(await refusal(own('one', 'other'))).toContain('the private key does not belong to the certificate')
  expect(await refusal(own('junk', 'key'))).toContain('it holds no PEM certificate')
  expect(await refusal(own('one', 'junk'))).toContain('no PEM private key')
  expect(await refusal(own('nothing', 'key'))).toContain('does not exist')
})

test('--kubeconfig does not overwrite a file that edgeplane has not written', async () => {
  const directory = temporaryDirectory()
  const theirs = join(directory, 'config')
  writeFileSync(theirs, 'apiVersion: v1\nkind: Config\n')
  expect(await refusal(start(join(directory, 'data'), '--kubeconfig', theirs))).toContain("is not edgeplane's")
  expect(readFileSync(theirs, 'utf8')).toBe('apiVersion: v1\nkind: Config\n')
  mkdirSync(join(directory, 'folder'))
  expect(await refusal(start(join(directory, 'data'), '--kubeconfig', join(directory, 'folder')))).toContain('cannot be written')
})
