import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseJson, stringify } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { VersionTable } from '../schema/tables.ts'
import { readEnvelope, writeEnvelope } from './envelope.ts'
import { Messages } from './messages.ts'
import { encodeMessage } from './writer.ts'

/** Objects as upstream serialises them, with all fields set: the kinds of k8s.io/api in the versions that have a table. */
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

/** Kinds such as Status are registered in every version. */
function referenceOf(apiVersion: string, kind: string): string {
  const own = `${packages.get(apiVersion)}.${kind}`
  return messages.has(own) ? own : `meta/v1.${kind}`
}

/** Compares in both directions. A WatchEvent has no apiVersion and kind. */
function expectSame({ apiVersion = '', kind = '', ...object }: JsonObject, bytes: Uint8Array): void {
  const typeMeta = { apiVersion: String(apiVersion), kind: String(kind) }
  const reference = referenceOf(typeMeta.apiVersion, typeMeta.kind || 'WatchEvent')
  const write = (value: JsonObject): Uint8Array =>
    encodeMessage((writer) => writeEnvelope(writer, typeMeta, () => messages.write(reference, writer, value)))
  expect(Buffer.compare(write(object), bytes)).toBe(0)
  const writeText = (text: string): Uint8Array =>
    encodeMessage((writer) =>
      writeEnvelope(writer, typeMeta, () => void messages.writeText(reference, writer, Buffer.from(text))),
    )
  const text = stringify({ apiVersion, kind, ...object })
  expect(Buffer.compare(writeText(text), bytes)).toBe(0)
  // Stored texts have no white space, so this one is parsed as any JSON.
  expect(Buffer.compare(writeText(text.replace('{', '{ ')), bytes)).toBe(0)
  const { raw, ...envelope } = readEnvelope(bytes)
  expect(envelope).toEqual(typeMeta)
  expect(Buffer.compare(write(messages.decode(reference, raw)), bytes)).toBe(0)
}

describe.runIf(existsSync(upstream))("the protobuf of upstream's test data, both ways", () => {
  const versions = new Set([...tables.values()].map(({ group, version }) => `${group || 'core'}.${version}`))
  const all = existsSync(upstream) ? readdirSync(upstream).filter((name) => name.endsWith('.json')) : []
  const names = all.filter((name) => versions.has(/^(.*)\.\w+\.json$/.exec(name)?.[1] ?? ''))

  test.each(names)('%s', (name) => {
    const object = parseJson(readFileSync(join(upstream, name), 'utf8')) as JsonObject
    const bytes = readFileSync(join(upstream, name.replace(/json$/, 'pb')))
    expectSame(object, bytes)
    const { apiVersion = '', kind = '', ...expected } = object
    expect(messages.decode(referenceOf(String(apiVersion), String(kind) || 'WatchEvent'), readEnvelope(bytes).raw)).toEqual(
      expected,
    )
  })
})

/** A response of kube-apiserver in JSON and in protobuf: objects as clients create them, with most fields omitted. */
interface Recorded {
  readonly json: JsonObject
  readonly protobuf: string
}

const recorded = readFileSync(join(import.meta.dirname, '../../conformance/recorded/protobuf.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => parseJson(line) as unknown as Recorded)

test.each(recorded.map(({ json, protobuf }) => [`${json.apiVersion} ${json.kind}`, json, protobuf] as const))(
  'recorded response of kube-apiserver: %s',
  (_name, json, protobuf) => expectSame(json, Buffer.from(protobuf, 'base64')),
)
