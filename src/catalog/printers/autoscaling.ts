/** How the kinds of autoscaling are shown: HorizontalPodAutoscalers as they are stored, in autoscaling/v2, and Scales. */
import type { JsonObject } from '../../go/json-value.ts'
import { ageColumn, fieldOf, NAME, name, nameOf, printer } from './column.ts'
import { quantity, shortened } from './format.ts'
import type { Printers } from './printer.ts'
import { child, children, has, number, text } from './read.ts'

const MOST_METRICS = 2
const UNKNOWN = '<unknown>'

/** How Go writes a quantity that is not there. */
const NIL = '<nil>'

/** A metric of a specification, and what the status says of it. */
interface Metric {
  readonly target: JsonObject
  /** Undefined where the status does not tell. */
  readonly current: JsonObject | undefined
  readonly resource: string
}

const average = ({ target, current }: Metric): string =>
  `${current === undefined ? UNKNOWN : quantity(current, 'averageValue', NIL)}/${quantity(target, 'averageValue', NIL)}`

/** Of objects and of what is outside of the cluster: an average or a value. */
function valueMetric(metric: Metric): string {
  const { target, current } = metric
  if (has(target, 'averageValue')) {
    return `${current === undefined ? UNKNOWN : quantity(current, 'averageValue', UNKNOWN)}/${quantity(target, 'averageValue', NIL)} (avg)`
  }
  return `${current === undefined ? UNKNOWN : quantity(current, 'value', NIL)}/${quantity(target, 'value', NIL)}`
}

const percentage = (object: JsonObject, absent: string): string =>
  has(object, 'averageUtilization') ? `${number(object, 'averageUtilization')}%` : absent

/** Of what containers ask for: an average or a part of the request. */
function resourceMetric(metric: Metric): string {
  const { target, current = {}, resource } = metric
  const shown = has(target, 'averageValue') ? average(metric) : `${percentage(current, UNKNOWN)}/${percentage(target, '<auto>')}`
  return `${resource}: ${shown}`
}

/** By the type of a metric: the field that holds it, and how it is shown. */
const METRICS: ReadonlyMap<string, { readonly field: string; readonly show: (metric: Metric) => string }> = new Map([
  ['External', { field: 'external', show: valueMetric }],
  ['Pods', { field: 'pods', show: average }],
  ['Object', { field: 'object', show: valueMetric }],
  ['Resource', { field: 'resource', show: resourceMetric }],
  ['ContainerResource', { field: 'containerResource', show: resourceMetric }],
])

function formatMetric(spec: JsonObject, status: JsonObject): string {
  const known = METRICS.get(text(spec, 'type'))
  if (known === undefined) return '<unknown type>'
  const source = child(spec, known.field)
  const current = has(status, known.field) ? child(status, known.field, 'current') : undefined
  return known.show({ target: child(source, 'target'), current, resource: text(source, 'name') })
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

const horizontalPodAutoscalers = printer([
  name,
  {
    name: 'Reference',
    description: fieldOf('autoscaling/v2.HorizontalPodAutoscalerSpec', 'scaleTargetRef'),
    cell: scaleTarget,
  },
  { name: 'Targets', description: fieldOf('autoscaling/v2.HorizontalPodAutoscalerSpec', 'metrics'), cell: targets },
  {
    name: 'MinPods',
    description: fieldOf('autoscaling/v2.HorizontalPodAutoscalerSpec', 'minReplicas'),
    cell: (object) => {
      const spec = child(object, 'spec')
      return has(spec, 'minReplicas') ? String(number(spec, 'minReplicas')) : '<unset>'
    },
  },
  {
    name: 'MaxPods',
    description: fieldOf('autoscaling/v2.HorizontalPodAutoscalerSpec', 'maxReplicas'),
    cell: (object) => number(child(object, 'spec'), 'maxReplicas'),
  },
  {
    name: 'Replicas',
    description: fieldOf('autoscaling/v2.HorizontalPodAutoscalerStatus', 'currentReplicas'),
    cell: (object) => number(child(object, 'status'), 'currentReplicas'),
  },
  ageColumn,
])

/** A Scale, which is the answer of a subresource. */
export const scalePrinter = printer([
  { name: 'Name', description: NAME, cell: nameOf },
  {
    name: 'Desired',
    type: 'integer',
    description: fieldOf('autoscaling/v1.ScaleSpec', 'replicas'),
    cell: (object) => number(child(object, 'spec'), 'replicas'),
  },
  {
    name: 'Available',
    type: 'integer',
    description: fieldOf('autoscaling/v1.ScaleStatus', 'replicas'),
    cell: (object) => number(child(object, 'status'), 'replicas'),
  },
  ageColumn,
])

export const autoscalingPrinters: Printers = { 'horizontalpodautoscalers.autoscaling': horizontalPodAutoscalers }
