import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { served, typeTables } from '../../src/catalog/generated/served.ts'
import type { FieldTable, TypeTable, VersionTable } from '../../src/schema/tables.ts'
import { renderTypes } from '../tables/render-types.ts'
import { expressions, references, TableIndex, tableName } from '../tables/type-references.ts'
import { type Manifest, manifestFaults } from './manifest.ts'
import { settleOwnership } from './ownership.ts'

type Struct = Extract<TypeTable, { fields: object }>

const generatedFolder = join(import.meta.dirname, '../../src/catalog/generated')

const tables: VersionTable[] = await Promise.all(
  readdirSync(generatedFolder)
    .filter((name) => /^\w+\.\w+\.ts$/.test(name))
    .map(async (name) => (await import(join(generatedFolder, name))).table),
)
const index = new TableIndex(tables)

/** Types of packages without a table. */
const WITHOUT_TABLE = new Set([
  'intstr.IntOrString',
  'resource.Quantity',
  'runtime.Object',
  'runtime.RawExtension',
  'time.Duration',
  'types.NodeName',
  'types.UID',
])
const BUILT_IN = new Set(['string', 'bool', 'byte', 'int', 'int32', 'int64', 'uint8', 'float64', 'interface{}'])

function struct(reference: string): Struct {
  const type = index.type(reference)
  if (type === undefined) throw new Error(`there is no ${reference}`)
  return 'alias' in type ? struct(type.alias) : type
}

function field(reference: string, name: string): FieldTable | undefined {
  return struct(reference).fields[name]
}

function tableOf(name: string): VersionTable {
  const table = tables.find((t) => tableName(t) === name)
  if (table === undefined) throw new Error(`no table ${name}`)
  return table
}

function structs(): [string, Struct][] {
  return tables.flatMap((table) =>
    Object.entries(table.types).flatMap(([name, type]): [string, Struct][] =>
      'alias' in type ? [] : [[`${tableName(table)}.${name}`, type]],
    ),
  )
}

describe('generated tables', () => {
  test('every type reference in the tables resolves', () => {
    const missing = tables.flatMap(expressions).flatMap((expression) => {
      const names = references(expression)
      if (names.length === 0) return BUILT_IN.has(expression.replaceAll(/^\*|\[\]|map\[string\]/g, '')) ? [] : [expression]
      return names.filter((name) => !WITHOUT_TABLE.has(name) && index.type(name) === undefined)
    })
    expect(missing).toEqual([])
  })

  test('every kind of a resource or subresource has a type', () => {
    const missing = tables.flatMap((table) =>
      table.resources.flatMap((resource) => {
        const kinds = [{ kind: resource.kind }, ...(resource.subresources ?? []).map((s) => s.kind)]
        return kinds.filter(
          ({ group = table.group, version = table.version, kind }: { group?: string; version?: string; kind: string }) => {
            const home = tables.find((t) => t.group === group && t.version === version)
            return home === undefined || !Object.hasOwn(home.types, kind)
          },
        )
      }),
    )
    expect(missing).toEqual([])
  })

  test('protobuf field numbers are unique in each message', () => {
    for (const [name, type] of structs()) {
      const places = Object.values(type.fields)
        .filter((f) => f.protobuf !== undefined)
        .map((f) => [...(f.protobufPath ?? []), f.protobuf].join('.'))
      expect(new Set(places).size, name).toBe(places.length)
      const messages = Object.values(type.fields).flatMap((f) =>
        (f.protobufPath ?? []).map((_, i, path) => path.slice(0, i + 1).join('.')),
      )
      expect(
        places.filter((place) => messages.includes(place)),
        name,
      ).toEqual([])
    }
  })

  test("listMapKeys are fields of the list's elements", () => {
    for (const [name, type] of structs()) {
      for (const [fieldName, f] of Object.entries(type.fields)) {
        expect((f.listType === 'map') === (f.listMapKeys !== undefined), `${name}.${fieldName}`).toBe(true)
        for (const key of f.listMapKeys ?? []) expect(elementOf(f.type).fields, `${name}.${fieldName}`).toHaveProperty([key])
      }
    }
  })
})

function elementOf(expression: string): Struct {
  const type = index.type(expression)
  if (type !== undefined && 'alias' in type) return elementOf(type.alias)
  return struct(expression.replace(/^\*?\[\]\*?/, ''))
}

