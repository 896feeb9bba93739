/** Everyday kubectl commands, with several releases. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'
import { testedReleases } from './releases.ts'

const run = promisify(execFile)

const clients = testedReleases()
let server: TestServer

beforeAll(async () => {
  if (clients.length > 0) server = await startServer()
}, 30_000)
afterAll(async () => {
  await server?.stop()
})

describe.each(clients)('%s', (name, path) => {
  const namespace = `walk-${name.replace(/[^a-z0-9]/g, '-')}`
  const env = (): NodeJS.ProcessEnv => ({ ...process.env, KUBECONFIG: server.kubeconfig })

  async function kubectl(...args: string[]): Promise<string> {
    const { stdout } = await run(path, args, { env: env(), timeout: 30_000 })
    return stdout
  }
  const serverUrl = (): string => server.url
  const authority = (): string => join(server.dataDirectory, 'tls/ca.crt')
  const inside = (...args: string[]): Promise<string> => kubectl('--namespace', namespace, ...args)
  const withInput = (input: string, ...args: string[]): string =>
    execFileSync(path, ['--namespace', namespace, ...args], { env: env(), input, encoding: 'utf8', timeout: 30_000 })

  test('kubectl version shows the server version', async () => {
    expect(await kubectl('version')).toMatch(/Server Version: .*v1\.36\.3/)
  })

  test('kubectl api-versions, api-resources and get --raw', async () => {
    expect(await kubectl('api-versions')).toMatch(/^apps\/v1$/m)
    const resources = await kubectl('api-resources')
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment/m)
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace/m)
    expect(JSON.parse(await kubectl('get', '--raw', '/api/v1/namespaces/default'))).toMatchObject({ kind: 'Namespace' })
    expect(await kubectl('get', 'namespaces')).toMatch(/^kube-system /m)
  })

  test('kubectl explain', async () => {
    const field = await kubectl('explain', 'pod.spec.containers.imagePullPolicy')
    expect(field).toContain('FIELD: imagePullPolicy <string>')
    expect(field).toContain('Image pull policy. One of Always, Never, IfNotPresent.')
    expect(field).toContain('Possible enum values:')
    const all = await kubectl('explain', 'deployments', '--api-version=apps/v1', '--recursive')
    expect(all).toContain('Deployment enables declarative updates for Pods and ReplicaSets.')
    expect(all).toMatch(/^ +livenessProbe\t<Probe>$/m)
  })

  test('--validate=strict refuses unknown fields', async () => {
    const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'strict' }, date: {} })
    const file = join(server.dataDirectory, `${name}.json`)
    const apply = () => kubectl('apply', '--dry-run=server', '--validate=strict', '--filename', file)
    writeFileSync(file, manifest)
    await expect(apply()).rejects.toThrow('unknown field "date"')
    writeFileSync(file, manifest.replace('"date"', '"data"'))
    expect(await apply()).toContain('configmap/strict created (server dry run)')
  })

  test('kubectl create, get, label, annotate and delete', async () => {
    expect(await kubectl('create', 'namespace', namespace)).toBe(`namespace/${namespace} created\n`)
    expect(await inside('create', 'configmap', 'settings', '--from-literal=colour=blue')).toBe('configmap/settings created\n')
    expect(await inside('get', 'configmap', 'settings', '-o', 'jsonpath={.data.colour}')).toBe('blue')
    expect(await inside('label', 'configmap', 'settings', 'tier=front')).toBe('configmap/settings labeled\n')
    expect(await inside('get', 'configmaps', '-l', 'tier=front', '-o', 'name')).toBe('configmap/settings\n')
    expect(await inside('annotate', 'configmap', 'settings', 'note=kept')).toMatch(/^configmap\/settings annotated?\n$/)
    expect(await inside('delete', 'configmap', 'settings')).toMatch(/^configmap "settings" deleted/)
    await expect(inside('get', 'configmap', 'settings')).rejects.toThrow('configmaps "settings" not found')
  })

  test('kubectl edit', async () => {
    await inside('create', 'configmap', 'edited', '--from-literal=size=small')
    const { stdout } = await run(path, ['--namespace', namespace, 'edit', 'configmap', 'edited'], {
      env: { ...env(), KUBE_EDITOR: 'sed -i s/small/large/' },
      timeout: 30_000,
    })
    expect(stdout).toBe('configmap/edited edited\n')
    expect(await inside('get', 'configmap', 'edited', '-o', 'jsonpath={.data.size}')).toBe('large')
  })

  test('kubectl create -f and replace', async () => {
    const manifest = (image: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "${image}"}]}
`
    expect(withInput(manifest('web:1'), 'create', '--validate=false', '-f', '-')).toBe('deployment.apps/web created\n')
    expect(withInput(manifest('web:2'), 'replace', '--validate=false', '-f', '-')).toBe('deployment.apps/web replaced\n')
    expect(await inside('get', 'deployment', 'web', '-o', 'jsonpath={.metadata.generation}')).toBe('2')
    expect(await inside('patch', 'deployment', 'web', '-p', '{"spec":{"replicas":3}}')).toBe('deployment.apps/web patched\n')
    expect(await inside('get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas} {..image}')).toBe('3 web:2')
  })

  test('kubectl get -w', async () => {
    const child = spawn(path, ['--namespace', namespace, 'get', 'configmaps', '-w', '-o', 'name', '-l', 'watched=yes'], {
      env: env(),
    })
    const lines: string[] = []
    const seen = new Promise<void>((done) => {
      child.stdout.on('data', (chunk: Buffer) => {
        lines.push(
          ...chunk
            .toString()
            .split('\n')
            .filter((line) => line !== ''),
        )
        if (lines.length >= 2) done()
      })
    })
    await inside('create', 'configmap', 'first')
    await inside('label', 'configmap', 'first', 'watched=yes')
    await inside('label', 'configmap', 'first', 'more=labels')
    await seen
    child.kill()
    await once(child, 'exit')
    expect(lines.slice(0, 2)).toEqual(['configmap/first', 'configmap/first'])
  })

  test('kubectl create token', async () => {
    await inside('create', 'serviceaccount', 'robot')
    const token = (await inside('create', 'token', 'robot', '--duration=20m')).trim()
    const asRobot = (...args: string[]): Promise<string> => {
      const server = ['--kubeconfig=/dev/null', `--server=${serverUrl()}`, `--certificate-authority=${authority()}`]
      return kubectl('--namespace', namespace, ...server, `--token=${token}`, ...args)
    }
    // 1.27 requests a beta version that this release no longer serves.
    const whoami = name === 'kubectl.1.27' ? '' : await asRobot('auth', 'whoami')
    if (whoami !== '') expect(whoami).toContain(`system:serviceaccount:${namespace}:robot`)
    await expect(asRobot('get', 'configmaps')).rejects.toThrow('Forbidden')
    await inside('create', 'rolebinding', 'robot-views', '--clusterrole=view', `--serviceaccount=${namespace}:robot`)
    expect(await asRobot('get', 'configmaps', '-o', 'name')).toContain('configmap/kube-root-ca.crt')
    expect(await asRobot('auth', 'can-i', 'get', 'pods')).toBe('yes\n')
    await inside('run', 'host', '--image=i', '--overrides={"spec":{"serviceAccountName":"robot"}}')
    const bound = ['--bound-object-kind=Pod', '--bound-object-name=host']
    expect((await inside('create', 'token', 'robot', ...bound)).split('.')).toHaveLength(3)
    await expect(inside('create', 'token', 'robot', '--duration=1m')).rejects.toThrow(
      'may not specify a duration less than 10 minutes',
    )
    await inside('delete', 'pod', 'host', '--now')
    await inside('delete', 'serviceaccount', 'robot')
    await expect.poll(() => asRobot('get', 'pods').catch(String), { timeout: 5000 }).toMatch(/Unauthorized|must be logged in/)
  }, 30_000)

  test('kubectl delete --cascade: background, foreground, orphan', async () => {
    const owners = ['background', 'foreground', 'orphan']
    for (const owner of owners) {
      await inside('create', 'configmap', owner)
      const uid = await inside('get', 'configmap', owner, '-o', 'jsonpath={.metadata.uid}')
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion: true }
      const metadata = { name: `of-${owner}`, ownerReferences: [reference] }
      const secret = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata })
      withInput(secret, 'create', '--validate=false', '-f', '-')
      expect(await inside('delete', 'configmap', owner, `--cascade=${owner}`)).toMatch(/^configmap ".*" deleted/)
    }
    await inside('wait', '--for=delete', 'secret/of-background', 'secret/of-foreground', '--timeout=20s')
    expect(await inside('get', 'secret', 'of-orphan', '-o', 'jsonpath={.metadata.name}{.metadata.ownerReferences}')).toBe(
      'of-orphan',
    )
  })

  test('kubectl delete namespace deletes its content', async () => {
    expect(await kubectl('delete', 'namespace', namespace)).toMatch(/^namespace ".*" deleted/)
    await expect(kubectl('get', 'namespace', namespace)).rejects.toThrow('not found')
    expect(await inside('get', 'configmaps,deployments', '-o', 'name')).toBe('')
  })
})
