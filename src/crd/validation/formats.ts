/** Warnings for unknown formats, which are not validated. */
import { goQuote } from '../../go/text.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import type { CustomResourceDefinition } from '../definition.ts'
import { type JsonSchema, someSchema } from '../json-schema.ts'
import { isKnownFormat } from '../schema/formats.ts'
import { sharedParts } from './versions.ts'

function unknownIn(schema: JsonSchema | undefined): string[] {
  const found: string[] = []
  someSchema(schema, ({ type = '', format = '' }) => {
    if (format !== '' && !isKnownFormat(type, format)) found.push(format)
    return false
  })
  return found
}

function unknownFormats({ spec }: CustomResourceDefinition): string[] {
  const versions = sharedParts(spec).schema ? spec.versions.slice(0, 1) : spec.versions
  return versions.flatMap(({ schema }) => unknownIn(schema?.openAPIV3Schema))
}

/** Warns of each unknown format that the old definition did not have. */
export function warnOfFormats(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  warnings: WarningRecorder,
): void {
  const before = new Set(old === undefined ? [] : unknownFormats(old))
  for (const format of unknownFormats(definition)) {
    if (!before.has(format)) warnings.add(`unrecognized format ${goQuote(format)}`)
  }
}
