/** Table columns of autoscaling: HorizontalPodAutoscalers in their stored version, autoscaling/v2, and Scales. */
import type { JsonObject } from '../../go/json-value.ts'
import { columnsOf, printer, printersOf } from './column.ts'
import { quantity, shortened } from './format.ts'
import type { Printers } from './printer.ts'
import { child, children, has, number, text } from './read.ts'

const MOST_METRICS = 2
const UNKNOWN = '<unknown>'

/** Go's text for a nil quantity. */
const NIL = '<nil>'

/** A metric of a specification, with its current value from the status. */
interface Metric {
  readonly target: JsonObject
  /** The current value; undefined if the status does not have it. */
  readonly current: JsonObject | undefined
  readonly resource: string
}

const average = ({ target, current }: Metric): string =>
  `${current === undefined ? UNKNOWN : quantity(current, 'averageValue', NIL)}/${quantity(target, 'averageValue', NIL)}`

/** Formats metrics of objects and external ones: an average or a value. */
function valueMetric(metric: Metric): string {
  const { target, current } = metric
  if (has(target, 'averageValue')) {
    return `${current === undefined ? UNKNOWN : quantity(current, 'averageValue', UNKNOWN)}/${quantity(target, 'averageValue', NIL)} (avg)`
  }
  return `${current === undefined ? UNKNOWN : quantity(current, 'value', NIL)}/${quantity(target, 'value', NIL)}`
}

const percentage = (object: JsonObject, absent: string): string =>
  has(object, 'averageUtilization') ? `${number(object, 'averageUtilization')}%` : absent

/** Formats metrics of container resources: an average or a percentage of the request. */
function resourceMetric(metric: Metric): string {
  const { target, current = {}, resource } = metric
  const value = has(target, 'averageValue') ? average(metric) : `${percentage(current, UNKNOWN)}/${percentage(target, '<auto>')}`
  return `${resource}: ${value}`
}

/** The field of the source and the format of each type of metric. */
const METRICS: ReadonlyMap<string, { readonly field: string; readonly format: (metric: Metric) => string }> = new Map([
  ['External', { field: 'external', format: valueMetric }],
  ['Pods', { field: 'pods', format: average }],
  ['Object', { field: 'object', format: valueMetric }],
  ['Resource', { field: 'resource', format: resourceMetric }],
  ['ContainerResource', { field: 'containerResource', format: resourceMetric }],
])

function formatMetric(spec: JsonObject, status: JsonObject): string {
  const metricType = METRICS.get(text(spec, 'type'))
  if (metricType === undefined) return '<unknown type>'
  const source = child(spec, metricType.field)
  const current = has(status, metricType.field) ? child(status, metricType.field, 'current') : undefined
  return metricType.format({ target: child(source, 'target'), current, resource: text(source, 'name') })
}

function targets(autoscaler: JsonObject): string {
  const specs = children(child(autoscaler, 'spec'), 'metrics')
  const statuses = children(child(autoscaler, 'status'), 'currentMetrics')
  const metrics = specs.map((spec, index) => formatMetric(spec, statuses[index] ?? {}))
  return metrics.length === 0 ? '<none>' : shortened(metrics, MOST_METRICS, ', ')
}

function scaleTarget(autoscaler: JsonObject): string {
  const target = child(autoscaler, 'spec', 'scaleTargetRef')
  return `${text(target, 'kind')}/${text(target, 'name')}`
}

/** The printer of Scales, which a subresource returns. */
export const scalePrinter = printer(
  columnsOf('scales.autoscaling', {
    Desired: (object) => number(child(object, 'spec'), 'replicas'),
    Available: (object) => number(child(object, 'status'), 'replicas'),
  }),
)

export const autoscalingPrinters: Printers = printersOf({
  'horizontalpodautoscalers.autoscaling': {
    Reference: scaleTarget,
    Targets: targets,
    MinPods: (object) => {
      const spec = child(object, 'spec')
      return has(spec, 'minReplicas') ? String(number(spec, 'minReplicas')) : '<unset>'
    },
    MaxPods: (object) => number(child(object, 'spec'), 'maxReplicas'),
    Replicas: (object) => number(child(object, 'status'), 'currentReplicas'),
  },
})
