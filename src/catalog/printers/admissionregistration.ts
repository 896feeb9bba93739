/** Table columns of admissionregistration.k8s.io. */

import type { JsonObject } from '../../go/json-value.ts'
import { compareText } from '../../go/text.ts'
import { ageColumn, type ColumnOf, name, printer } from './column.ts'
import type { Printers } from './printer.ts'
import { child, children, has, text, textMap, texts } from './read.ts'

const webhookConfigurations = printer([
  name,
  {
    name: 'Webhooks',
    type: 'integer',
    description: 'Webhooks indicates the number of webhooks registered in this configuration',
    cell: (object) => children(object, 'webhooks').length,
  },
  ageColumn,
])

const paramKind: ColumnOf<JsonObject> = {
  name: 'ParamKind',
  description: 'ParamKind specifies the kind of resources used to parameterize this policy',
  cell: (object) => {
    const spec = child(object, 'spec')
    if (!has(spec, 'paramKind')) return '<unset>'
    return `${text(child(spec, 'paramKind'), 'apiVersion')}/${text(child(spec, 'paramKind'), 'kind')}`
  },
}

const validatingPolicies = printer([
  name,
  {
    name: 'Validations',
    type: 'integer',
    description: 'Validations indicates the number of validation rules defined in this configuration',
    cell: (object) => children(child(object, 'spec'), 'validations').length,
  },
  paramKind,
  ageColumn,
])

const mutatingPolicies = printer([
  name,
  {
    name: 'Mutations',
    type: 'integer',
    description: 'Mutation indicates the number of mutations rules defined in this configuration',
    cell: (object) => children(child(object, 'spec'), 'mutations').length,
  },
  paramKind,
  ageColumn,
])

/** Formats a selector as Go prints the struct, as upstream does in this column. */
function selectorStruct(selector: JsonObject): string {
  const labels = Object.entries(textMap(selector, 'matchLabels'))
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, value]) => `${key}: ${value},`)
  const expressions = children(selector, 'matchExpressions').map((expression) => {
    const values = texts(expression, 'values').join(' ')
    return `LabelSelectorRequirement{Key:${text(expression, 'key')},Operator:${text(expression, 'operator')},Values:[${values}],},`
  })
  const fields = [`map[string]string{${labels.join('')}}`, `[]LabelSelectorRequirement{${expressions.join('')}}`]
  return `&LabelSelector{MatchLabels:${fields[0]},MatchExpressions:${fields[1]},}`
}

/** Formats a parameter reference. The parameter's kind is unknown here, so a missing namespace means any. */
function paramReference(binding: JsonObject): string {
  const spec = child(binding, 'spec')
  const reference = child(spec, 'paramRef')
  if (text(reference, 'name') !== '') return `${text(reference, 'namespace') || '*'}/${text(reference, 'name')}`
  return has(reference, 'selector') ? selectorStruct(child(reference, 'selector')) : '<unset>'
}

const policyBindings = printer([
  name,
  {
    name: 'PolicyName',
    description: 'PolicyName indicates the policy definition which the policy binding binded to',
    cell: (object) => text(child(object, 'spec'), 'policyName'),
  },
  {
    name: 'ParamRef',
    description: 'ParamRef indicates the param resource which sets the configuration param',
    cell: paramReference,
  },
  ageColumn,
])

export const admissionregistrationPrinters: Printers = {
  'mutatingadmissionpolicies.admissionregistration.k8s.io': mutatingPolicies,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindings,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurations,
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingPolicies,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindings,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurations,
}
