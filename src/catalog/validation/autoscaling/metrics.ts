import { asJson } from '../../../meta/field-error.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import type { CrossVersionObjectReference, MetricSpec, MetricTarget } from '../../generated/types/autoscaling.v2.ts'
import type { Errors } from '../checks.ts'
import { checkContainerName } from '../core/resource-names.ts'
import { type ApiVersionRule, checkReference } from './reference.ts'

interface Source {
  target: MetricTarget
  metric?: { name: string }
  describedObject?: CrossVersionObjectReference
  name?: string
  container?: string
}

type SourceName = Exclude<keyof MetricSpec, 'type'>

const types: Readonly<Record<string, SourceName>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
}
const targetTypes = ['Utilization', 'Value', 'AverageValue']

function checkTarget({ type, value, averageValue, averageUtilization }: MetricTarget, field: string, errors: Errors): void {
  if (type === '') errors.required(`${field}.type`, 'must specify a metric target type')
  if (!targetTypes.includes(type))
    errors.invalid(`${field}.type`, asJson(type), 'must be either Utilization, Value, or AverageValue')
  for (const [name, amount] of [
    ['value', value],
    ['averageValue', averageValue],
  ] as const) {
    if (amount === undefined || compareQuantities(amount, '0') > 0) continue
    errors.invalid(`${field}.${name}`, amount, 'must be positive')
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.invalid(`${field}.averageUtilization`, averageUtilization, 'must be greater than 0')
  }
}

function checkMetricName({ metric }: Source, field: string, errors: Errors): void {
  const name = metric?.name ?? ''
  if (name === '') errors.required(`${field}.metric.name`, 'must specify a metric name')
  else errors.checkMessages(isPathSegmentName(name), name, `${field}.metric.name`)
}

/** Checks the target of a resource metric: a utilization in percent, or an average amount. */
function checkUse({ target }: Source, field: string, errors: Errors): void {
  checkTarget(target, `${field}.target`, errors)
  const { averageUtilization, averageValue } = target
  if (averageUtilization === undefined && averageValue === undefined) {
    errors.required(`${field}.target.averageUtilization`, 'must set either a target raw value or a target utilization')
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    errors.forbidden(`${field}.target.averageValue`, 'may not set both a target raw value and a target utilization')
  }
}

const nameless = 'must specify a resource name'

/** The checks of the metric sources. The order decides which of two sources is reported first. */
const sources: Readonly<Record<SourceName, (source: Source, field: string, errors: Errors, rule: ApiVersionRule) => void>> = {
  object(source, field, errors, rule) {
    const { describedObject = { kind: '', name: '' }, target } = source
    checkReference(describedObject, rule, `${field}.describedObject`, errors)
    checkMetricName(source, field, errors)
    checkTarget(target, `${field}.target`, errors)
    if (target.value === undefined && target.averageValue === undefined) {
      errors.required(`${field}.target.averageValue`, 'must set either a target value or averageValue')
    }
  },
  external(source, field, errors) {
    const { target } = source
    checkMetricName(source, field, errors)
    checkTarget(target, `${field}.target`, errors)
    if (target.value === undefined && target.averageValue === undefined) {
      errors.required(`${field}.target.averageValue`, 'must set either a target value for metric or a per-pod target')
    }
    if (target.value !== undefined && target.averageValue !== undefined) {
      errors.forbidden(`${field}.target.value`, 'may not set both a target value for metric and a per-pod target')
    }
  },
  pods(source, field, errors) {
    checkMetricName(source, field, errors)
    checkTarget(source.target, `${field}.target`, errors)
    if (source.target.averageValue === undefined) {
      errors.required(`${field}.target.averageValue`, 'must specify a positive target averageValue')
    }
  },
  resource(source, field, errors) {
    if ((source.name ?? '') === '') errors.required(`${field}.name`, nameless)
    checkUse(source, field, errors)
  },
  containerResource(source, field, errors) {
    const { name = '', container = '' } = source
    if (name === '') errors.required(`${field}.name`, nameless)
    else checkContainerName(name, `${field}.name`, errors)
    if (container === '') errors.required(`${field}.container`, 'must specify a container')
    else errors.checkDnsLabel(container, `${field}.container`)
    checkUse(source, field, errors)
  },
}

const sourceNames = Object.keys(sources) as SourceName[]

function checkMetric(metric: MetricSpec, rule: ApiVersionRule, field: string, errors: Errors): void {
  const { type } = metric
  const supported = Object.keys(types)
  if (type === '') errors.required(`${field}.type`, 'must specify a metric source type')
  if (!supported.includes(type)) errors.notSupported(`${field}.type`, type, supported)
  const present = sourceNames.filter((name) => metric[name] !== undefined)
  const [first] = present
  const source = first === undefined ? undefined : metric[first]
  if (first !== undefined && source !== undefined) sources[first](source, `${field}.${first}`, errors, rule)
  const expected = Object.hasOwn(types, type) ? types[type] : undefined
  // The type is reported a second time if no source belongs to it.
  if (expected === undefined) errors.notSupported(`${field}.type`, type, supported)
  else if (metric[expected] === undefined) {
    errors.required(`${field}.${expected}`, 'must populate information for the given metric source')
  }
  if (present.length === 1) return
  for (const name of present) {
    if (name !== expected) errors.forbidden(`${field}.${name}`, 'must populate the given metric source only')
  }
}

/**
 * Validates the metrics of an autoscaler.
 * @param rule the rule for the API versions of described objects
 */
export function checkMetrics(
  metrics: readonly MetricSpec[],
  minReplicas: number | undefined,
  rule: ApiVersionRule,
  errors: Errors,
): void {
  for (const [index, metric] of metrics.entries()) checkMetric(metric, rule, `spec.metrics[${index}]`, errors)
  if (minReplicas !== 0 || metrics.some(({ type }) => type === 'Object' || type === 'External')) return
  errors.forbidden('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas')
}
