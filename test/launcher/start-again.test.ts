/** A start in a data directory that has been used before. A start writes its record, unless it has repeated the last one. */
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { edgeplane, type Server, startStandIn, supervisors, workerdPid } from './harness.ts'

async function stop(server: Server): Promise<void> {
  server.child.kill('SIGTERM')
  expect(await server.exit).toBe(0)
}

const recordOf = ({ dataDirectory }: Server): string => join(dataDirectory, 'run/start.json')
const inode = (path: string): number => statSync(path).ino

test.each(supervisors)('the same start repeats the last one, with its data (%s)', async (_name, node) => {
  const first = await startStandIn({ node })
  await first.fetch('/rows', {}, 'first')
  const configuration = await first.fetch('/')
  await stop(first)
  const record = inode(recordOf(first))
  const second = await startStandIn({ node, dataDirectory: first.dataDirectory, port: first.port })
  expect(inode(recordOf(first))).toBe(record)
  expect(second.output).toEqual(first.output)
  expect(await second.fetch('/')).toBe(configuration)
  expect(JSON.parse(await second.fetch('/rows'))).toEqual(['first'])
  process.kill(workerdPid(second), 'SIGKILL')
  await stop(second)
})

const changes: ReadonlyArray<readonly [string, (server: Server) => void]> = [
  ['another token', ({ dataDirectory }) => writeFileSync(join(dataDirectory, 'admin-token'), 'a-token-of-the-operator')],
  ['no kubeconfig', ({ dataDirectory }) => rmSync(join(dataDirectory, 'kubeconfig'))],
  ['no certificate', ({ dataDirectory }) => rmSync(join(dataDirectory, 'tls/server.pem'))],
  ['a configuration that was touched', ({ dataDirectory }) => utimesSync(join(dataDirectory, 'run/workerd.bin'), 1, 1)],
  ['a record that others may have written', (server) => chmodSync(recordOf(server), 0o666)],
  ['a record that is damaged', (server) => writeFileSync(recordOf(server), '{"circumstances"')],
  [
    'a certificate that is due for renewal',
    (server) =>
      writeFileSync(recordOf(server), JSON.stringify({ ...JSON.parse(readFileSync(recordOf(server), 'utf8')), until: 1 })),
  ],
]

test.each(changes)('a start is not repeated: %s', async (_name, change) => {
  const first = await startStandIn()
  await stop(first)
  change(first)
  const record = inode(recordOf(first))
  const second = await startStandIn({ dataDirectory: first.dataDirectory, port: first.port })
  expect(inode(recordOf(first))).not.toBe(record)
  const token = readFileSync(join(first.dataDirectory, 'admin-token'), 'utf8')
  const headers = { authorization: `Bearer ${token}` }
  expect(JSON.parse(await second.fetch('/', { headers }))).toMatchObject({ authorized: true })
  expect(readFileSync(join(first.dataDirectory, 'kubeconfig'), 'utf8')).toContain(token)
})

test('a start with other options is not repeated', async () => {
  const first = await startStandIn()
  await stop(first)
  const more = ['--controllers', '*']
  const second = await startStandIn({ dataDirectory: first.dataDirectory, port: first.port }, ...more)
  expect(JSON.parse(await second.fetch('/'))).toMatchObject({ CONTROLLERS: '*' })
})

test('after a start that cannot be repeated, no configuration stays', async () => {
  const first = await startStandIn()
  await stop(first)
  const second = await startStandIn({ dataDirectory: first.dataDirectory, port: first.port }, '--spdy')
  await stop(second)
  expect(readdirSync(join(first.dataDirectory, 'run')).sort()).toEqual(['serving.crt', 'writable'])
})

test('a repeated start reports a port that is taken, and a data directory that is in use', async () => {
  const server = await startStandIn()
  const args = ['start', '--port', String(server.port), '--data-dir', server.dataDirectory]
  const used = await edgeplane(args)
  expect(await used.exit).toBe(1)
  expect(used.output.stderr).toContain('is in use by another edgeplane server')
  await stop(server)
  const other = createServer().listen(server.port, '127.0.0.1')
  await once(other, 'listening')
  const taken = await edgeplane(args)
  expect(await taken.exit).toBe(1)
  expect(taken.output.stderr).toBe(
    `edgeplane: Port ${server.port} on 127.0.0.1 is taken by another process: stop it, or choose another port with --port.\n`,
  )
  other.close()
})
