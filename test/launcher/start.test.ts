import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readIfPresent } from '../../src/launcher/data-directory.ts'
import { eventually } from '../eventually.ts'
import {
  answered,
  children,
  descendants,
  edgeplane,
  killIfRunning,
  openWatch,
  ready,
  running,
  startStandIn,
  supervisors,
  temporaryDirectory,
  workerdPid,
} from './harness.ts'

const mode = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8)

describe.each(supervisors)('with the supervisor %s', (_name, node) => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s stops the server, with a watch open', async (signal) => {
    const server = await startStandIn({ node })
    const { closed } = await openWatch(server)
    const family = [server.pid, ...descendants(server.pid)]
    server.child.kill(signal)
    expect(await server.exit).toBe(0)
    await closed
    await eventually(() => !family.some(running))
    expect(server.output.stderr).toBe('')
  })

  test('workerd is restarted after kill -9, with one sentence on stderr and all acknowledged writes', async () => {
    const server = await startStandIn({ node })
    await server.fetch('/rows', {}, 'first')
    const killed = workerdPid(server)
    process.kill(killed, 'SIGKILL')
    expect(JSON.parse(await answered(server, '/rows'))).toEqual(['first'])
    expect(server.output.stderr).toMatch(/^edgeplane: workerd ended unexpectedly \(exit status [^)]+\): it is started again\.\n$/)
    expect(workerdPid(server)).not.toBe(killed)
    // The instructions are printed only once.
    expect(server.output.stdout.match(/Stop it/g)).toHaveLength(1)
    server.child.kill('SIGTERM')
    expect(await server.exit).toBe(0)
  })

  test('workerd is restarted after kill -9 of it and at once of its successor', async () => {
    const server = await startStandIn({ node })
    await server.fetch('/rows', {}, 'first')
    const killed = workerdPid(server)
    process.kill(killed, 'SIGKILL')
    let successor = killed
    // Without a pause: only a process that has hardly begun is of interest. The file is empty for a moment.
    while (successor === killed || successor === 0) successor = workerdPid(server)
    killIfRunning(successor)
    expect(JSON.parse(await answered(server, '/rows'))).toEqual(['first'])
  })

  test('the server exits if workerd crashes again and again (crash loop)', async () => {
    const directory = temporaryDirectory()
    const workerd = join(directory, 'workerd')
    writeFileSync(workerd, '#!/bin/sh\necho ready >&3\nexit 7\n', { mode: 0o755 })
    const run = await edgeplane(['start', '--port', '0', '--data-dir', join(directory, 'data')], {
      node,
      env: { EDGEPLANE_WORKERD: workerd },
    })
    expect(await run.exit).toBe(1)
    const lines = run.output.stderr.trim().split('\n')
    expect(lines.slice(0, -1)).toEqual(
      Array.from({ length: 5 }, () => 'edgeplane: workerd ended unexpectedly (exit status 7): it is started again.'),
    )
    expect(lines.at(-1)).toBe('edgeplane: workerd ended unexpectedly (exit status 7), again and again.')
    expect(running(run.pid)).toBe(false)
  })

  test.each(['tcp', 'tls'])('a %s proxy is restarted after kill -9, and so is one that is killed at once', async (kind) => {
    const server = await startStandIn({ node }, ...(kind === 'tls' ? ['--spdy'] : []))
    await server.fetch('/rows', {}, 'first')
    const proxyPid = (): number => Number(readIfPresent(join(server.dataDirectory, 'run/proxy.pid')) ?? 0)
    const [killed, workerd] = [proxyPid(), workerdPid(server)]
    process.kill(killed, 'SIGKILL')
    let successor = killed
    while (successor === killed || successor === 0) successor = proxyPid()
    killIfRunning(successor)
    expect(JSON.parse(await answered(server, '/rows'))).toEqual(['first'])
    expect(server.output.stderr).toMatch(
      /^(?:edgeplane: The proxy ended unexpectedly \(exit status 137\): it is started again\.\n)+$/,
    )
    expect(workerdPid(server)).toBe(workerd)
    server.child.kill('SIGTERM')
    expect(await server.exit).toBe(0)
    expect(readdirSync(join(server.dataDirectory, 'run')).filter((name) => name.includes('proxy'))).toEqual([])
  })

  test('kill -9 of the supervisor stops workerd too, and the next start keeps the data', async () => {
    const server = await startStandIn({ node })
    await server.fetch('/rows', {}, 'first')
    const workerd = workerdPid(server)
    server.child.kill('SIGKILL')
    await eventually(() => !running(workerd))
    const again = await startStandIn({ node, dataDirectory: server.dataDirectory, port: server.port })
    expect(JSON.parse(await again.fetch('/rows'))).toEqual(['first'])
  })

  test('an orphaned workerd is stopped by the next start', async () => {
    const server = await startStandIn({ node, detached: true })
    const workerd = workerdPid(server)
    const others = descendants(server.pid).filter((pid) => pid !== workerd)
    // Stopped first: otherwise one of them would notice the end of another and stop workerd before it ends.
    for (const pid of [server.pid, ...others]) killIfRunning(pid, 'SIGSTOP')
    for (const pid of others) killIfRunning(pid)
    server.child.kill('SIGKILL')
    await server.exit
    expect(running(workerd)).toBe(true)
    const again = await startStandIn({ node, dataDirectory: server.dataDirectory, port: server.port })
    expect(running(workerd)).toBe(false)
    expect(await again.fetch('/')).toContain('"bound":true')
  })
})

