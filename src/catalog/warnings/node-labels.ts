/** Warnings of deprecated node labels. Follows k8s.io/kubernetes/pkg/api/node. */
import type { LabelSelectorRequirementObject } from '../../meta/label-selector-object.ts'
import { isLabelValue } from '../../meta/names.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import type { NodeSelectorTerm } from '../generated/types/core.v1.ts'

const instead = (since: string, label: string): string => `deprecated since v${since}; use "${label}" instead`

/** The warning for each label. */
export const deprecatedLabels: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', instead('1.14', 'kubernetes.io/arch')],
  ['beta.kubernetes.io/os', instead('1.14', 'kubernetes.io/os')],
  ['failure-domain.beta.kubernetes.io/region', instead('1.17', 'topology.kubernetes.io/region')],
  ['failure-domain.beta.kubernetes.io/zone', instead('1.17', 'topology.kubernetes.io/zone')],
  ['beta.kubernetes.io/instance-type', instead('1.17', 'node.kubernetes.io/instance-type')],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
])

/** Warns of requirements with deprecated labels. */
export function warnOfRequirements(
  requirements: readonly LabelSelectorRequirementObject[],
  field: string,
  warnings: WarningRecorder,
): void {
  for (const [index, { key = '' }] of requirements.entries()) {
    const text = deprecatedLabels.get(key)
    if (text !== undefined) warnings.add(`${field}.matchExpressions[${index}].key: ${key} is ${text}`)
  }
}

/** Warns of a node selector term. For preferred terms, which are not validated, also warns of values that no label can have. */
export function warnOfTerm(
  { matchExpressions = [] }: NodeSelectorTerm,
  values: 'validated' | 'unvalidated',
  field: string,
  warnings: WarningRecorder,
): void {
  for (const [index, requirement] of matchExpressions.entries()) {
    const at = `${field}.matchExpressions[${index}]`
    const text = deprecatedLabels.get(requirement.key)
    if (text !== undefined) warnings.add(`${at}.key: ${requirement.key} is ${text}`)
    if (values === 'validated') continue
    for (const [position, value] of (requirement.values ?? []).entries()) {
      for (const message of isLabelValue(value)) warnings.add(`${at}.values[${position}]: ${value} is invalid, ${message}`)
    }
  }
}
