// Servers and clusters for tests. testing.d.mts describes the functions.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { objectsIn } from './objects.mjs'

const program = fileURLToPath(new URL('../../bin/edgeplane.mjs', import.meta.url))
const paths = '/edgeplane/testing/v1/clusters'

// Sends requests to a server with a token. The authority is PEM.
class Client {
  #url
  #token
  #agent

  constructor({ url, token, authority }) {
    this.#url = url
    this.#token = token
    this.#agent = new Agent({ keepAlive: true, ca: authority || undefined })
  }

  async send(path, { method = 'GET', body, headers } = {}) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }
    const sent = request(this.#url + path, {
      agent: this.#agent,
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'edgeplane-testing',
        authorization: `Bearer ${this.#token}`,
        ...length,
        ...headers,
      },
    })
    sent.end(text)
    const [response] = await once(sent, 'response')
    response.setEncoding('utf8')
    let received = ''
    for await (const chunk of response) received += chunk
    return { status: response.statusCode, text: received, json: () => JSON.parse(received) }
  }

  async require(path, options) {
    const response = await this.send(path, options)
    if (response.status < 300) return response
    throw new Error(`edgeplane: ${options?.method ?? 'GET'} ${path}: ${response.status} ${response.text}`)
  }

  close() {
    this.#agent.destroy()
  }
}

const matches = (filter, one) =>
  Object.entries(filter).every(([key, value]) => (key === 'userAgent' ? one[key].includes(value) : one[key] === value))

const columns = ['time', 'verb', 'resource', 'name', 'code', 'ms', 'user agent']

// Returns the requests as lines with columns of equal width.
function table(requests, dropped) {
  const first = requests[0]?.at ?? 0
  const rows = requests.map((one) => [
    `+${((one.at - first) / 1000).toFixed(3)}`,
    one.verb,
    one.resource === '' ? one.path : [one.resource, one.subresource].filter(Boolean).join('/'),
    [one.namespace, one.name].filter(Boolean).join('/'),
    `${one.code}${one.fault > 0 ? '!' : ''}`,
    String(one.milliseconds),
    one.userAgent.slice(0, 40),
  ])
  const all = [columns, ...rows]
  const widths = columns.map((_, index) => Math.max(...all.map((row) => row[index].length)))
  const lines = all.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index]))
      .join('  ')
      .trimEnd(),
  )
  return [...(dropped > 0 ? [`(${dropped} earlier requests were dropped)`] : []), ...lines].join('\n')
}

class Clock {
  #put

  constructor(put) {
    this.#put = put
  }

  now = () => this.#put(undefined)
  advance = (by) => this.#put({ advance: by })
  set = (to) => this.#put({ now: new Date(to).toISOString() })
  freeze = () => this.#put({ frozen: true })
  unfreeze = () => this.#put({ frozen: false })
}

class Cluster {
  #server
  #client
  #file
  #kinds = new Map()

  constructor(server, { name, server: url, token, certificateAuthority, kubeconfig }) {
    this.#server = server
    this.name = name
    this.url = url
    this.token = token
    this.certificateAuthority = certificateAuthority
    this.kubeconfig = kubeconfig
    this.#client = new Client({ url, token, authority: certificateAuthority })
    this.clock = new Clock(async (body) => {
      const response = await this.#control(body === undefined ? 'GET' : 'PUT', 'clock', body)
      return new Date(response.json().now)
    })
  }

