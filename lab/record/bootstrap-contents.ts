/**
 * Writes src/controllers/bootstrap/contents.ts, the objects with which a control object begins: those that a server has made one by
 * one. Run it again when the release or the bootstrap objects change:
 *
 *   node scripts/bootstrap-contents.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { deflateRawSync } from 'node:zlib'
import { controlledCollections } from '../src/clusters/placement.ts'

const root = resolve(import.meta.dirname, '..')
const target = join(root, 'src/controllers/bootstrap/contents.ts')

/** Starts a server in an empty directory. Its control object makes the objects, because it has no contents to begin with. */
async function start(directory: string): Promise<() => Promise<void>> {
  // Aggregated roles are the work of a controller, which may be missing.
  const options = ['--port', '0', '--data-dir', directory, '--controllers', '*,-clusterrole-aggregation-controller']
  const child = spawn(process.execPath, [join(root, 'bin/edgeplane.mjs'), 'start', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) if (String(chunk).includes('Stop it with')) break
  return async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

/** Reads the rows of the control object, oldest first. */
function rowsIn(directory: string): readonly (readonly [string, string, string])[] {
  const [file = ''] = globSync(join(directory, 'objects/edgeplane-control/*.sqlite')).filter(
    (path) => !path.endsWith('metadata.sqlite'),
  )
  const database = new DatabaseSync(file, { readOnly: true })
  const statement = database.prepare('SELECT l.key, l.labels, l.value FROM current c JOIN log l ON l.rv = c.rv ORDER BY l.rv')
  const rows = statement.all() as { key: string; labels: string; value: string }[]
  database.close()
  return rows
    .filter(({ key }) => controlledCollections.has(key.split('/', 1)[0] ?? ''))
    .map(({ key, labels, value }) => [key, labels, withoutDifferences(value)])
}

/** Replaces the values that differ between clusters: two runs give the same text. */
const withoutDifferences = (value: string): string =>
  value
    .replace(/"uid":"[^"]*"/, '"uid":"00000000-0000-4000-8000-000000000000"')
    .replace(/"resourceVersion":"\d+"/, '"resourceVersion":"1"')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '2000-01-01T00:00:00Z')

const directory = mkdtempSync(join(tmpdir(), 'edgeplane-contents-'))
const former = readFileSync(target, 'utf8')
writeFileSync(target, former.replace(/'[^']*'/, "''"))
const stop = await start(directory)
const kubeconfig = readFileSync(join(directory, 'kubeconfig'), 'utf8')
const fieldOf = (key: string): string => new RegExp(`${key}"?: "?([^",\\s]+)`).exec(kubeconfig)?.[1] ?? ''
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
// The first request makes the objects; the status of flow schemas follows.
await (await fetch(`${fieldOf('server')}/readyz`, { headers: { authorization: `Bearer ${fieldOf('token')}` } })).text()
await setTimeout(2000)
await stop()
const rows = rowsIn(directory)
const compressed = deflateRawSync(JSON.stringify(rows), { level: 9 }).toString('base64')
writeFileSync(target, former.replace(/'[^']*'/, `'${compressed}'`))
rmSync(directory, { recursive: true, force: true })
console.log(`${rows.length} objects, ${compressed.length} characters`)