test.each(supervisors)('under npm start, SIGTERM to the shell of npm stops the server (%s)', async (_name, node) => {
  const before = ['/bin/sh', '-c', '"$@"; exit', 'sh']
  const server = await startStandIn({ node, before, env: { npm_lifecycle_event: 'start' } })
  const workerd = workerdPid(server)
  expect(workerd).not.toBe(server.pid)
  server.child.kill('SIGTERM')
  await eventually(() => !running(workerd))
  await eventually(() => statSync(join(server.dataDirectory, 'run/lock'), { throwIfNoEntry: false }) === undefined)
})

test('of several servers that start at once with one data directory, one serves and the others exit', async () => {
  const dataDirectory = temporaryDirectory()
  const runs = await Promise.all([1, 2, 3].map(() => edgeplane(['start', '--port', '0', '--data-dir', dataDirectory])))
  const outcomes = await Promise.all(
    runs.map((run) =>
      Promise.race([
        ready(run).then(
          () => 'ready',
          () => 'ended',
        ),
        run.exit,
      ]),
    ),
  )
  expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(1)
  const refused = runs.filter((_run, index) => outcomes[index] !== 'ready')
  for (const run of refused)
    expect(run.output.stderr).toMatch(/^edgeplane: The data directory \S+ is in use by another edgeplane server/)
})

test('the next start works after kill -9 of the whole process group', async () => {
  const server = await startStandIn({ detached: true })
  await server.fetch('/rows', {}, 'first')
  process.kill(-server.pid, 'SIGKILL')
  expect(await server.exit).toBe('SIGKILL')
  const again = await startStandIn({ dataDirectory: server.dataDirectory, port: server.port })
  expect(JSON.parse(await again.fetch('/rows'))).toEqual(['first'])
})

test('start serves HTTPS, sets the bindings and prints the URL and the kubeconfig', async () => {
  const dataDirectory = join(temporaryDirectory(), 'a "new" directory')
  const server = await startStandIn({ dataDirectory })
  const token = readFileSync(join(dataDirectory, 'admin-token'), 'utf8')
  expect(token).toMatch(/^[\w-]{43}$/)
  const answer = JSON.parse(await server.fetch('/', { headers: { authorization: `Bearer ${token}` } }))
  expect(answer).toMatchObject({
    authorized: true,
    bound: true,
    CACHE_MEGABYTES: '128',
    WATCHES: 'streams',
    READS: 'memory',
    COMPRESSION: 'none',
    SERVER_ADDRESS: `127.0.0.1:${server.port}`,
  })
  expect(server.output.stdout).toContain(`https://127.0.0.1:${server.port}\n`)
  expect(server.output.stdout).toContain(`export KUBECONFIG='${dataDirectory}/kubeconfig'\n`)
  expect(server.output.stdout.split('\n').length).toBeLessThan(24)
})

test('secrets are readable only by their owner, and not in a command line', async () => {
  const dataDirectory = join(temporaryDirectory(), 'data')
  const server = await startStandIn({ dataDirectory })
  const token = readFileSync(join(dataDirectory, 'admin-token'), 'utf8')
  expect([mode(dataDirectory), mode(dataDirectory, 'objects'), mode(dataDirectory, 'tls')]).toEqual(['700', '700', '700'])
  for (const file of ['admin-token', 'kubeconfig', 'tls/ca.pem', 'tls/server.pem', 'run/workerd.bin']) {
    expect([file, mode(dataDirectory, file)]).toEqual([file, '600'])
  }
  for (const pid of [server.pid, ...children(server.pid)])
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(token)
})

test('token and CA stay the same after a restart', async () => {
  const first = await startStandIn()
  const files = ['admin-token', 'tls/ca.crt', 'tls/server.pem', 'kubeconfig'].map((file) => join(first.dataDirectory, file))
  const texts = files.map((file) => readFileSync(file, 'utf8'))
  first.child.kill('SIGTERM')
  await first.exit
  await startStandIn({ dataDirectory: first.dataDirectory, port: first.port })
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(texts)
})

test('--port 0 takes a free port, and --kubeconfig names the file', async () => {
  const directory = temporaryDirectory()
  const kubeconfig = join(directory, 'deep/config')
  const server = await startStandIn({ dataDirectory: join(directory, 'data'), port: 0 }, '--kubeconfig', kubeconfig)
  const text = readFileSync(kubeconfig, 'utf8')
  const port = Number(/server: "https:\/\/127\.0\.0\.1:(\d+)"/.exec(text)?.[1])
  expect(await server.fetch('/', { port })).toContain(`127.0.0.1:${port}`)
  expect(mode(kubeconfig)).toBe('600')
  const printed = await edgeplane(['kubeconfig', '--data-dir', server.dataDirectory])
  expect(await printed.exit).toBe(0)
  expect(printed.output.stdout).toBe(text)
})

test.each(['SIGTERM', 'SIGKILL'] as const)('an --ephemeral server leaves no files after %s', async (signal) => {
  const tmp = temporaryDirectory()
  const run = await edgeplane(['start', '--ephemeral', '--port', '0'], { env: { TMPDIR: tmp } })
  await ready(run)
  const data = /KUBECONFIG=(\S+)\/kubeconfig/.exec(run.output.stdout)?.[1] ?? ''
  expect(data.startsWith(tmp)).toBe(true)
  run.child.kill(signal)
  await run.exit
  await eventually(() => statSync(data, { throwIfNoEntry: false }) === undefined)
})