describe('served tables', () => {
  test('served versions are in discovery order, the preferred version first', () => {
    const names = served.map(tableName)
    expect(names.slice(0, 3)).toEqual(['core/v1', 'apiregistration/v1', 'apps/v1'])
    expect(names.indexOf('autoscaling/v2')).toBe(names.indexOf('autoscaling/v1') - 1)
    expect(names).toHaveLength(22)
  })

  test('the generated folder contains only served tables and those of meta and apidiscovery', () => {
    const needed = new Set([...served.map(tableName), 'apidiscovery/v2', 'meta/v1', 'meta/v1beta1'])
    expect(new Set(tables.map(tableName))).toEqual(needed)
  })

  test('the served tables contain all types that they refer to, and no other table', () => {
    const needed = new Set([...served.map(tableName), 'meta/v1'])
    expect(new Set(typeTables.keys())).toEqual(needed)
    const referred = [...typeTables.values()].flatMap(expressions).flatMap(references)
    const absent = referred.filter((name) => !WITHOUT_TABLE.has(name) && !typeTables.has(name.slice(0, name.lastIndexOf('.'))))
    expect(absent).toEqual([])
  })

  test('singular, shortNames, categories, subresources and verbs of resources equal those of kube-apiserver', () => {
    const pods = tableOf('core/v1').resources.find((r) => r.resource === 'pods')
    expect(pods).toMatchObject({ singular: 'pod', kind: 'Pod', namespaced: true, shortNames: ['po'], categories: ['all'] })
    expect(pods?.subresources).toContainEqual({
      name: 'eviction',
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      verbs: ['create'],
    })
    const namespaces = tableOf('core/v1').resources.find((r) => r.resource === 'namespaces')
    expect(namespaces?.verbs).not.toContain('deletecollection')
  })
})

