/** Checks of the annotations with a meaning for Nodes. Follows ValidateNodeSpecificAnnotations of core/validation. */
import { parseJson } from '../../../go/json.ts'
import { checkSyntax } from '../../../go/json-syntax.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import { decode } from '../../../schema/decode.ts'
import type { AvoidPods, Taint } from '../../generated/types/core.v1.ts'
import { typeOf } from '../../scheme.ts'
import type { Errors } from '../checks.ts'
import { checkTaints } from './taints.ts'

const taintsKey = 'scheduler.alpha.kubernetes.io/taints'
const avoidKey = 'scheduler.alpha.kubernetes.io/preferAvoidPods'

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function parsed(text: string): JsonValue {
  checkSyntax(text)
  return parseJson(text)
}

const jsonKinds: Readonly<Record<string, string>> = { string: 'string', number: 'number', boolean: 'bool', object: 'object' }

/** Parses the annotation that contained taints before Nodes had a field for them. */
function taintsOf(text: string): Taint[] {
  const value = parsed(text)
  if (value === null) return []
  if (!Array.isArray(value))
    throw new Error(`json: cannot unmarshal ${jsonKinds[typeof value]} into Go value of type []core.Taint`)
  return value.map((taint) => {
    const fields = Object.entries((taint ?? {}) as Readonly<Record<string, unknown>>).map(([key, field]) => [
      key.toLowerCase(),
      field,
    ])
    return { key: '', effect: '', ...Object.fromEntries(fields) } as Taint
  })
}

function checkTaintsAnnotation(text: string, field: string, errors: Errors): void {
  try {
    checkTaints(taintsOf(text), `${field}.${taintsKey}`, errors)
  } catch (error) {
    errors.invalid(field, taintsKey, textOf(error))
  }
}

function checkAvoided({ preferAvoidPods = [] }: AvoidPods, field: string, errors: Errors): void {
  for (const [index, { podSignature }] of preferAvoidPods.entries()) {
    const at = `${field}.${avoidKey}[${index}].PodSignature`
    if (podSignature.podController === undefined) errors.required(at)
    else if (podSignature.podController.controller !== true) {
      errors.invalid(`${at}.PodController.Controller`, false, 'must point to a controller')
    }
  }
}

/** Validates the annotations of a Node. */
export function checkNodeAnnotations({ annotations = {} }: ObjectMeta, errors: Errors): void {
  const field = 'metadata.annotations'
  const { [taintsKey]: taints = '', [avoidKey]: avoided = '' } = annotations
  if (taints !== '') checkTaintsAnnotation(taints, field, errors)
  if (avoided === '') return
  try {
    checkAvoided(decode(typeOf('core/v1.AvoidPods'), parsed(avoided)).object as AvoidPods, field, errors)
  } catch (error) {
    errors.invalid(`${field}.AvoidPods`, avoidKey, textOf(error))
  }
}
