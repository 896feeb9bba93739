/** Checks of PriorityLevelConfigurations. Follows k8s.io/kubernetes/pkg/apis/flowcontrol/validation. */
import { asJson, type FieldError } from '../../../meta/field-error.ts'
import type * as flowcontrolv1 from '../../generated/types/flowcontrol.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { Errors, isSame } from '../checks.ts'
import { validateFlowControlStatus } from './conditions.ts'
import { mandatoryPriorityLevels } from './mandatory.ts'

const mostQueues = 10_000_000
/** The most bits of a hash that a hand of queues may need. */
const mostBits = 60
const keepsZero = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

function checkHand({ queues, handSize }: flowcontrolv1.QueuingConfiguration, field: string, errors: Errors): void {
  if (handSize <= 0) errors.invalid(field, handSize, 'must be positive')
  else if (handSize > queues) errors.invalid(field, handSize, `should not be greater than queues (${queues})`)
  else if (Math.ceil(Math.log2(queues) * handSize) > mostBits) {
    const text = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostBits}`
    errors.invalid(field, handSize, text)
  }
}

function checkQueuing(queuing: flowcontrolv1.QueuingConfiguration, field: string, errors: Errors): void {
  const { queues, queueLengthLimit } = queuing
  if (queueLengthLimit <= 0) errors.invalid(`${field}.queueLengthLimit`, queueLengthLimit, 'must be positive')
  if (queues <= 0) errors.invalid(`${field}.queues`, queues, 'must be positive')
  else if (queues > mostQueues) errors.invalid(`${field}.queues`, queues, `must not be greater than ${mostQueues}`)
  checkHand(queuing, `${field}.handSize`, errors)
}

function checkResponse({ type, queuing }: flowcontrolv1.LimitResponse, field: string, errors: Errors): void {
  const at = `${field}.queuing`
  if (type === 'Reject') {
    if (queuing !== undefined) errors.forbidden(at, 'must be nil if limited.limitResponse.type is not Limited')
  } else if (type === 'Queue') {
    if (queuing === undefined) errors.required(at, 'must not be empty if limited.limitResponse.type is Limited')
    else checkQueuing(queuing, at, errors)
  } else if (type === '') errors.required(`${field}.type`)
  else errors.notSupported(`${field}.type`, type, ['Queue', 'Reject'])
}

function checkShares(shares: number | null | undefined, field: string, errors: Errors): void {
  if (shares === undefined || shares === null || shares >= 0) return
  errors.invalid(`${field}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')
}

function checkLendable(percent: number | undefined, field: string, errors: Errors): void {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return
  errors.invalid(`${field}.lendablePercent`, percent, 'must be between 0 and 100, inclusive')
}

function checkLimited(limited: flowcontrolv1.LimitedPriorityLevelConfiguration, field: string, errors: Errors): void {
  checkShares(limited.nominalConcurrencyShares, field, errors)
  checkResponse(limited.limitResponse, `${field}.limitResponse`, errors)
  checkLendable(limited.lendablePercent, field, errors)
  const { borrowingLimitPercent: borrowing } = limited
  if (borrowing !== undefined && borrowing < 0) {
    errors.invalid(`${field}.borrowingLimitPercent`, borrowing, 'if specified, must be a non-negative integer')
  }
}

function checkSpec({ spec, metadata }: flowcontrolv1.PriorityLevelConfiguration, errors: Errors): void {
  const { type, limited, exempt } = spec
  if ((metadata.name === 'exempt') !== (type === 'Exempt')) {
    errors.invalid('spec.type', asJson(type), "must be 'Exempt' if and only if `name` is 'exempt'")
  }
  if (type === 'Exempt') {
    if (limited !== undefined) errors.forbidden('spec.limited', 'must be nil if the type is not Limited')
    checkShares(exempt?.nominalConcurrencyShares, 'spec.exempt', errors)
    checkLendable(exempt?.lendablePercent, 'spec.exempt', errors)
  } else if (type === 'Limited') {
    if (exempt !== undefined) errors.forbidden('spec.exempt', 'must be nil if the type is Limited')
    if (limited === undefined) errors.required('spec.limited', 'must not be empty when type is Limited')
    else checkLimited(limited, 'spec.limited', errors)
  } else if (type === '') errors.required('spec.type')
  else errors.notSupported('spec.type', type, ['Exempt', 'Limited'])
}

/** Checks a mandatory level. The lendable share of the level `exempt` may change, all else is fixed. */
function checkMandatory({ spec, metadata }: flowcontrolv1.PriorityLevelConfiguration, errors: Errors): void {
  const { name = '' } = metadata
  const fixed = Object.hasOwn(mandatoryPriorityLevels, name) ? mandatoryPriorityLevels[name] : undefined
  if (fixed === undefined) return
  const mayExempt = name === 'exempt'
  const type = 'flowcontrol.PriorityLevelConfigurationSpec'
  const compared = mayExempt ? { ...spec, exempt: fixed.exempt } : spec
  if (isSame(internalJson(type, compared), internalJson(type, fixed))) return
  const except = mayExempt ? " except the 'spec.exempt' field" : ''
  errors.invalid('spec', internalJson(type, spec), `spec of '${name}'${except} must equal the fixed value`)
}

/** Validates a PriorityLevelConfiguration, except its metadata. */
export function validatePriorityLevel(level: flowcontrolv1.PriorityLevelConfiguration): FieldError[] {
  const errors = new Errors()
  if (level.metadata.annotations?.[keepsZero] !== undefined) {
    errors.forbidden('metadata.annotations', `annotation '${keepsZero}' is forbidden`)
  }
  checkSpec(level, errors)
  checkMandatory(level, errors)
  return [...errors, ...validateFlowControlStatus(level)]
}
