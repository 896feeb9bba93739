/**
 * Writes src/controllers/bootstrap/contents.ts, the objects with which a control object begins: those that a server has made one by
 * one. Run it again when the release or the bootstrap objects change.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { deflateRawSync } from 'node:zlib'
import { controlledCollections } from '../../src/clusters/placement.ts'
import { startServer } from '../../test/server.ts'
import { command } from '../command.ts'
import { root } from '../root.ts'

const target = join(root, 'src/controllers/bootstrap/contents.ts')

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

/** Starts a server whose control object makes the objects, because it has no contents to begin with, and returns their rows. */
async function madeRows(): Promise<readonly (readonly [string, string, string])[]> {
  // Aggregated roles are the work of a controller, which may be missing.
  const server = await startServer({ args: ['--controllers', '*,-clusterrole-aggregation-controller'] })
  // The first request makes the objects; the status of flow schemas follows.
  await server.send('/readyz')
  await setTimeout(2000)
  await server.end()
  const rows = rowsIn(server.dataDirectory)
  rmSync(server.dataDirectory, { recursive: true, force: true })
  return rows
}

export default command({
  async run() {
    const former = readFileSync(target, 'utf8')
    writeFileSync(target, former.replace(/'[^']*'/, "''"))
    const rows = await madeRows()
    const compressed = deflateRawSync(JSON.stringify(rows), { level: 9 }).toString('base64')
    writeFileSync(target, former.replace(/'[^']*'/, `'${compressed}'`))
    console.log(`${rows.length} objects, ${compressed.length} characters`)
  },
})
