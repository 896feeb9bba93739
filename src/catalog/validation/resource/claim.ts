/** Checks of ResourceClaims and their templates. Follows k8s.io/kubernetes/pkg/apis/resource/validation. */
import { compileDeviceSelector } from '../../../cel/device-environment.ts'
import { utf8Length } from '../../../go/text.ts'
import { internalFieldError } from '../../../meta/field-error.ts'
import { isLabelValue } from '../../../meta/names.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import * as resourcev1 from '../../generated/types/resource.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, validator } from '../checks.ts'
import { checkDriver } from '../pod/volumes.ts'
import { checkTemplateMetadata } from '../template-metadata.ts'
import { checkList, checkSet } from './lists.ts'
import { checkFullAttributeName, checkJsonObject } from './names.ts'

const mostRequests = 32
const mostConstraints = 32
const mostSelectors = 32
const mostAlternatives = 8
const longestExpression = 10 * 1024
const highestCost = 1_000_000
const longestParameters = 10 * 1024
/** The largest number of configurations of a claim or class. */
export const mostConfigurations = 32

/** The names of a claim's requests, each with the names of its alternatives (firstAvailable). */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>

/** Returns the names of a claim's requests and of their alternatives. */
export function requestNamesOf({ requests }: resourcev1.DeviceClaim): RequestNames {
  return new Map(
    (requests ?? []).map(({ name, firstAvailable = [] }) => [name, new Set(firstAvailable.map((each) => each.name))]),
  )
}

/** Checks the effect of a taint. The empty string is valid if the effect is optional. */
export function checkEffect(effect: string, field: string, errors: Errors): void {
  errors.checkEnum(effect, resourcev1.DeviceTaintEffect, field)
}

function checkToleration(toleration: resourcev1.DeviceToleration, field: string, errors: Errors): void {
  const { key = '', operator = '', value = '', effect = '' } = toleration
  if (key !== '') errors.push(...validateLabelKey(key, `${field}.key`))
  if (operator === 'Exists') {
    if (value !== '') errors.invalid(`${field}.value`, value, 'must be empty for operator `Exists`')
  } else if (operator === 'Equal') errors.checkMessages(isLabelValue(value), value, `${field}.value`)
  else if (operator === '') errors.required(`${field}.operator`)
  else errors.notSupported(`${field}.operator`, operator, resourcev1.DeviceTolerationOperator)
  if (effect !== '') checkEffect(effect, `${field}.effect`, errors)
}

function checkSelectorExpression(expression: string, field: string, errors: Errors): void {
  if (utf8Length(expression) > longestExpression) {
    errors.tooLong(field, longestExpression)
    return
  }
  const compiled = compileDeviceSelector(expression)
  if (compiled.kind === 'program') {
    if (compiled.maximumCost > highestCost) errors.forbidden(field, 'too complex, exceeds cost limit')
  } else if (compiled.kind === 'invalid') errors.invalid(field, expression, compiled.text)
  else errors.push(internalFieldError(field, compiled.text))
}

/** Validates device selectors. */
export function checkSelectors(selectors: readonly resourcev1.DeviceSelector[] | undefined, field: string, errors: Errors): void {
  const check = ({ cel }: resourcev1.DeviceSelector, at: string): void => {
    if (cel === undefined) errors.required(`${at}.cel`)
    else checkSelectorExpression(cel.expression, `${at}.cel.expression`, errors)
  }
  checkList(selectors, mostSelectors, check, field, errors)
}

function checkAllocation(
  { allocationMode: mode = '', count = 0 }: resourcev1.ExactDeviceRequest,
  field: string,
  errors: Errors,
): void {
  if (mode === 'All') {
    if (count !== 0) errors.invalid(`${field}.count`, count, "must not be specified when allocationMode is 'All'")
  } else if (mode === 'ExactCount') {
    if (count <= 0) errors.invalid(`${field}.count`, count, 'must be greater than zero')
  } else errors.notSupported(`${field}.allocationMode`, mode, resourcev1.DeviceAllocationMode)
}

function checkExactRequest(request: resourcev1.ExactDeviceRequest, field: string, errors: Errors): void {
  const { deviceClassName: name } = request
  if (name === '') errors.required(`${field}.deviceClassName`)
  else errors.checkDnsSubdomain(name, `${field}.deviceClassName`)
  checkSelectors(request.selectors, `${field}.selectors`, errors)
  checkAllocation(request, field, errors)
  for (const [index, toleration] of (request.tolerations ?? []).entries()) {
    checkToleration(toleration, `${field}.tolerations[${index}]`, errors)
  }
}

function checkSubRequest(request: resourcev1.DeviceSubRequest, field: string, errors: Errors): void {
  errors.checkDnsLabel(request.name, `${field}.name`)
  checkExactRequest(request, field, errors)
}

const nameOf = ({ name }: { readonly name: string }): string => name

