/** Checks of APIServices. Follows k8s.io/kube-aggregator/pkg/apis/apiregistration/validation. */

import { goQuote } from '../../../go/text.ts'
import { enumValue, type FieldError, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import {
  inclusiveRangeError,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  type ValidateName,
} from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkMessages, type Errors } from '../checks.ts'

/** An APIService as decoding leaves it. */
export interface APIService extends KubernetesObject {
  spec: {
    service?: { namespace?: string; name?: string; port?: number }
    group?: string
    version?: string
    insecureSkipTLSVerify?: boolean
    caBundle?: string
    groupPriorityMinimum: number
    versionPriority: number
  }
  status?: { conditions?: { type: string; status: string }[] }
}

const mostGroupPriority = 20000
const mostVersionPriority = 1000
const lastPort = 65535
const statuses = ['True', 'False', 'Unknown']

/** What the name of an APIService may be: it says of which version it is. */
export function apiServiceName({ spec: { group = '', version = '' } }: APIService): ValidateName {
  const wanted = `${version}.${group}`
  return (name) => {
    const problems = isPathSegmentName(name)
    if (problems.length > 0 || name === wanted) return problems
    return [`must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`]
  }
}

function checkPriorities({ groupPriorityMinimum: group, versionPriority: version }: APIService['spec'], errors: Errors): void {
  if (group <= 0 || group > mostGroupPriority) {
    const text = `must be positive and less than ${mostGroupPriority}`
    errors.push(invalidValue('spec.groupPriorityMinimum', group, text))
  }
  if (version <= 0 || version > mostVersionPriority) {
    const text = `must be positive and less than ${mostVersionPriority}`
    errors.push(invalidValue('spec.versionPriority', version, text))
  }
}

const sizeOf = (base64: string): number => Buffer.from(base64, 'base64').length

/** What the server itself serves is not called over a network. */
function checkLocal({ caBundle = '', insecureSkipTLSVerify = false }: APIService['spec'], errors: Errors): void {
  if (caBundle !== '') {
    errors.push(invalidValue('spec.caBundle', `${sizeOf(caBundle)} bytes`, 'local APIServices may not have a caBundle'))
  }
  if (insecureSkipTLSVerify) {
    const text = 'local APIServices may not have insecureSkipTLSVerify'
    errors.push(invalidValue('spec.insecureSkipTLSVerify', insecureSkipTLSVerify, text))
  }
}

function checkService(spec: APIService['spec'], errors: Errors): void {
  const { namespace = '', name = '', port = 0 } = spec.service ?? {}
  if (namespace === '') errors.push(required('spec.service.namespace'))
  if (name === '') errors.push(required('spec.service.name'))
  if (port < 1 || port > lastPort) {
    errors.push(invalidValue('spec.service.port', port, `port is not valid: ${inclusiveRangeError(1, lastPort)}`))
  }
  if (spec.insecureSkipTLSVerify === true && (spec.caBundle ?? '') !== '') {
    errors.push(invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
  }
}

/** What is wrong with an APIService, its metadata left out. */
export function validateApiService({ spec }: APIService): FieldError[] {
  const errors: Errors = []
  const { group = '', version = '' } = spec
  if (group === '' && version !== 'v1') {
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  }
  if (group !== '') checkMessages(isDns1123Subdomain(group), group, 'spec.group', errors)
  checkMessages(isDns1035Label(version), version, 'spec.version', errors)
  checkPriorities(spec, errors)
  if (spec.service === undefined) checkLocal(spec, errors)
  else checkService(spec, errors)
  return errors
}

/** What is wrong with the status of an APIService. */
export function validateApiServiceStatus({ status = {} }: APIService): FieldError[] {
  const errors: Errors = []
  for (const [index, condition] of (status.conditions ?? []).entries()) {
    if (statuses.includes(condition.status)) continue
    errors.push(notSupported(`status.conditions[${index}].status`, enumValue(condition.status), statuses))
  }
  return errors
}
