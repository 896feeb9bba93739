/** Checks of a Pod's volumes. Follows ValidateVolumes of k8s.io/kubernetes/pkg/apis/core/validation. */
import { duplicate, type FieldError, forbiddenValue, invalidValue, required } from '../../../meta/field-error.ts'
import type { Volume } from '../../shapes/pod.ts'
import { checkDnsLabel, type Errors } from '../checks.ts'

interface KeyToPath {
  key: string
  path: string
  mode?: number
}

const highestMode = 0o777
const modeText = 'must be a number between 0 and 0777 (octal), both inclusive'

function checkMode(mode: number | undefined, field: string, errors: Errors): void {
  if (mode !== undefined && (mode < 0 || mode > highestMode)) errors.push(invalidValue(field, mode, modeText))
}

/** A path below the volume: relative, and not out of it. */
function checkLocalPath(path: string, field: string, errors: Errors): void {
  if (path.startsWith('/')) errors.push(invalidValue(field, path, 'must be a relative path'))
  if (path.split('/').includes('..')) errors.push(invalidValue(field, path, "must not contain '..'"))
  else if (path.startsWith('..')) errors.push(invalidValue(field, path, "must not start with '..'"))
}

function checkItems(items: readonly KeyToPath[] | undefined, field: string, errors: Errors): void {
  for (const [index, { key, path, mode }] of (items ?? []).entries()) {
    const at = `${field}[${index}]`
    if (key === '') errors.push(required(`${at}.key`))
    if (path === '') errors.push(required(`${at}.path`))
    else checkLocalPath(path, `${at}.path`, errors)
    checkMode(mode, `${at}.mode`, errors)
  }
}

/** Checks one source at its field. */
type CheckSource = (source: never, field: string, errors: Errors) => void

/** A source whose one field must be given. */
const needs =
  (name: string): CheckSource =>
  (source: Readonly<Record<string, unknown>>, field, errors) => {
    if ((source[name] ?? '') === '') errors.push(required(`${field}.${name}`))
  }

/** The sources whose content is checked, in the order in which a second one is refused. */
const sources: Readonly<Record<string, CheckSource>> = {
  emptyDir: (source: { sizeLimit?: string }, field, errors) => {
    if (source.sizeLimit?.startsWith('-') !== true) return
    errors.push(forbiddenValue(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'))
  },
  hostPath: (source: { path: string }, field, errors) => {
    if (source.path === '') errors.push(required(`${field}.path`))
    else if (source.path.split('/').includes('..'))
      errors.push(invalidValue(`${field}.path`, source.path, "must not contain '..'"))
  },
  gitRepo: needs('repository'),
  gcePersistentDisk: needs('pdName'),
  awsElasticBlockStore: needs('volumeID'),
  secret: (source: { secretName?: string; defaultMode?: number; items?: KeyToPath[] }, field, errors) => {
    if ((source.secretName ?? '') === '') errors.push(required(`${field}.secretName`))
    checkMode(source.defaultMode, `${field}.defaultMode`, errors)
    checkItems(source.items, `${field}.items`, errors)
  },
  nfs: (source: { server: string; path: string }, field, errors) => {
    if (source.server === '') errors.push(required(`${field}.server`))
    if (source.path === '') errors.push(required(`${field}.path`))
    else if (!source.path.startsWith('/')) errors.push(invalidValue(`${field}.path`, source.path, 'must be an absolute path'))
  },
  persistentVolumeClaim: needs('claimName'),
  downwardAPI: () => {},
  configMap: (source: { name?: string; defaultMode?: number; items?: KeyToPath[] }, field, errors) => {
    if ((source.name ?? '') === '') errors.push(required(`${field}.name`))
    checkMode(source.defaultMode, `${field}.defaultMode`, errors)
    checkItems(source.items, `${field}.items`, errors)
  },
  projected: (source: { defaultMode?: number }, field, errors) => checkMode(source.defaultMode, `${field}.defaultMode`, errors),
  csi: needs('driver'),
  ephemeral: needs('volumeClaimTemplate'),
}

function checkSources(volume: Volume, field: string, errors: Errors): void {
  const given = Object.keys(volume).filter((name) => name !== 'name')
  const known = Object.keys(sources)
  given.sort((a, b) => known.indexOf(a) - known.indexOf(b))
  for (const [index, name] of given.entries()) {
    const at = `${field}.${name}`
    if (index > 0) errors.push(forbiddenValue(at, 'may not specify more than 1 volume type'))
    else sources[name]?.(volume[name] as never, at, errors)
  }
  if (given.length === 0) errors.push(required(field, 'must specify a volume type'))
}

/** Checks the volumes and gives the names of the good ones, which containers may mount. */
export function checkVolumes(volumes: readonly Volume[], field: string, errors: Errors): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [index, volume] of volumes.entries()) {
    const at = `${field}[${index}]`
    const own: FieldError[] = []
    checkSources(volume, at, own)
    if (volume.name === '') own.push(required(`${at}.name`))
    else checkDnsLabel(volume.name, `${at}.name`, own)
    if (names.has(volume.name)) own.push(duplicate(`${at}.name`, volume.name))
    if (own.length === 0) names.add(volume.name)
    else errors.push(...own)
  }
  return names
}
