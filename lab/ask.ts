/** Shows one request or one kubectl command on both servers. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unifiedDiff } from '../src/go/unified-diff.ts'
import type { Client } from '../test/client.ts'
import { command, flag, text, UsageError } from './command.ts'
import { referenceOptions, serverOptions, withBoth } from './servers.ts'

/** Asks a server, and returns the answer as text. */
type Ask = (server: Client) => Promise<string>

/** Formats JSON so that a difference is in a line of its own. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const request =
  (method: string, path: string, body: string | undefined, accept: string): Ask =>
  async (server) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { accept, ...(body !== undefined && { 'content-type': type }) }
    const reply = await server.send(path, { method, headers, body })
    const warnings = reply.warnings.map((warning) => `Warning: ${warning}\n`).join('')
    return `${reply.status} ${reply.headers['content-type'] ?? ''}\n${warnings}${indented(reply.text)}\n`
  }

/** Runs a command in a shell whose kubectl asks the server. */
const shell =
  (line: string, kubectl: string): Ask =>
  async ({ url, token }) => {
    const folder = mkdtempSync(join(tmpdir(), 'edgeplane-ask-'))
    const kubeconfig = join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(url, token)), { mode: 0o600 })
    const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: folder }
    const { promise, resolve } = Promise.withResolvers<string>()
    execFile('bash', ['-c', `kubectl() { ${JSON.stringify(kubectl)} "$@"; }\n${line}`], { env }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}${error === null ? '' : `exit code ${error.code}\n`}`),
    )
    const output = await promise
    rmSync(folder, { recursive: true, force: true })
    return output.replaceAll(url, 'https://SERVER')
  }

const kubeconfigOf = (url: string, token: string): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'asked', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
  users: [{ name: 'admin', user: { token } }],
  contexts: [{ name: 'asked', context: { cluster: 'asked', user: 'admin' } }],
  'current-context': 'asked',
})

/** Replaces values that differ on every server. */
const settled = (output: string): string =>
  output
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replace(/("?resourceVersion"?: "?)\d+/g, '$1<version>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replace(/\b(?:\d+[dhm])*\d+s\b(?=\s|")/g, '<age>')

function tell(ours: string, theirs: string): void {
  if (ours === theirs) {
    console.log(`${theirs}\nboth servers answer this`)
    return
  }
  console.log(`- kube-apiserver\n+ ours\n${unifiedDiff(theirs, ours)}`)
  process.exitCode = 1
}

const verb = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (\/\S*)$/

export default command({
  about: `'kubectl get pods' runs in a shell on each server: '…' may be several commands.
UIDs, versions, times and ages are the same on both sides; --exactly leaves them.`,
  operands: "'kubectl …' | 'GET /path'",
  options: {
    body: text('JSON', 'the body of a request'),
    accept: text('TYPE', 'the media type of the response', 'application/json'),
    kubectl: text('PROGRAM', 'the kubectl', 'kubectl'),
    exactly: flag('compares also what differs on every server'),
    ...serverOptions,
    ...referenceOptions,
  },
  async run({ body, accept, kubectl, exactly, ...servers }, [line, ...more]) {
    if (line === undefined || more.length > 0) throw new UsageError("the command is one operand, in '…'")
    const [, method, path] = verb.exec(line) ?? []
    const ask = method === undefined || path === undefined ? shell(line, kubectl) : request(method, path, body, accept)
    await withBoth(servers, async (ours, theirs) => {
      const outputs = await Promise.all([ask(ours), ask(theirs)])
      const [own = '', reference = ''] = exactly ? outputs : outputs.map(settled)
      tell(own, reference)
    })
  },
})
