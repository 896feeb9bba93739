/** Table columns of admissionregistration.k8s.io. */
import type { JsonObject } from '../../go/json-value.ts'
import { compareText } from '../../go/text.ts'
import { printersOf } from './column.ts'
import type { Printers } from './printer.ts'
import { child, children, has, text, textMap, texts } from './read.ts'

function paramKind(object: JsonObject): string {
  const spec = child(object, 'spec')
  if (!has(spec, 'paramKind')) return '<unset>'
  return `${text(child(spec, 'paramKind'), 'apiVersion')}/${text(child(spec, 'paramKind'), 'kind')}`
}

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

export const admissionregistrationPrinters: Printers = printersOf({
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    Mutations: (object) => children(child(object, 'spec'), 'mutations').length,
    ParamKind: paramKind,
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    PolicyName: (object) => text(child(object, 'spec'), 'policyName'),
    ParamRef: paramReference,
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': {
    Webhooks: (object) => children(object, 'webhooks').length,
  },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    Validations: (object) => children(child(object, 'spec'), 'validations').length,
    ParamKind: paramKind,
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    PolicyName: (object) => text(child(object, 'spec'), 'policyName'),
    ParamRef: paramReference,
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    Webhooks: (object) => children(object, 'webhooks').length,
  },
})
