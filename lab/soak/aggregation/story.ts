/** The story: extension servers come, are used, are killed under a watch and come back; a kubelet serves logs and commands. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { flunder, identity, registration, workload } from './objects.ts'
import type { World } from './world.ts'

/** A chapter. @returns its transcript, which must be the same with every server */
export type Chapter = (world: World) => Promise<string>

const list = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
const isAvailable = (output: string): boolean => /True\s/.test(output)

async function apply(world: World, items: readonly object[]): Promise<string> {
  return world.kubectl(['apply', '-f', '-'], { input: list(items) })
}

/** Writes the kubeconfig of the extension servers: that of the administrator with the token of their ServiceAccount. */
async function delegated(world: World): Promise<string> {
  const config = JSON.parse((await world.run(['config', 'view', '--raw', '-o', 'json', '--minify'])).output)
  const { output: token } = await world.run(['create', 'token', 'apiserver', '-n', 'wardle'])
  config.users[0].user = { token: token.trim() }
  const file = join(world.folder, 'apiserver.kubeconfig')
  writeFileSync(file, JSON.stringify(config))
  return file
}

function startExtension(world: World, name: 'sample' | 'metrics', kubeconfig: string): void {
  const certificates = join(world.folder, `${name}-certificates`)
  const own = name === 'sample' ? [world.folder] : []
  world.start(name, 'servers', [
    name,
    ...own,
    ...['--bind-address=127.0.0.1', `--secure-port=${world.subject.ports[name]}`, `--cert-dir=${certificates}`],
    ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
  ])
}

const wardle = 'wardle.example.com'
const services = [`v1alpha1.${wardle}`, `v1beta1.${wardle}`]

const registered: Chapter = async (world) => {
  const transcript = [await apply(world, identity)]
  startExtension(world, 'sample', await delegated(world))
  transcript.push(await apply(world, registration('api', world.subject.ports.sample, wardle, ['v1alpha1', 'v1beta1'])))
  for (const name of services) transcript.push(await world.until(['get', 'apiservice', name], isAvailable))
  return transcript.join('')
}

const used: Chapter = async (world) => {
  const all = [
    ['api-resources', `--api-group=${wardle}`],
    ['get', 'flunders'],
    ['get', 'flunders', '--as=jane'],
    ['get', 'fischers', '--as=jane'],
    ['explain', 'flunder.spec'],
  ]
  const transcript: string[] = []
  for (const args of all.slice(0, 2)) transcript.push(await world.kubectl(args))
  transcript.push(await apply(world, [flunder('first'), flunder('second', { colour: 'red' })]))
  transcript.push(await apply(world, [flunder('first', { colour: 'blue' })]))
  const serverSide = ['apply', '--server-side', '-f', '-']
  transcript.push(await world.kubectl(serverSide, { input: JSON.stringify(flunder('third', { colour: 'red' })) }))
  transcript.push(await world.kubectl(['get', 'flunders', '-l', 'colour=red', '-o', 'name']))
  transcript.push(await world.kubectl(['patch', 'flunder', 'first', '--type=merge', '-p', '{"spec":{"reference":"another"}}']))
  transcript.push(await world.kubectl(['get', 'flunder', 'first', '-o', 'jsonpath={.spec}{"\\n"}']))
  for (const args of all.slice(2)) transcript.push(await world.kubectl(args))
  transcript.push(await world.kubectl(['create', '--as=jane', '-f', '-'], { input: JSON.stringify(flunder('fourth')) }))
  transcript.push(await world.kubectl(['delete', 'flunder', 'second']))
  return transcript.join('')
}

const described: Chapter = async (world) => {
  const get = ['get', '--raw', '/openapi/v2']
  await world.until(get, (output) => output.includes(`/apis/${wardle}/`))
  const { paths, definitions } = JSON.parse((await world.run(get)).output) as Record<string, Record<string, object>>
  const names = Object.keys(paths ?? {}).filter((path) => path.includes(wardle))
  const kinds = Object.keys(definitions ?? {}).filter((name) => /wardle|_v\d$/.test(name))
  const status = JSON.stringify(definitions?.['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'])
  return [...names, ...kinds, createHash('sha256').update(status).digest('hex'), ''].join('\n')
}

