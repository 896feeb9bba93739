/** Checks of APIServices. Follows k8s.io/kube-aggregator/pkg/apis/apiregistration/validation. */
import { goQuote } from '../../../go/text.ts'
import {
  inclusiveRangeError,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  type ValidateName,
} from '../../../meta/names.ts'
import type { APIService } from '../../generated/types/apiregistration.v1.ts'
import { type Errors, validator } from '../checks.ts'

const mostGroupPriority = 20000
const mostVersionPriority = 1000
const lastPort = 65535
const statuses = ['True', 'False', 'Unknown']

/** Returns the check of an APIService's name, which must be `<version>.<group>`. */
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
    errors.invalid('spec.groupPriorityMinimum', group, `must be positive and less than ${mostGroupPriority}`)
  }
  if (version <= 0 || version > mostVersionPriority) {
    errors.invalid('spec.versionPriority', version, `must be positive and less than ${mostVersionPriority}`)
  }
}

const sizeOf = (base64: string): number => Buffer.from(base64, 'base64').length

/** Validates an APIService without a Service reference: the server serves it itself, so the TLS fields must not be set. */
function checkLocal({ caBundle = '', insecureSkipTLSVerify = false }: APIService['spec'], errors: Errors): void {
  if (caBundle !== '') errors.invalid('spec.caBundle', `${sizeOf(caBundle)} bytes`, 'local APIServices may not have a caBundle')
  if (insecureSkipTLSVerify) {
    errors.invalid('spec.insecureSkipTLSVerify', insecureSkipTLSVerify, 'local APIServices may not have insecureSkipTLSVerify')
  }
}

function checkService(spec: APIService['spec'], errors: Errors): void {
  const { namespace = '', name = '', port = 0 } = spec.service ?? {}
  if (namespace === '') errors.required('spec.service.namespace')
  if (name === '') errors.required('spec.service.name')
  if (port < 1 || port > lastPort) {
    errors.invalid('spec.service.port', port, `port is not valid: ${inclusiveRangeError(1, lastPort)}`)
  }
  if (spec.insecureSkipTLSVerify === true && (spec.caBundle ?? '') !== '') {
    errors.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')
  }
}

/** Validates an APIService, except its metadata. */
export const validateApiService = validator((errors, { spec }: APIService) => {
  const { group = '', version = '' } = spec
  if (group === '' && version !== 'v1') {
    errors.required('spec.group', 'only v1 may have an empty group and it better be legacy kube')
  }
  if (group !== '') errors.checkMessages(isDns1123Subdomain(group), group, 'spec.group')
  errors.checkMessages(isDns1035Label(version), version, 'spec.version')
  checkPriorities(spec, errors)
  if (spec.service === undefined) checkLocal(spec, errors)
  else checkService(spec, errors)
})

/** Validates the status of an APIService. */
export const validateApiServiceStatus = validator((errors, { status = {} }: APIService) => {
  for (const [index, condition] of (status.conditions ?? []).entries()) {
    if (statuses.includes(condition.status)) continue
    errors.notSupported(`status.conditions[${index}].status`, condition.status, statuses)
  }
})
