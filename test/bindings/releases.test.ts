/**
 * Workers and Durable Objects of different releases, as they meet while a release is rolled out. The other release is this one,
 * changed when it is built.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterEach, describe, expect, test } from 'vitest'
import { ensureBundle } from '../../scripts/build.mjs'
import { configMaps } from '../paths.ts'

const token = 'admin'
const root = resolve(import.meta.dirname, '../..')
const compatibilityDate = /compatibility_date = "([^"]+)"/.exec(readFileSync('wrangler.toml', 'utf8'))?.[1] ?? ''

/** A change of one source file. */
interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
  readonly and?: { readonly from: string; readonly to: string }
}

/** The other releases. */
const changes = {
  'with another protocol': { file: 'clusters/protocol.ts', from: 'protocol = 2', to: 'protocol = 3' },
  'with further fields in operations': {
    file: 'clusters/operation.ts',
    from: 'JSON.stringify(operation)',
    to: "JSON.stringify({ ...operation, later: { a: 'b' } })",
  },
  'with another verb': {
    file: 'clusters/operation.ts',
    from: 'JSON.stringify(operation)',
    to: 'JSON.stringify(operation).replace(\'"verb":"list"\', \'"verb":"enumerate"\')',
  },
  'with a further schema step': {
    file: 'storage/migrations.ts',
    from: '  [],\n]',
    to: "  [],\n  ['ALTER TABLE current ADD COLUMN later TEXT'],\n]",
  },
  'with data that only later releases can read': {
    file: 'storage/migrations.ts',
    from: '  [],\n]',
    to: '  [],\n  [],\n]\nconst later = 5',
    and: { from: 'const minimumReader = 4', to: 'const minimumReader = later' },
  },
} as const satisfies Record<string, Change>

type OtherRelease = keyof typeof changes

/** Replaces a text of one source file, which must contain it. */
const replacing = ({ file, from, to, and }: Change): Plugin => ({
  name: 'other-release',
  setup: (bundle) =>
    bundle.onLoad({ filter: new RegExp(`/src/${file.replaceAll('.', '\\.')}$`) }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`)
      return { contents: text.replace(from, to).replace(and?.from ?? '', and?.to ?? ''), loader: 'ts' }
    }),
})

async function bundleOf(release: OtherRelease | 'this'): Promise<string> {
  // Makes sure that the generated sources are present.
  await ensureBundle('worker')
  const { outputFiles } = await build({
    entryPoints: [resolve(root, 'src/worker.ts')],
    bundle: true,
    format: 'esm',
    write: false,
    platform: 'neutral',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser', 'import'],
    mainFields: ['browser', 'module', 'main'],
    external: ['node:*', 'cloudflare:*'],
    plugins: release === 'this' ? [] : [replacing(changes[release])],
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

let miniflare: Miniflare | undefined

afterEach(async () => {
  await miniflare?.dispose()
  miniflare = undefined
})

/** Starts a Worker whose Durable Objects are of another release. */
async function start(worker: OtherRelease | 'this', objects: OtherRelease | 'this', dataDirectory?: string): Promise<Miniflare> {
  const bindings = { ADMIN_TOKEN: token, SERVICE_CIDR: '10.0.0.0/16' }
  const elsewhere = { scriptName: 'objects', useSQLite: true }
  const own = { useSQLite: true }
  miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      workers: [
        {
          name: 'worker',
          compatibilityDate,
          modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundleOf(worker) }],
          durableObjects: {
            COLLECTION: { className: 'Collection', ...elsewhere },
            CONTROL: { className: 'Control', ...elsewhere },
          },
          bindings,
        },
        {
          name: 'objects',
          compatibilityDate,
          modules: [{ type: 'ESModule', path: 'objects.mjs', contents: await bundleOf(objects) }],
          durableObjects: { COLLECTION: { className: 'Collection', ...own }, CONTROL: { className: 'Control', ...own } },
          bindings,
        },
      ],
    }),
    ...(dataDirectory !== undefined && { resourcePersistencePath: dataDirectory }),
  })
  await miniflare.ready
  return miniflare
}

async function send(
  server: Miniflare,
  path: string,
  body?: object,
): Promise<{ status: number; retryAfter: string | null; json: object }> {
  const answer = await server.dispatchFetch(`https://edgeplane.example${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), json: (await answer.json()) as object }
}

const refused = { status: 503, retryAfter: '1', json: { kind: 'Status', reason: 'ServiceUnavailable' } }
const configMap = { metadata: { name: 'a' }, data: { a: 'b' } }

/** Both directions: which side has the other release. */
const sides = (release: OtherRelease) =>
  [
    ['Workers', release, 'this'],
    ['Durable Objects', 'this', release],
  ] as const

describe('during an upgrade or a rollback', () => {
  test.each(sides('with another protocol'))(
    '503 with Retry-After from a server whose %s have another protocol [M1]',
    async (_, ...releases) => {
      const server = await start(...releases)
      for (const path of [configMaps, `${configMaps}/a`, '/apis/example.com/v1/things', '/api/v1/namespaces/default']) {
        expect(await send(server, path)).toMatchObject(refused)
      }
      expect(await send(server, configMaps, configMap)).toMatchObject(refused)
      expect(await send(server, '/api/v1/namespaces/default/serviceaccounts/default/token', {})).toMatchObject(refused)
    },
  )

  test.each(sides('with further fields in operations'))(
    'reads and writes if the %s send fields that the others do not know [M2]',
    async (_, ...releases) => {
      const server = await start(...releases)
      expect(await send(server, configMaps, configMap)).toMatchObject({ status: 201 })
      expect(await send(server, configMaps)).toMatchObject({ status: 200, json: { items: [{ metadata: { name: 'a' } }] } })
    },
  )

  test.each([
    ['reads and writes on', 'with a further schema step', { status: 200, json: { items: [{}, {}] } }],
    ['503 with Retry-After on', 'with data that only later releases can read', refused],
  ] as const)('%s the data of a release %s that was taken back', async (_, release, expected) => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
    try {
      const later = await start(release, release, dataDirectory)
      expect(await send(later, configMaps, configMap)).toMatchObject({ status: 201 })
      await later.dispose()
      const server = await start('this', 'this', dataDirectory)
      await send(server, configMaps, { ...configMap, metadata: { name: 'b' } })
      expect(await send(server, configMaps)).toMatchObject(expected)
    } finally {
      await miniflare?.dispose()
      miniflare = undefined
      rmSync(dataDirectory, { recursive: true, force: true })
    }
  })

  test('503 with Retry-After for a verb that the Durable Objects do not know, and the others work [M1]', async () => {
    const server = await start('with another verb', 'this')
    expect(await send(server, configMaps)).toMatchObject(refused)
    expect(await send(server, configMaps, configMap)).toMatchObject({ status: 201 })
    expect(await send(server, `${configMaps}/a`)).toMatchObject({ status: 200 })
  })
})