function checkRequest({ name, exactly, firstAvailable = [] }: resourcev1.DeviceRequest, field: string, errors: Errors): void {
  errors.checkDnsLabel(name, `${field}.name`)
  const one = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly !== undefined && firstAvailable.length > 0) {
    errors.invalid(field, null, `${one}, but multiple fields are set`)
  } else if (exactly !== undefined) checkExactRequest(exactly, `${field}.exactly`, errors)
  else if (firstAvailable.length === 0) errors.required(field, one)
  else checkSet(firstAvailable, mostAlternatives, checkSubRequest, nameOf, `${field}.firstAvailable`, errors)
}

/** Checks a reference to a request of the claim, or to one of its alternatives. */
export function checkRequestReference(name: string, names: RequestNames, field: string, errors: Errors): void {
  const text = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
  const segments = name.split('/')
  const [request = '', alternative] = segments
  if (segments.length <= 2) for (const segment of segments) errors.checkDnsLabel(segment, field)
  const alternatives = names.get(request)
  const isThere = alternatives !== undefined && (alternative === undefined || alternatives.has(alternative))
  if (segments.length > 2 || !isThere) errors.invalid(field, name, text)
}

/** Checks the list of requests that a constraint or configuration applies to. */
export function checkRequestReferences(
  requests: readonly string[] | undefined,
  names: RequestNames,
  field: string,
  errors: Errors,
): void {
  const check = (name: string, at: string): void => checkRequestReference(name, names, at, errors)
  checkSet(requests, mostRequests, check, (name) => name, field, errors)
}

function checkConstraint(constraint: resourcev1.DeviceConstraint, names: RequestNames, field: string, errors: Errors): void {
  const { requests, matchAttribute, distinctAttribute } = constraint
  checkRequestReferences(requests, names, `${field}.requests`, errors)
  if (matchAttribute !== undefined) checkFullAttributeName(matchAttribute, `${field}.matchAttribute`, errors)
  else if (distinctAttribute !== undefined) checkFullAttributeName(distinctAttribute, `${field}.distinctAttribute`, errors)
  else {
    errors.required(field, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set')
  }
}

/** Validates the opaque configuration for a driver. */
export function checkConfiguration({ opaque }: resourcev1.DeviceConfiguration, field: string, errors: Errors): void {
  if (opaque === undefined) {
    errors.required(`${field}.opaque`)
    return
  }
  checkDriver(opaque.driver, `${field}.opaque.driver`, errors)
  checkJsonObject(opaque.parameters, longestParameters, `${field}.opaque.parameters`, errors)
}

function checkClaim(claim: resourcev1.DeviceClaim, field: string, errors: Errors): void {
  const names = requestNamesOf(claim)
  checkSet(claim.requests, mostRequests, checkRequest, nameOf, `${field}.requests`, errors)
  const checkOne = (constraint: resourcev1.DeviceConstraint, at: string): void => checkConstraint(constraint, names, at, errors)
  checkList(claim.constraints, mostConstraints, checkOne, `${field}.constraints`, errors)
  const checkConfig = (config: resourcev1.DeviceClaimConfiguration, at: string): void => {
    checkRequestReferences(config.requests, names, `${at}.requests`, errors)
    checkConfiguration(config, at, errors)
  }
  checkList(claim.config, mostConfigurations, checkConfig, `${field}.config`, errors)
}

/** Validates a ResourceClaim, except its metadata. */
export const validateResourceClaim = validator((errors, { spec }: resourcev1.ResourceClaim) => {
  checkClaim(spec.devices, 'spec.devices', errors)
})

/** Validates an update of a ResourceClaim: its spec is immutable. */
export const validateResourceClaimUpdate = validator((errors, claim: resourcev1.ResourceClaim, old: resourcev1.ResourceClaim) => {
  const toInternal = ({ spec }: resourcev1.ResourceClaim) => internalJson('resource.ResourceClaimSpec', spec)
  errors.checkImmutable(toInternal(claim), toInternal(old), 'spec')
})

/** Validates a ResourceClaimTemplate, except its metadata. */
export const validateResourceClaimTemplate = validator((errors, { spec }: resourcev1.ResourceClaimTemplate) => {
  checkTemplateMetadata(spec.metadata ?? {}, 'spec.metadata', errors)
  checkClaim(spec.spec.devices, 'spec.spec.devices', errors)
})

/** Validates an update of a ResourceClaimTemplate. */
export const validateResourceClaimTemplateChange = validator(
  (errors, template: resourcev1.ResourceClaimTemplate, old: resourcev1.ResourceClaimTemplate) => {
    const toInternal = ({ spec }: resourcev1.ResourceClaimTemplate) => internalJson('resource.ResourceClaimTemplateSpec', spec)
    errors.checkImmutable(toInternal(template), toInternal(old), 'spec')
  },
)
