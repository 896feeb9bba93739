/** A custom resource of 4 KB, alone: decoded as a body is, validated, and written as it is stored. */
import type { Kind } from '../src/catalog/kind.ts'
import type { CustomResourceDefinition } from '../src/crd/definition.ts'
import { kindsOf } from '../src/crd/kind.ts'
import { parseJson } from '../src/meta/json.ts'
import { encodeValue } from '../src/registry/stored-object.ts'
import { certificate, certificateSchema, definition, ruledSchema } from './custom-definitions.ts'

function kindOfDefinition(of: CustomResourceDefinition): Kind & Required<Pick<Kind, 'custom'>> {
  const kind = kindsOf(of, 'bench').get('v1')
  if (kind?.custom === undefined) throw new Error('no kind')
  return { ...kind, type: kind.type, custom: kind.custom }
}

function cases(): Record<string, () => unknown> {
  const plain = definition(0, certificateSchema)
  const kind = kindOfDefinition(plain)
  const ruled = kindOfDefinition(definition(0, ruledSchema))
  const text = JSON.stringify(certificate(plain, 'bench'))
  const body = parseJson(text, 'verbatim')
  const { object } = kind.custom.decode(body, text, 'Strict')
  const wrong = [...kind.custom.validate(object), ...ruled.custom.validate(object)]
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong))
  return {
    'prune, default and validate a custom resource of 4 KB': () => {
      const decoded = kind.custom.decode(body, undefined, 'Strict')
      return kind.custom.validate(decoded.object)
    },
    'prune and default a custom resource of 4 KB': () => kind.custom.decode(body, undefined, 'Strict'),
    'validate a custom resource of 4 KB': () => kind.custom.validate(object),
    'validate a custom resource of 4 KB with 10 rules': () => ruled.custom.validate(object),
    'write a custom resource of 4 KB as it is stored': () => encodeValue(kind, object, '1'),
  }
}

/** By what they measure. */
export const customCases: Readonly<Record<string, () => unknown>> = cases()