const killed: Chapter = async (world) => {
  const watch = world.start('watch', 'kubectl', ['get', 'flunders', '--watch-only', '-o', 'name'])
  const seen = once(watch.stdout ?? watch, 'data')
  const changing = ['label', '--overwrite', 'flunder', 'first', 'round=1']
  // The watch has begun when it shows a change.
  const changes = setInterval(() => void world.kubectl([...changing.slice(0, -1), `round=${Date.now()}`]), 500)
  const [line] = (await seen) as [Buffer]
  clearInterval(changes)
  const ended = once(watch, 'exit')
  await world.kill('sample')
  await ended
  const transcript = [`the watch saw ${line.toString().split('\n')[0]} and ended\n`]
  for (const name of services)
    transcript.push(await world.until(['get', 'apiservice', name], (output) => output.includes('False')))
  transcript.push(await world.until(['get', '--raw', `/apis/${wardle}/v1alpha1/flunders`], (output) => output.includes('unable')))
  transcript.push(await world.kubectl(['get', 'deployments']))
  startExtension(world, 'sample', join(world.folder, 'apiserver.kubeconfig'))
  for (const name of services) transcript.push(await world.until(['get', 'apiservice', name], isAvailable))
  transcript.push(await world.kubectl(['get', 'flunders', '-o', 'name']))
  return transcript.join('')
}

const measured: Chapter = async (world) => {
  const { kubelet } = world.subject.ports
  const transcript = [await apply(world, workload())]
  const addresses = [{ type: 'InternalIP', address: world.subject.address }]
  const status = {
    status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: kubelet } }, capacity: { cpu: '4', memory: '1Gi' } },
  }
  const patch = ['patch', 'node', 'machine', '--subresource=status', '--type=merge', '-p']
  transcript.push(await world.kubectl([...patch, JSON.stringify(status)]))
  const running = JSON.stringify({ status: { phase: 'Running', podIP: world.subject.address } })
  transcript.push(await world.kubectl(['patch', 'pod', 'web', '--subresource=status', '--type=merge', '-p', running]))
  startExtension(world, 'metrics', join(world.folder, 'apiserver.kubeconfig'))
  transcript.push(await apply(world, registration('metrics', world.subject.ports.metrics, 'metrics.k8s.io', ['v1beta1'])))
  transcript.push(await world.until(['get', 'apiservice', 'v1beta1.metrics.k8s.io'], isAvailable))
  transcript.push(await world.until(['top', 'nodes'], (output) => output.includes('250m')))
  transcript.push(await world.until(['top', 'pods'], (output) => output.includes('250m')))
  transcript.push(await world.kubectl(['get', '--raw', '/apis/metrics.k8s.io/v1beta1']))
  return transcript.join('')
}

const commanded: Chapter = async (world) => {
  const { ports } = world.subject
  const files = [join(world.folder, 'kubelet.crt'), join(world.folder, 'kubelet.key')]
  world.start('kubelet', 'kubelet', [`0.0.0.0:${ports.kubelet}`, ...files])
  const transcript = [await world.until(['logs', 'web'], (output) => output.includes('log of'))]
  const exec = ['exec', 'web', '--']
  transcript.push(await world.kubectl(['logs', 'web', '--tail=3', '--timestamps']))
  transcript.push(await world.kubectl([...exec, 'echo', 'hello']))
  transcript.push(await world.kubectl([...exec, 'sh', '-c', 'echo wrong >&2; exit 3']))
  transcript.push(await world.kubectl([...exec, 'no-such-command']))
  transcript.push(await world.kubectl(['exec', '-i', 'web', '--', 'sha256sum'], { input: 'x'.repeat(3_000_000) }))
  transcript.push(await world.kubectl(['attach', '-i', 'web'], { input: 'typed\n' }))
  transcript.push(await world.kubectl(['--as=jane', ...exec, 'echo']))
  transcript.push(await world.kubectl(['get', '--raw', '/api/v1/nodes/machine/proxy/fails']))
  return transcript.join('')
}

const forwarded: Chapter = async (world) => {
  const { ports } = world.subject
  const web = createServer((request, response) => void response.end(`answer to ${request.url}\n`)).listen(ports.web, '127.0.0.1')
  await once(web, 'listening')
  const forward = world.start('port-forward', 'kubectl', ['port-forward', 'pod/web', `${ports.forwarded}:${ports.web}`])
  try {
    await Promise.race([once(forward.stdout ?? forward, 'data'), once(forward, 'exit')])
    const texts: string[] = []
    for (const path of ['/first', '/second']) texts.push(await (await fetch(`http://127.0.0.1:${ports.forwarded}${path}`)).text())
    return texts.join('')
  } finally {
    await world.kill('port-forward')
    web.closeAllConnections()
    web.close()
  }
}

/** The chapters in order. */
export const story: Readonly<Record<string, Chapter>> = { registered, used, described, killed, measured, commanded, forwarded }
