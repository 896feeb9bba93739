/**
 * Checks of scheduling constraints: tolerations, affinity, topology spread, gates. Follows the functions of core/validation named
 * below.
 */
import { asJson, notSupported, required } from '../../../meta/field-error.ts'
import { type LabelSelectorValues, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from '../../../meta/names.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import * as corev1 from '../../generated/types/core.v1.ts'
import { type Errors, itemsOf } from '../checks.ts'

const operators = ['Equal', 'Exists']
/** The effects of taints. */
export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

function checkToleration(toleration: corev1.Toleration, field: string, errors: Errors): void {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration
  if (key !== '') errors.push(...validateLabelKey(key, `${field}.key`))
  else if (operator !== 'Exists') {
    const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    errors.invalid(`${field}.operator`, asJson(operator), text)
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.invalid(`${field}.effect`, asJson(effect), "effect must be 'NoExecute' when `tolerationSeconds` is set")
  }
  if (operator === 'Exists') {
    if (value !== '') errors.invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'")
  } else if (operator === 'Equal' || operator === '') {
    const messages = isLabelValue(value)
    if (messages.length > 0) errors.invalid(`${field}.operator`, value, messages.join(';'))
  } else
    errors.push(
      notSupported(
        `${field}.operator`,
        asJson(operator),
        operator === 'Lt' || operator === 'Gt' ? [...operators, 'Lt', 'Gt'] : operators,
      ),
    )
  if (effect !== '') errors.checkSupported(effect, taintEffects, `${field}.effect`)
}

/** Validates tolerations (ValidateTolerations). */
export function checkTolerations(tolerations: readonly corev1.Toleration[], field: string, errors: Errors): void {
  for (const [index, toleration] of tolerations.entries()) checkToleration(toleration, `${field}[${index}]`, errors)
}

type NodeRequirement = NonNullable<corev1.NodeSelectorTerm['matchExpressions']>[number]

/**
 * Validates a node selector requirement.
 * @param check whether the values must be label values, which those of preferred terms need not be
 */
function checkRequirement(
  { key, operator, values = [] }: NodeRequirement,
  check: LabelSelectorValues,
  field: string,
  errors: Errors,
): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    }
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) errors.required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")
  } else errors.invalid(`${field}.operator`, asJson(operator), 'not a valid selector operator')
  errors.push(...validateLabelKey(key, `${field}.key`))
  if (check === 'unchecked') return
  for (const [index, value] of values.entries()) errors.checkMessages(isLabelValue(value), value, `${field}.values[${index}]`)
}

function checkFieldRequirement({ key, operator, values = [] }: NodeRequirement, field: string, errors: Errors): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1) {
      errors.push(
        required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
      )
    }
  } else errors.invalid(`${field}.operator`, asJson(operator), 'not a valid selector operator')
  if (key !== 'metadata.name') errors.invalid(`${field}.key`, key, 'not a valid field selector key')
  else {
    for (const [index, value] of values.entries())
      errors.checkMessages(isDns1123Subdomain(value), value, `${field}.values[${index}]`)
  }
}

function checkNodeTerm(term: corev1.NodeSelectorTerm, check: LabelSelectorValues, field: string, errors: Errors): void {
  for (const [index, requirement] of (term.matchExpressions ?? []).entries()) {
    checkRequirement(requirement, check, `${field}.matchExpressions[${index}]`, errors)
  }
  for (const [index, requirement] of (term.matchFields ?? []).entries()) {
    checkFieldRequirement(requirement, `${field}.matchFields[${index}]`, errors)
  }
}

function checkWeight(weight: number, field: string, errors: Errors): void {
  if (weight <= 0 || weight > 100) errors.invalid(`${field}.weight`, weight, 'must be in the range 1-100')
}

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution'

/** Validates a node selector (ValidateNodeSelector). */
export function checkNodeSelector(
  selector: { readonly nodeSelectorTerms?: readonly corev1.NodeSelectorTerm[] | null },
  field: string,
  errors: Errors,
  check: LabelSelectorValues = 'checked',
): void {
  const at = `${field}.nodeSelectorTerms`
  const terms = selector.nodeSelectorTerms ?? []
  if (terms.length === 0) errors.required(at, 'must have at least one node selector term')
  for (const [index, term] of terms.entries()) checkNodeTerm(term, check, `${at}[${index}]`, errors)
}

function checkNodeAffinity(affinity: NonNullable<corev1.Affinity['nodeAffinity']>, field: string, errors: Errors): void {
  const selector = affinity[requiredTerms]
  if (selector !== undefined) checkNodeSelector(selector, `${field}.${requiredTerms}`, errors)
  for (const [at, { weight, preference }] of itemsOf(affinity[preferredTerms], `${field}.${preferredTerms}`)) {
    checkWeight(weight, at, errors)
    checkNodeTerm(preference, 'unchecked', `${at}.preference`, errors)
  }
}

type LabelKeyed = Pick<corev1.PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>

