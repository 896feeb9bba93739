/** Checks of ResourceClaims and their templates. Follows k8s.io/kubernetes/pkg/apis/resource/validation. */
import { compileDeviceSelector } from '../../../cel/device-environment.ts'
import { utf8Length } from '../../../go/text.ts'
import {
  enumValue,
  type FieldError,
  forbiddenValue,
  internalFieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../../meta/field-error.ts'
import { isLabelValue } from '../../../meta/names.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../shapes/device.ts'
import { internalJson } from '../../shapes/internal-json.ts'
import { checkDnsLabel, checkDnsSubdomain, checkImmutable, checkMessages, type Errors } from '../checks.ts'
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
/** How many configurations a claim or a class may have. */
export const mostConfigurations = 32
const modes = ['All', 'ExactCount']
const operators = ['Equal', 'Exists']
const effects = ['NoExecute', 'NoSchedule', 'None']

/** The requests of a claim: their names, and those of their alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>

/** The names of what a claim requests. */
export function requestNamesOf({ requests }: DeviceClaim): RequestNames {
  return new Map(
    (requests ?? []).map(({ name, firstAvailable = [] }) => [name, new Set(firstAvailable.map((each) => each.name))]),
  )
}

/** An effect of a taint; '' is one where it may be left out. */
export function checkEffect(effect: string, field: string, errors: Errors): void {
  if (!effects.includes(effect)) errors.push(notSupported(field, enumValue(effect), effects))
}

function checkToleration(toleration: DeviceToleration, field: string, errors: Errors): void {
  const { key = '', operator = '', value = '', effect = '' } = toleration
  if (key !== '') errors.push(...validateLabelKey(key, `${field}.key`))
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalidValue(`${field}.value`, value, 'must be empty for operator `Exists`'))
  } else if (operator === 'Equal') checkMessages(isLabelValue(value), value, `${field}.value`, errors)
  else if (operator === '') errors.push(required(`${field}.operator`))
  else errors.push(notSupported(`${field}.operator`, enumValue(operator), operators))
  if (effect !== '') checkEffect(effect, `${field}.effect`, errors)
}

function checkSelectorExpression(expression: string, field: string, errors: Errors): void {
  if (utf8Length(expression) > longestExpression) {
    errors.push(tooLong(field, longestExpression))
    return
  }
  const compiled = compileDeviceSelector(expression)
  if (compiled.kind === 'program') {
    if (compiled.maximumCost > highestCost) errors.push(forbiddenValue(field, 'too complex, exceeds cost limit'))
  } else if (compiled.kind === 'invalid') errors.push(invalidValue(field, expression, compiled.text))
  else errors.push(internalFieldError(field, compiled.text))
}

/** Selectors of devices. */
export function checkSelectors(selectors: readonly DeviceSelector[] | undefined, field: string, errors: Errors): void {
  const check = ({ cel }: DeviceSelector, at: string): void => {
    if (cel === undefined) errors.push(required(`${at}.cel`))
    else checkSelectorExpression(cel.expression, `${at}.cel.expression`, errors)
  }
  checkList(selectors, mostSelectors, check, field, errors)
}

function checkAllocation({ allocationMode: mode = '', count = 0 }: ExactDeviceRequest, field: string, errors: Errors): void {
  if (mode === 'All') {
    const text = "must not be specified when allocationMode is 'All'"
    if (count !== 0) errors.push(invalidValue(`${field}.count`, count, text))
  } else if (mode === 'ExactCount') {
    if (count <= 0) errors.push(invalidValue(`${field}.count`, count, 'must be greater than zero'))
  } else errors.push(notSupported(`${field}.allocationMode`, enumValue(mode), modes))
}

function checkExactRequest(request: ExactDeviceRequest, field: string, errors: Errors): void {
  const { deviceClassName: name } = request
  if (name === '') errors.push(required(`${field}.deviceClassName`))
  else checkDnsSubdomain(name, `${field}.deviceClassName`, errors)
  checkSelectors(request.selectors, `${field}.selectors`, errors)
  checkAllocation(request, field, errors)
  for (const [index, toleration] of (request.tolerations ?? []).entries()) {
    checkToleration(toleration, `${field}.tolerations[${index}]`, errors)
  }
}

function checkSubRequest(request: DeviceSubRequest, field: string, errors: Errors): void {
  checkDnsLabel(request.name, `${field}.name`, errors)
  checkExactRequest(request, field, errors)
}

const nameOf = ({ name }: { readonly name: string }): string => name

function checkRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, field: string, errors: Errors): void {
  checkDnsLabel(name, `${field}.name`, errors)
  const one = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly !== undefined && firstAvailable.length > 0) {
    errors.push(invalidValue(field, null, `${one}, but multiple fields are set`))
  } else if (exactly !== undefined) checkExactRequest(exactly, `${field}.exactly`, errors)
  else if (firstAvailable.length === 0) errors.push(required(field, one))
  else checkSet(firstAvailable, mostAlternatives, checkSubRequest, nameOf, `${field}.firstAvailable`, errors)
}

/** A reference to a request of the claim, or to one of its alternatives. */
export function checkRequestReference(name: string, names: RequestNames, field: string, errors: Errors): void {
  const text = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
  const segments = name.split('/')
  const [request = '', alternative] = segments
  if (segments.length <= 2) for (const segment of segments) checkDnsLabel(segment, field, errors)
  const alternatives = names.get(request)
  const isThere = alternatives !== undefined && (alternative === undefined || alternatives.has(alternative))
  if (segments.length > 2 || !isThere) errors.push(invalidValue(field, name, text))
}

/** The requests to which something applies. */
export function checkRequestReferences(
  requests: readonly string[] | undefined,
  names: RequestNames,
  field: string,
  errors: Errors,
): void {
  const check = (name: string, at: string): void => checkRequestReference(name, names, at, errors)
  checkSet(requests, mostRequests, check, (name) => name, field, errors)
}

function checkConstraint(constraint: DeviceConstraint, names: RequestNames, field: string, errors: Errors): void {
  const { requests, matchAttribute, distinctAttribute } = constraint
  checkRequestReferences(requests, names, `${field}.requests`, errors)
  if (matchAttribute !== undefined) checkFullAttributeName(matchAttribute, `${field}.matchAttribute`, errors)
  else if (distinctAttribute !== undefined) checkFullAttributeName(distinctAttribute, `${field}.distinctAttribute`, errors)
  else {
    const text = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    errors.push(required(field, text))
  }
}

/** What a driver is told. */
export function checkConfiguration({ opaque }: DeviceConfiguration, field: string, errors: Errors): void {
  if (opaque === undefined) {
    errors.push(required(`${field}.opaque`))
    return
  }
  checkDriver(opaque.driver, `${field}.opaque.driver`, errors)
  checkJsonObject(opaque.parameters, longestParameters, `${field}.opaque.parameters`, errors)
}

function checkClaim(claim: DeviceClaim, field: string, errors: Errors): void {
  const names = requestNamesOf(claim)
  checkSet(claim.requests, mostRequests, checkRequest, nameOf, `${field}.requests`, errors)
  const checkOne = (constraint: DeviceConstraint, at: string): void => checkConstraint(constraint, names, at, errors)
  checkList(claim.constraints, mostConstraints, checkOne, `${field}.constraints`, errors)
  const checkConfig = (config: DeviceClaimConfiguration, at: string): void => {
    checkRequestReferences(config.requests, names, `${at}.requests`, errors)
    checkConfiguration(config, at, errors)
  }
  checkList(claim.config, mostConfigurations, checkConfig, `${field}.config`, errors)
}

/** What is wrong with a ResourceClaim, its metadata left out. */
export function validateResourceClaim({ spec }: ResourceClaim): FieldError[] {
  const errors: Errors = []
  checkClaim(spec.devices, 'spec.devices', errors)
  return errors
}

/** What is wrong with a change of a ResourceClaim: it asks for what it asked for. */
export function validateResourceClaimUpdate(claim: ResourceClaim, old: ResourceClaim): FieldError[] {
  const errors: Errors = []
  const shown = ({ spec }: ResourceClaim) => internalJson('resource.ResourceClaimSpec', spec)
  checkImmutable(shown(claim), shown(old), 'spec', errors)
  return errors
}

/** What is wrong with a ResourceClaimTemplate, its metadata left out. */
export function validateResourceClaimTemplate({ spec }: ResourceClaimTemplate): FieldError[] {
  const errors: Errors = []
  checkTemplateMetadata(spec.metadata ?? {}, 'spec.metadata', errors)
  checkClaim(spec.spec.devices, 'spec.spec.devices', errors)
  return errors
}

/** What is wrong with a change of a ResourceClaimTemplate. */
export function validateResourceClaimTemplateChange(template: ResourceClaimTemplate, old: ResourceClaimTemplate): FieldError[] {
  const errors: Errors = []
  const shown = ({ spec }: ResourceClaimTemplate) => internalJson('resource.ResourceClaimTemplateSpec', spec)
  checkImmutable(shown(template), shown(old), 'spec', errors)
  return errors
}