  #control(method, part, body) {
    return this.#server.require(`${paths}/${this.name}/${part}`, { method, body })
  }

  get kubeconfigFile() {
    if (this.#file === undefined) {
      this.#file = join(mkdtempSync(join(tmpdir(), 'edgeplane-cluster-')), 'kubeconfig')
      writeFileSync(this.#file, this.kubeconfig, { mode: 0o600 })
    }
    return this.#file
  }

  request(path, options) {
    return this.#client.send(path, options)
  }

  async install(path, values = {}) {
    const names = statSync(path).isDirectory()
      ? readdirSync(path)
          .sort()
          .map((name) => join(path, name))
      : [path]
    for (const file of names.filter((name) => /\.(ya?ml|json)$/.test(name))) {
      for (const object of objectsIn(readFileSync(file, 'utf8'), values)) await this.#create(object, file)
    }
  }

  async #create({ apiVersion, kind, namespace, text, mediaType }, file) {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const resource = await this.#resourceOf(base, kind)
    if (resource === undefined) throw new Error(`edgeplane: ${file}: no kind ${kind} in ${apiVersion}`)
    const path = resource.namespaced ? `${base}/namespaces/${namespace}/${resource.name}` : `${base}/${resource.name}`
    await this.#client.require(path, { method: 'POST', body: text, headers: { 'content-type': mediaType } })
  }

  async #resourceOf(base, kind) {
    const known = this.#kinds.get(`${base} ${kind}`)
    if (known !== undefined) return known
    const { resources } = (await this.#client.require(base)).json()
    const found = resources.find((one) => one.kind === kind && !one.name.includes('/'))
    if (found !== undefined) this.#kinds.set(`${base} ${kind}`, found)
    return found
  }

  async requests(filter = {}) {
    return (await this.#control('GET', 'requests')).json().requests.filter((one) => matches(filter, one))
  }

  async requestTable(filter = {}) {
    const { requests, dropped } = (await this.#control('GET', 'requests')).json()
    return table(
      requests.filter((one) => matches(filter, one)),
      dropped,
    )
  }

  async clearRequests() {
    await this.#control('DELETE', 'requests')
  }

  async fail(rule) {
    await this.#control('POST', 'faults', rule)
  }

  async clearFaults() {
    await this.#control('DELETE', 'faults')
  }

  async closeWatches(which = {}) {
    await this.#control('DELETE', 'watches', which)
  }

  async delete() {
    this.#client.close()
    if (this.#file !== undefined) rmSync(join(this.#file, '..'), { recursive: true, force: true })
    await this.#server.require(`${paths}/${this.name}`, { method: 'DELETE' })
  }

  [Symbol.asyncDispose ?? Symbol.for('asyncDispose')]() {
    return this.delete()
  }
}

class Edgeplane {
  #client
  #end

  constructor(kubeconfigFile, end) {
    const text = readFileSync(kubeconfigFile, 'utf8')
    const fieldOf = (key) => new RegExp(`${key}"?: *"?([^",\\s]+)`).exec(text)?.[1] ?? ''
    this.kubeconfigFile = kubeconfigFile
    this.url = fieldOf('server')
    const authority = Buffer.from(fieldOf('certificate-authority-data'), 'base64').toString()
    this.#client = new Client({ url: this.url, token: fieldOf('token'), authority })
    this.#end = end
  }

  async cluster({ now, ...options } = {}) {
    const body = { ...options, ...(now !== undefined && { now: new Date(now).toISOString() }) }
    const made = await this.#client.require(paths, { method: 'POST', body })
    return new Cluster(this.#client, made.json())
  }

  async stop() {
    this.#client.close()
    await this.#end()
  }

  [Symbol.asyncDispose ?? Symbol.for('asyncDispose')]() {
    return this.stop()
  }
}

// Resolves when the server has printed its last line. The rest of its output is not kept.
async function ready(child) {
  let output = ''
  await new Promise((done, failed) => {
    child.stdout.on('data', (chunk) => {
      output = (output + chunk).slice(-4096)
      if (output.includes('Stop it with')) done()
    })
    child.on('exit', (code) => failed(new Error(`edgeplane start ended with ${code}: ${output}`)))
    child.on('error', failed)
  })
}

export async function startEdgeplane({ args = [] } = {}) {
  const running = process.env.EDGEPLANE_KUBECONFIG
  if (running) return new Edgeplane(running, async () => undefined)
  const directory = mkdtempSync(join(tmpdir(), 'edgeplane-testing-'))
  const kubeconfig = join(directory, 'kubeconfig')
  const options = ['start', '--testing', '--ephemeral', '--port', '0', '--kubeconfig', kubeconfig, ...args]
  const child = spawn(process.execPath, [program, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, EDGEPLANE_END_WITH_PARENT: '1' },
  })
  const kill = () => {
    child.kill()
    rmSync(directory, { recursive: true, force: true })
  }
  process.once('exit', kill)
  await ready(child)
  // The server must not keep a test process alive that has ended without stopping it.
  child.unref()
  child.stdout.unref?.()
  return new Edgeplane(kubeconfig, async () => {
    process.removeListener('exit', kill)
    rmSync(directory, { recursive: true, force: true })
    if (child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
}

let shared

// The server of this process.
function sharedServer() {
  shared ??= startEdgeplane()
  return shared
}

async function printRequests(cluster) {
  console.error(`The requests of cluster ${cluster.name}:\n${await cluster.requestTable()}`)
}

export function withCluster(test, options) {
  return async () => {
    const cluster = await (await sharedServer()).cluster(options)
    try {
      await test(cluster)
    } catch (error) {
      await printRequests(cluster).catch(() => undefined)
      throw error
    } finally {
      await cluster.delete()
    }
  }
}

export function clusterFixture(options) {
  return async ({ task }, use) => {
    const cluster = await (await sharedServer()).cluster(options)
    await use(cluster)
    if (task.result?.state === 'fail') await printRequests(cluster)
    await cluster.delete()
  }
}

export default async function globalSetup() {
  const server = await startEdgeplane()
  process.env.EDGEPLANE_KUBECONFIG = server.kubeconfigFile
  return async () => {
    delete process.env.EDGEPLANE_KUBECONFIG
    await server.stop()
  }
}
