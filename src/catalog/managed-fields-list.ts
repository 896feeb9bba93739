/** Recognizes managedFields in objects that are not decoded. */
import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import { conversionError } from '../schema/convert.ts'
import { typeOf } from './scheme.ts'

/** Whether the value is a list that Go converts to managedFields, even an empty one. */
export function areManagedFields(value: JsonValue | undefined): boolean {
  if (!Array.isArray(value)) return false
  const entry = typeOf('meta/v1.ManagedFieldsEntry')
  return value.every((each) => isObject(each) && conversionError(entry, each) === undefined)
}