describe('facts about single types', () => {
  test('container ports are keyed by port and protocol, which is TCP by default', () => {
    expect(field('core/v1.Container', 'ports')).toMatchObject({ listType: 'map', listMapKeys: ['containerPort', 'protocol'] })
    expect(field('core/v1.ContainerPort', 'protocol')?.default).toBe('TCP')
    expect(field('core/v1.Container', 'env')).toMatchObject({ patchStrategy: 'merge', patchMergeKey: 'name' })
  })

  test("the fields of Pod are in Go's order: TypeMeta without protobuf numbers, then metadata, spec and status", () => {
    const fields = Object.entries(struct('core/v1.Pod').fields)
    expect(fields.map(([name, f]) => [name, f.protobuf])).toEqual([
      ['kind', undefined],
      ['apiVersion', undefined],
      ['metadata', 1],
      ['spec', 2],
      ['status', 3],
    ])
  })

  test('the fields of an inlined struct are flat in JSON and nested in protobuf', () => {
    expect(field('core/v1.Volume', 'name')).toMatchObject({ protobuf: 1 })
    expect(field('core/v1.Volume', 'hostPath')).toMatchObject({ protobuf: 1, protobufPath: [2] })
    expect(field('admissionregistration/v1.NamedRuleWithOperations', 'scope')).toMatchObject({ protobufPath: [2, 2] })
    expect(index.type('authentication/v1.ExtraValue')).toEqual({ alias: '[]string', message: true })
  })

  test('selectors are atomic, claimRef is granular and a ResourceList has no marker', () => {
    expect(struct('meta/v1.LabelSelector').structType).toBe('atomic')
    expect(struct('core/v1.NodeSelectorTerm').structType).toBe('atomic')
    expect(index.type('core/v1.ResourceList')).toEqual({ alias: 'map[core/v1.ResourceName]resource.Quantity' })
    expect(field('core/v1.PersistentVolumeSpec', 'claimRef')?.structType).toBe('granular')
  })

  test('a +default marker may refer to a constant', () => {
    expect(field('core/v1.AzureDiskVolumeSource', 'cachingMode')?.default).toBe('ReadWrite')
  })

  test('a deprecated resource has its lifecycle: introduced, deprecated and replacement', () => {
    expect(tableOf('core/v1').resources.find((r) => r.resource === 'endpoints')?.lifecycle).toEqual({
      introduced: [1, 0],
      deprecated: [1, 33],
      replacement: { group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice' },
    })
  })

  test('a type with its own JSON methods is marked customJson', () => {
    expect(struct('apiextensions/v1.JSONSchemaPropsOrBool')).toMatchObject({
      customJson: true,
      fields: { allows: { protobuf: 1 }, schema: { protobuf: 2 } },
    })
  })
})

test('the structured-merge-diff schema of client-go overrides the markers of a table and every difference is reported', () => {
  const table: VersionTable = {
    group: '',
    version: 'v1',
    package: 'core',
    resources: [],
    types: { T: { fields: { list: { type: '[]string', omitempty: true }, text: { type: 'string' } } } },
  }
  const found = settleOwnership(
    [table],
    [
      {
        name: 'io.k8s.api.core.v1.T',
        map: {
          elementRelationship: 'atomic',
          fields: [
            { name: 'list', type: { list: { elementRelationship: 'associative', elementType: { scalar: 'string' } } } },
            { name: 'text', type: { scalar: 'string' }, default: 'x' },
          ],
        },
      },
    ],
  )
  expect(found).toHaveLength(3)
  expect(table.types).toEqual({
    T: {
      structType: 'atomic',
      fields: { list: { type: '[]string', omitempty: true, listType: 'set' }, text: { type: 'string', default: 'x' } },
    },
  })
})

describe('generated TypeScript types', () => {
  const sample = (types: VersionTable['types']): VersionTable => ({
    group: '',
    version: 'v1',
    package: 'core',
    resources: [],
    types,
  })
  const written = (fields: Struct['fields']): string => {
    const table = sample({ T: { fields }, Kinds: { alias: '[]core/v1.Kind' }, Kind: { alias: 'string', enum: ['a'] } })
    return renderTypes(table, new TableIndex([table]))
  }

  test('a field is optional only if decoding omits it', () => {
    expect(written({ text: { type: 'string' }, number: { type: 'int32', omitempty: true } })).toContain(
      'text: string\n  number?: number\n',
    )
    // Go ignores omitempty on a struct and obeys omitzero.
    expect(written({ amount: { type: 'resource.Quantity', omitempty: true } })).toContain('amount: string\n')
    expect(written({ time: { type: 'meta/v1.Time', omitempty: true, omitzero: true } })).toContain('time?: string\n')
  })

  test('an absent list, map, pointer or time is null unless it is omitted', () => {
    expect(written({ list: { type: '[]string' }, map: { type: 'map[string]int32' } })).toContain(
      'list: string[] | null\n  map: Record<string, number> | null\n',
    )
    expect(written({ pointer: { type: '*int32' }, time: { type: 'meta/v1.Time' } })).toContain(
      'pointer: number | null\n  time: string | null\n',
    )
    expect(written({ pointer: { type: '*int32', omitempty: true } })).toContain('pointer?: number\n')
  })

  test('a list of a named string type is generated as a named list of strings', () => {
    const text = written({ kinds: { type: 'core/v1.Kinds', omitempty: true }, kind: { type: 'core/v1.Kind' } })
    expect(text).toContain('kinds?: Kinds\n  kind: string\n')
    expect(text).toContain('export type Kinds = string[]\n')
  })

  test('a kind extends KubernetesObject', () => {
    const metadata = { type: 'meta/v1.ObjectMeta', omitempty: true } as const
    const text = written({
      kind: { type: 'string' },
      apiVersion: { type: 'string' },
      metadata,
      data: { type: 'runtime.RawExtension' },
    })
    expect(text).toContain('export interface T extends KubernetesObject {\n  data: JsonValue | null\n}')
  })
})

describe("manifest of the tables' texts", () => {
  const manifest: Manifest = { sources: { 'types.ts': '1' }, texts: { 'core.v1.txt': '2', 'apps.v1.txt': '3' } }

  test('has no fault if all hashes agree', () => {
    expect(manifestFaults(manifest, structuredClone(manifest))).toEqual([])
  })

  test('names changed sources, edited texts, missing texts and unknown texts', () => {
    const current: Manifest = { sources: { 'types.ts': '0' }, texts: { 'core.v1.txt': '0', 'new.txt': '4' } }
    expect(manifestFaults(manifest, current)).toEqual([
      'scripts/catalog/types.ts changed since the texts were written.',
      'src/catalog/tables/apps.v1.txt is missing.',
      'src/catalog/tables/core.v1.txt was edited by hand.',
      'src/catalog/tables/new.txt does not belong there.',
    ])
  })
})
