/** Manifests with kubectl: client-side and server-side apply, diff, edit, patch, scale, replace, wait, delete. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'
import { callerOf, type RunOptions, testedReleases } from './releases.ts'

const program = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')
const clients = testedReleases()
let server: TestServer
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'edgeplane-apply-'))
  if (clients.length > 0) server = await startServer()
}, 30_000)
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Web {
  readonly replicas?: number
  readonly image?: string
  readonly env?: readonly string[]
  readonly note?: string
}

/** Returns the manifest of a Deployment, a Service and a ConfigMap. */
const application = ({ replicas, image = 'web:1', env = ['A'], note }: Web): string => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web${note === undefined ? '' : `, note: ${note}`}}
spec:
  ${replicas === undefined ? '' : `replicas: ${replicas}`}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: "${image}"
        env: [${env.map((name) => `{name: ${name}, value: "1"}`).join(', ')}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {mode: "${note ?? 'plain'}"}
`

describe.each(clients)(
  '%s',
  (name, path) => {
    const suffix = name.replace(/[^a-z0-9]/g, '-')
    const call = callerOf(path, () => server)

    /** Returns the output of kubectl; throws if it fails. */
    async function kubectl(args: readonly string[], options?: RunOptions): Promise<string> {
      const { code, stdout, stderr } = await call(args, options)
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
      return stdout
    }

    /** Creates a namespace and returns kubectl for it. */
    async function place(purpose: string): Promise<(args: readonly string[], options?: RunOptions) => Promise<string>> {
      const namespace = `${purpose}-${suffix}`
      await kubectl(['create', 'namespace', namespace])
      return (args, options) => kubectl(['--namespace', namespace, ...args], options)
    }

    const manifest = (web: Web): string => {
      const file = join(folder, `${suffix}-${Math.random().toString(36).slice(2)}.yaml`)
      writeFileSync(file, application(web))
      return file
    }

    test('kubectl apply: create, change, and removal of omitted fields', async () => {
      const inside = await place('client')
      expect(await inside(['apply', '-f', manifest({ replicas: 2, env: ['A', 'B'] })])).toBe(
        'deployment.apps/web created\nservice/web created\nconfigmap/web created\n',
      )
      expect(await inside(['apply', '-f', manifest({ replicas: 2, env: ['A', 'B'] })])).toBe(
        'deployment.apps/web unchanged\nservice/web unchanged\nconfigmap/web unchanged\n',
      )
      expect(await inside(['apply', '-f', manifest({ replicas: 2, env: ['B'], note: 'new' })])).toBe(
        'deployment.apps/web configured\nservice/web unchanged\nconfigmap/web configured\n',
      )
      expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={..env[*].name} {.metadata.generation}'])).toBe('B 2')
      const pruned = ['apply', '--prune', '-l', 'app=web', '--prune-allowlist=apps/v1/Deployment']
      await inside([...pruned, '-f', '-'], {
        input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, labels: {app: web}}\n',
      })
      expect(await inside(['get', 'deployments', '-o', 'name'])).toBe('')
    })

    test('kubectl diff', async () => {
      const inside = await place('diff')
      await inside(['apply', '-f', manifest({ replicas: 2 })])
      const same = await call(['diff', '-n', `diff-${suffix}`, '-f', manifest({ replicas: 2 })])
      expect([same.code, same.stdout]).toEqual([0, ''])
      const other = await call(['diff', '-n', `diff-${suffix}`, '-f', manifest({ replicas: 4, image: 'web:2' })])
      expect(other.code).toBe(1)
      expect(other.stdout).toMatch(/^-\s+replicas: 2$/m)
      expect(other.stdout).toMatch(/^\+\s+- image: web:2$|^\+\s+image: web:2$/m)
      expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}'])).toBe('2')
    })

    test('kubectl apply --server-side: conflicts, --force-conflicts, shared fields', async () => {
      const inside = await place('server')
      const apply = (web: Web, ...flags: string[]): string[] => ['apply', '--server-side', ...flags, '-f', manifest(web)]
      expect(await inside(apply({ replicas: 2 }))).toBe(
        'deployment.apps/web serverside-applied\nservice/web serverside-applied\nconfigmap/web serverside-applied\n',
      )
      const conflict = await call(['-n', `server-${suffix}`, ...apply({ replicas: 3 }, '--field-manager=other')])
      expect(conflict.code).toBe(1)
      expect(conflict.stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas')
      await inside(apply({ replicas: 3 }, '--field-manager=other', '--force-conflicts'))
      // The first manager no longer owns the replicas; fields that it does not apply stay.
      await inside(apply({}))
      expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}'])).toBe('3')
      const managers = [
        'get',
        'deployment',
        'web',
        '--show-managed-fields',
        '-o',
        'jsonpath={.metadata.managedFields[*].manager}',
      ]
      expect((await inside(managers)).split(' ').sort()).toEqual(['kubectl', 'other'])
      const dry = await inside(apply({ replicas: 9 }, '--dry-run=server', '--force-conflicts'))
      expect(dry).toContain('deployment.apps/web serverside-applied (server dry run)')
      expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}'])).toBe('3')
    })

    test('kubectl apply --server-side takes over from client-side apply', async () => {
      const inside = await place('moved')
      await inside(['apply', '-f', manifest({ replicas: 2, env: ['A', 'B'] })])
      await inside(['apply', '--server-side', '-f', manifest({ replicas: 5, env: ['B'] })])
      expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas} {..env[*].name}'])).toBe('5 B')
    })

    test('kubectl edit, patch of each type, scale and replace', async () => {
      const inside = await place('changed')
      await inside(['apply', '-f', manifest({ replicas: 2 })])
      const edited = await inside(['edit', 'deployment', 'web'], { env: { KUBE_EDITOR: 'sed -i s/web:1/web:7/' } })
      expect(edited).toBe('deployment.apps/web edited\n')
      const patch = (type: string, text: string): Promise<string> =>
        inside(['patch', 'deployment', 'web', `--type=${type}`, '-p', text])
      await patch('strategic', '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}')
      await patch('merge', '{"spec":{"paused":true}}')
      await patch('json', '[{"op":"replace","path":"/spec/replicas","value":6}]')
      expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={..image} {.spec.paused} {.spec.replicas}'])).toBe(
        'side:1 web:7 true 6',
      )
      expect(await inside(['scale', 'deployment', 'web', '--current-replicas=6', '--replicas=1'])).toBe(
        'deployment.apps/web scaled\n',
      )
      await expect(inside(['scale', 'deployment', 'web', '--current-replicas=6', '--replicas=2'])).rejects.toThrow(
        'Expected replicas to be 6, was 1',
      )
      await inside(['set', 'image', 'deployment/web', 'web=web:8'])
      expect(await inside(['replace', '-f', manifest({ replicas: 3 })])).toBe(
        'deployment.apps/web replaced\nservice/web replaced\nconfigmap/web replaced\n',
      )
      expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={..image} {.spec.replicas}'])).toBe('web:1 3')
      expect(await inside(['replace', '--force', '-f', manifest({ replicas: 4 })])).toContain('deployment.apps/web replaced\n')
    })

    // The release of kubectl does not matter to it.
    if (path === clients[0]?.[1]) {
      test('kubectl apply --server-side after edgeplane undo: each manager has its fields again', async () => {
        const inside = await place('undone')
        const apply = (manager: string, web: Web) =>
          inside(['apply', '--server-side', '--field-manager', manager, '-f', manifest(web)])
        const scale = '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":REPLICAS}}'
        const scaler = (replicas: number) =>
          inside(['apply', '--server-side', '--field-manager=scaler', '-f', '-'], {
            input: scale.replace('REPLICAS', String(replicas)),
          })
        const applied = async (web: Web, replicas: number): Promise<void> => {
          await apply('pipeline', web)
          await scaler(replicas)
        }
        await applied({}, 1)
        await new Promise((resolve) => setTimeout(resolve, 2))
        const then = new Date().toISOString()
        await new Promise((resolve) => setTimeout(resolve, 2))
        await applied({ image: 'web:2', note: 'new' }, 5)
        await inside(['delete', 'service', 'web'])
        const options = ['--to', then, '--namespace', `undone-${suffix}`, '--kubeconfig', server.kubeconfig, '--yes']
        await promisify(execFile)(process.execPath, [program, 'undo', ...options])
        expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={..image} {.spec.replicas}'])).toBe('web:1 1')
        // Without conflicts, and the manager can still take its fields away.
        await applied({ image: 'web:3' }, 2)
        expect(await inside(['get', 'deployment,service', 'web', '-o', 'name'])).toBe('deployment.apps/web\nservice/web\n')
        expect(await inside(['get', 'deployment', 'web', '-o', 'jsonpath={.metadata.labels.note}'])).toBe('')
      })
    }

    test('kubectl wait for a change and for a deletion', async () => {
      const inside = await place('awaited')
      await inside(['apply', '-f', manifest({ replicas: 2 })])
      const came = inside(['wait', 'deployment/web', '--for=jsonpath={.spec.replicas}=5', '--timeout=20s'])
      await inside(['scale', 'deployment', 'web', '--replicas=5'])
      expect(await came).toBe('deployment.apps/web condition met\n')
      await inside(['patch', 'deployment', 'web', '--type=merge', '-p', '{"metadata":{"finalizers":["example.com/hold"]}}'])
      await inside(['delete', 'deployment', 'web', '--wait=false'])
      const gone = inside(['wait', 'deployment/web', '--for=delete', '--timeout=20s'])
      await inside(['patch', 'deployment', 'web', '--type=merge', '-p', '{"metadata":{"finalizers":null}}'])
      await gone
      const deleted = await call(['-n', `awaited-${suffix}`, 'delete', '-f', manifest({})])
      expect(deleted.stdout).toMatch(/^service "web" deleted.*\nconfigmap "web" deleted.*\n$/)
      expect(deleted.stderr).toContain('deployments.apps "web" not found')
    })
  },
  60_000,
)
