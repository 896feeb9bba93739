/** Warnings for unknown formats, which are not validated. */
import { goQuote } from '../../go/text.ts'
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

/** Returns a warning for each unknown format that the old definition did not have. */
export function formatWarnings(definition: CustomResourceDefinition, old: CustomResourceDefinition | undefined): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old))
  return unknownFormats(definition)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`)
}
