/** Checks of StorageVersions. Follows k8s.io/kubernetes/pkg/apis/apiserverinternal/validation. */
import { isDns1035Label, isDns1123Subdomain, nameIsDnsSubdomain, regexError } from '../../../meta/names.ts'
import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../generated/types/apiserverinternal.v1alpha1.ts'
import { type Errors, itemsOf, validator } from '../checks.ts'

/** Validates the name of a StorageVersion: `<group>.<resource>`. */
export function storageVersionNameProblems(name: string): string[] {
  const dot = name.lastIndexOf('.')
  if (dot < 0) return ['name must be in the form of <group>.<resource>']
  return [
    ...isDns1123Subdomain(name.slice(0, dot)).map((text) => `the group segment ${text}`),
    ...isDns1035Label(name.slice(dot + 1)).map((text) => `the resource segment ${text}`),
  ]
}

const labelText =
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"

/** Returns the problems of one part of an apiVersion. */
function partProblems(part: string, name: string, check: (value: string) => string[]): string[] {
  const problems = part === '' ? ['must be non-empty'] : check(part)
  return problems.map((text) => `${name} part: ${text}`)
}

function apiVersionProblems(apiVersion: string): string[] {
  const [first = '', second, ...rest] = apiVersion.split('/')
  if (rest.length > 0) {
    const form = regexError(labelText, '[a-z]([-a-z0-9]*[a-z0-9])?', 'my-name', 'abc-123')
    return [`an apiVersion is ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`]
  }
  if (second === undefined) return partProblems(first, 'version', isDns1035Label)
  return [...partProblems(first, 'group', isDns1123Subdomain), ...partProblems(second, 'version', isDns1035Label)]
}

function checkApiVersion(apiVersion: string, field: string, errors: Errors): void {
  const problems = apiVersionProblems(apiVersion)
  if (problems.length > 0) errors.invalid(field, apiVersion, problems.join(','))
}

function checkServer(server: ServerStorageVersion, field: string, errors: Errors): void {
  const { apiServerID = '', encodingVersion = '', decodableVersions = [], servedVersions = [] } = server
  const decodable = new Set(decodableVersions)
  errors.checkMessages(nameIsDnsSubdomain(apiServerID, false), apiServerID, `${field}.apiServerID`)
  checkApiVersion(encodingVersion, `${field}.encodingVersion`, errors)
  for (const [at, version] of itemsOf(decodableVersions, `${field}.decodableVersions`)) checkApiVersion(version, at, errors)
  if (!decodable.has(encodingVersion)) {
    const why = `decodableVersions must include encodingVersion ${encodingVersion}`
    errors.invalid(`${field}.decodableVersions`, server.decodableVersions ?? null, why)
  }
  for (const [at, version] of itemsOf(servedVersions, `${field}.servedVersions`)) {
    checkApiVersion(version, at, errors)
    if (decodable.has(version)) continue
    const list = `[${decodableVersions.join(' ')}]`
    errors.invalid(at, version, `individual served version : ${version} must be included in decodableVersions : ${list}`)
  }
}

function checkCommonVersion({ storageVersions = [], commonEncodingVersion: told }: StorageVersionStatus, errors: Errors): void {
  const versions = new Set(storageVersions.map(({ encodingVersion = '' }) => encodingVersion))
  const [common] = versions.size === 1 ? versions : [undefined]
  const field = 'status.commonEncodingVersion'
  if (common === told) return
  if (common === undefined) {
    const why =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
    errors.invalid(field, told, why)
  } else if (told === undefined) errors.invalid(field, null, `the common encoding version is ${common}`)
  else errors.invalid(field, told, `the actual common encoding version is ${common}`)
}

function checkConditions(conditions: readonly StorageVersionCondition[], errors: Errors): void {
  const seen = new Map<string, number>()
  for (const [index, { type, status, reason, message = '' }] of conditions.entries()) {
    // Upstream leaves the name of the list out of the path.
    const field = `status[${index}]`
    const former = seen.get(type)
    if (former !== undefined) {
      const why = `the type of the condition is not unique, it also appears in conditions[${former}]`
      errors.invalid(`${field}.type`, type, why)
    }
    seen.set(type, index)
    errors.checkQualifiedName(type, `${field}.type`)
    errors.checkQualifiedName(status, `${field}.status`)
    if (reason === '') errors.required(`${field}.reason`)
    if (message === '') errors.required(`${field}.message`)
  }
}

/** Validates a StorageVersion or its status, except its metadata. */
export const validateStorageVersion = validator((errors, { status }: StorageVersion) => {
  const { storageVersions = [], conditions = [] } = status
  const servers = new Set<string>()
  for (const [field, server] of itemsOf(storageVersions, 'status.storageVersions')) {
    errors.checkUnique(servers, server.apiServerID ?? '', `${field}.apiServerID`)
    checkServer(server, field, errors)
  }
  checkCommonVersion(status, errors)
  checkConditions(conditions, errors)
})
