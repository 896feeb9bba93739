import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../meta/json.ts'
import type { JsonObject } from '../meta/json-value.ts'
import type { VersionTable } from '../schema/tables.ts'
import { readEnvelope, writeEnvelope } from './envelope.ts'
import { Messages } from './messages.ts'
import { written } from './writer.ts'

/** Objects as upstream serialises them: every kind of k8s.io/api, with all fields set. */
const upstream = join(process.env.GOMODCACHE ?? join(homedir(), 'go/pkg/mod'), 'k8s.io/api@v0.36.3/testdata/HEAD')
const generated = join(import.meta.dirname, '../catalog/generated')

async function readTable(file: string): Promise<readonly [string, VersionTable]> {
  const { table } = (await import(join(generated, file))) as { readonly table: VersionTable }
  return [file.replace(/\.ts$/, '').replace('.', '/'), table]
}

const files = readdirSync(generated).filter((file) => /^\w+\.\w+\.ts$/.test(file))
const tables = new Map(await Promise.all(files.map(readTable)))
const messages = new Messages(tables)
const packages = new Map([...tables].map(([path, { group, version }]) => [group === '' ? version : `${group}/${version}`, path]))

/** Kinds such as Status are in every version. */
function referenceOf(apiVersion: string, kind: string): string {
  const own = `${packages.get(apiVersion)}.${kind}`
  return messages.has(own) ? own : `meta/v1.${kind}`
}

describe.runIf(existsSync(upstream))('as upstream serialises', () => {
  const names = existsSync(upstream) ? readdirSync(upstream).filter((name) => name.endsWith('.json')) : []

  test.each(names)('%s', (name) => {
    const bytes = readFileSync(join(upstream, name.replace(/json$/, 'pb')))
    // A WatchEvent does not say that it is one.
    const { apiVersion = '', kind = '', ...object } = parseJson(readFileSync(join(upstream, name), 'utf8')) as JsonObject
    const said = { apiVersion: String(apiVersion), kind: String(kind) }
    const reference = referenceOf(said.apiVersion, said.kind || 'WatchEvent')
    const envelope = readEnvelope(bytes)
    expect(messages.decode(reference, envelope.raw)).toEqual(object)
    const ours = written((writer) => writeEnvelope(writer, said, () => messages.write(reference, writer, object)))
    expect(Buffer.compare(ours, bytes)).toBe(0)
  })
})
