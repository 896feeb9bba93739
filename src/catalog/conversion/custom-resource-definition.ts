/**
 * Changes of CustomResourceDefinitions: in v1 each version has its own schema, subresources, columns and selectable fields. Follows
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
 */
import { copyOf } from '../../go/json-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { type Changes, objectAt, objectsAt, rename } from './fields.ts'

/** The fields of a spec that v1 has in each version, with their names there. */
const perVersion: readonly (readonly [spec: string, version: string])[] = [
  ['subresources', 'subresources'],
  ['validation', 'schema'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
  ['selectableFields', 'selectableFields'],
]

const present = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

/** Gives every version the fields that the spec has for all of them. */
function divide(spec: JsonObject, versions: readonly JsonObject[]): void {
  for (const [name, inVersion] of perVersion) {
    const value = spec[name]
    delete spec[name]
    if (value === undefined || value === null) continue
    for (const version of versions) version[inVersion] = copyOf(value)
  }
}

/** Moves fields that are equal in all versions to the spec. */
function unite(spec: JsonObject, versions: readonly JsonObject[]): void {
  for (const [name, inVersion] of perVersion) {
    const value = versions[0]?.[inVersion]
    const text = JSON.stringify(present(value) ? value : null)
    if (versions.some((v) => JSON.stringify(present(v[inVersion]) ? v[inVersion] : null) !== text)) continue
    if (present(value)) spec[name] = value ?? null
    for (const version of versions) delete version[inVersion]
  }
}

function conversionToStorage(conversion: JsonObject): void {
  rename(conversion, 'webhookClientConfig', 'clientConfig')
  const { clientConfig, conversionReviewVersions, ...rest } = conversion
  const hasWebhook = present(clientConfig) || present(conversionReviewVersions)
  for (const name of Object.keys(conversion)) delete conversion[name]
  Object.assign(conversion, rest)
  if (!hasWebhook) return
  conversion.webhook = { conversionReviewVersions: conversionReviewVersions ?? null }
  if (clientConfig !== undefined) conversion.webhook.clientConfig = clientConfig
}

function conversionFromStorage(conversion: JsonObject): void {
  const webhook = objectAt(conversion, 'webhook')
  delete conversion.webhook
  if (webhook === undefined) return
  if (present(webhook.clientConfig)) conversion.webhookClientConfig = webhook.clientConfig ?? null
  conversion.conversionReviewVersions = webhook.conversionReviewVersions ?? null
}

const columnsOf = (holder: JsonObject): JsonObject[] => objectsAt(holder, 'additionalPrinterColumns')

/** The changes of apiextensions.k8s.io/v1beta1. */
export const definitionChanges: Changes = {
  toStorage: (object) => {
    const spec = objectAt(object, 'spec') ?? {}
    const { version } = spec
    if (objectsAt(spec, 'versions').length === 0 && typeof version === 'string' && version !== '') {
      spec.versions = [{ name: version, served: true, storage: true }]
    }
    delete spec.version
    const versions = objectsAt(spec, 'versions')
    divide(spec, versions)
    for (const column of versions.flatMap(columnsOf)) rename(column, 'JSONPath', 'jsonPath')
    conversionToStorage(objectAt(spec, 'conversion') ?? {})
  },
  fromStorage: (object) => {
    const spec = objectAt(object, 'spec') ?? {}
    const versions = objectsAt(spec, 'versions')
    spec.version = versions[0]?.name ?? ''
    unite(spec, versions)
    for (const column of [spec, ...versions].flatMap(columnsOf)) rename(column, 'jsonPath', 'JSONPath')
    conversionFromStorage(objectAt(spec, 'conversion') ?? {})
    // It is behind a pointer, and false is the value of v1 without the field.
    spec.preserveUnknownFields ??= false
  },
}
