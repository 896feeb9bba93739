import { updateManagedFields } from '../src/apply/managers.ts'
import { typeOf } from '../src/catalog/catalogue.ts'
import { kindsOf } from '../src/crd/kind.ts'
import { openApiSchemas } from '../src/crd/openapi.ts'
import { definitionErrors } from '../src/crd/validation/definition.ts'
import { parseJson, stringify } from '../src/meta/json.ts'
import { decode } from '../src/schema/decode.ts'
import { definition } from './custom-definitions.ts'

const t = <T>(l: string, f: () => T): T => {
  const b = performance.now()
  const r = f()
  console.log(l, (performance.now() - b).toFixed(0), 'ms')
  return r
}
const schemas: Record<string, any> = {
  props: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 40000 }, (_, i) => ['p' + i, { type: 'string' }])),
      },
    },
  },
  enums: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { e: { type: 'string', enum: Array.from({ length: 100000 }, (_, i) => 'v' + i) } } },
    },
  },
  pats: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 1000 }, (_, i) => ['p' + i, { type: 'string', pattern: '^(a|b|c){1,200}$' }]),
        ),
      },
    },
  },
}
for (const [n, s] of Object.entries(schemas)) {
  console.log(n)
  const d = { ...definition(1, s), status: { acceptedNames: { plural: 'a', kind: 'A' }, storedVersions: ['v1'] } }
  const text = JSON.stringify(d)
  const type = typeOf('apiextensions/v1.CustomResourceDefinition')
  const parsed = t('parse', () => parseJson(text, 'verbatim'))
  const o = t('decode', () => decode(type, parsed, { strict: true })).object as any
  t('errors', () => definitionErrors(o).length)
  t('managed', () =>
    updateManagedFields({
      type,
      apiVersion: 'apiextensions.k8s.io/v1',
      old: undefined,
      new: o,
      managers: [],
      manager: 'x',
      subresource: '',
      time: '2026-01-01T00:00:00Z',
      resetFields: [] as any,
    }),
  )
  t('write', () => stringify(o).length)
  const k = t('kinds', () => kindsOf(o, 'x').get('v1'))
  t('type', () => k?.type)
  t('validate', () => k?.custom?.validate({ metadata: {}, spec: { p1: 'x', e: 'v1' } } as any).length)
  t('openapi', () => openApiSchemas(s, false))
}