/** Validates matchLabelKeys and mismatchLabelKeys, which add requirements to a labelSelector that must not contain their keys. */
function checkLabelKeys(term: LabelKeyed, field: string, errors: Errors): void {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term
  for (const [name, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    if (keys.length === 0) continue
    const at = `${field}.${name}`
    if (labelSelector === undefined) errors.forbidden(at, 'must not be specified when labelSelector is not set')
    else for (const [index, key] of keys.entries()) errors.push(...validateLabelKey(key, `${at}[${index}]`))
  }
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}))
  const lastPlaces = new Map(matchLabelKeys.map((key, index) => [key, index]))
  for (const { key = '' } of labelSelector?.matchExpressions ?? []) {
    const index = lastPlaces.get(key)
    if (index !== undefined && selected.has(key)) {
      errors.invalid(`${field}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector')
    }
    selected.add(key)
  }
  const mismatched = new Set(mismatchLabelKeys)
  for (const [index, key] of matchLabelKeys.entries()) {
    if (!mismatched.has(key)) continue
    errors.invalid(`${field}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys')
  }
}

function checkAffinityTerm(term: corev1.PodAffinityTerm, field: string, errors: Errors): void {
  errors.push(...validateLabelSelector(term.labelSelector, `${field}.labelSelector`))
  errors.push(...validateLabelSelector(term.namespaceSelector, `${field}.namespaceSelector`))
  for (const namespace of term.namespaces ?? []) errors.checkMessages(isDns1123Label(namespace), namespace, `${field}.namespace`)
  checkLabelKeys(term, field, errors)
  if (term.topologyKey === '') errors.required(`${field}.topologyKey`, 'can not be empty')
  errors.push(...validateLabelKey(term.topologyKey, `${field}.topologyKey`))
}

function checkPodAffinity(affinity: corev1.PodAffinity | undefined, field: string, errors: Errors): void {
  for (const [index, term] of (affinity?.[requiredTerms] ?? []).entries()) {
    checkAffinityTerm(term, `${field}.${requiredTerms}[${index}]`, errors)
  }
  for (const [at, { weight, podAffinityTerm }] of itemsOf(affinity?.[preferredTerms], `${field}.${preferredTerms}`)) {
    checkWeight(weight, at, errors)
    checkAffinityTerm(podAffinityTerm, `${at}.podAffinityTerm`, errors)
  }
}

/** Validates node affinity, Pod affinity and Pod anti-affinity (validateAffinity). */
export function checkAffinity(affinity: corev1.Affinity | undefined, field: string, errors: Errors): void {
  if (affinity === undefined) return
  if (affinity.nodeAffinity !== undefined) checkNodeAffinity(affinity.nodeAffinity, `${field}.nodeAffinity`, errors)
  checkPodAffinity(affinity.podAffinity, `${field}.podAffinity`, errors)
  checkPodAffinity(affinity.podAntiAffinity, `${field}.podAntiAffinity`, errors)
}

function checkConstraint(constraint: corev1.TopologySpreadConstraint, field: string, errors: Errors): void {
  const { maxSkew, topologyKey, whenUnsatisfiable } = constraint
  if (maxSkew <= 0) errors.invalid(`${field}.maxSkew`, maxSkew, 'must be greater than zero')
  if (topologyKey === '') errors.required(`${field}.topologyKey`, 'can not be empty')
  errors.checkSupported(whenUnsatisfiable, corev1.UnsatisfiableConstraintAction, `${field}.whenUnsatisfiable`)
}

function checkConstraintDetails(constraint: corev1.TopologySpreadConstraint, field: string, errors: Errors): void {
  const { minDomains, whenUnsatisfiable, nodeAffinityPolicy, nodeTaintsPolicy } = constraint
  if (minDomains !== undefined) {
    const at = `${field}.minDomains`
    if (minDomains <= 0) errors.invalid(at, minDomains, 'must be greater than zero')
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      errors.invalid(at, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`)
    }
  }
  if (nodeAffinityPolicy !== undefined)
    errors.checkSupported(nodeAffinityPolicy, corev1.NodeInclusionPolicy, `${field}.nodeAffinityPolicy`)
  if (nodeTaintsPolicy !== undefined)
    errors.checkSupported(nodeTaintsPolicy, corev1.NodeInclusionPolicy, `${field}.nodeTaintsPolicy`)
  checkLabelKeys(constraint, field, errors)
  errors.push(...validateLabelSelector(constraint.labelSelector, `${field}.labelSelector`))
}

/** Validates topologySpreadConstraints (validateTopologySpreadConstraints). */
export function checkSpread(constraints: readonly corev1.TopologySpreadConstraint[], field: string, errors: Errors): void {
  const keyOf = ({ topologyKey, whenUnsatisfiable }: corev1.TopologySpreadConstraint): string =>
    `{${topologyKey}, ${whenUnsatisfiable}}`
  const lastPlaces = new Map(constraints.map((constraint, index) => [keyOf(constraint), index]))
  for (const [index, constraint] of constraints.entries()) {
    const at = `${field}[${index}]`
    checkConstraint(constraint, at, errors)
    const key = keyOf(constraint)
    if (lastPlaces.get(key) !== index) errors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, key)
    checkConstraintDetails(constraint, at, errors)
  }
}

/** Validates schedulingGates (validateSchedulingGates). */
export function checkGates(gates: readonly { readonly name: string }[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, { name }] of gates.entries()) {
    errors.checkQualifiedName(name, `${field}[${index}]`)
    errors.checkUnique(seen, name, `${field}[${index}]`)
  }
}
