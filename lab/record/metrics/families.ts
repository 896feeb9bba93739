/** Reads the metric families of a text in the Prometheus format, and of the list of metrics in Kubernetes' sources. */
import { readYaml } from '../../../src/yaml/parse.ts'

/** A metric family without its values. */
export interface RecordedFamily {
  readonly name: string
  readonly type: string
  readonly help: string
  /** Sorted names. */
  readonly labels: readonly string[]
  /** The upper bounds of a histogram's buckets; absent for other types. */
  readonly buckets?: readonly number[]
  /** Whether the family is only in the list in the sources: the recorded server had no value of it. */
  readonly unseen?: true
}

interface Seen {
  readonly type: string
  readonly help: string
  readonly labels: Set<string>
  readonly bounds: Set<number>
}

/** Yields the names and values of the labels of a sample. */
export function labelsOf(sample: string): [string, string][] {
  return [...sample.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value])
}

function addSample(seen: Seen, line: string): void {
  for (const [label, value] of labelsOf(line)) {
    if (label === 'le' && seen.type === 'histogram') seen.bounds.add(value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value))
    else if (label !== 'quantile' || seen.type !== 'summary') seen.labels.add(label)
  }
}

/** Returns the families of a response of /metrics, by name. */
export function familiesOf(text: string): RecordedFamily[] {
  const all = new Map<string, Seen>()
  let help = ''
  let current: Seen | undefined
  for (const line of text.split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (keyword === 'HELP') help = rest
    else if (keyword === 'TYPE') {
      current = { type: rest, help, labels: new Set(), bounds: new Set() }
      all.set(name, current)
    } else if (current !== undefined && line !== '') addSample(current, line)
  }
  return [...all].map(([name, { type, help: text, labels, bounds }]) => ({
    name,
    type,
    help: text,
    labels: [...labels].sort(),
    ...(type === 'histogram' && { buckets: [...bounds].filter(Number.isFinite).sort((a, b) => a - b) }),
  }))
}

/** An entry of documentation-list.yaml. */
interface Documented {
  readonly name: string
  readonly subsystem?: string
  readonly namespace?: string
  readonly help: string
  readonly type: string
  readonly deprecatedVersion?: string
  readonly stabilityLevel: string
  readonly labels?: readonly string[]
  readonly buckets?: readonly number[]
  readonly componentEndpoints?: readonly { readonly component: string; readonly endpoint: string }[]
}

/** The buckets of Prometheus' client for Go, which the list leaves out. */
const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const types: Readonly<Record<string, string>> = { Custom: 'gauge', TimingRatioHistogram: 'histogram' }

function fromDocumentation(entry: Documented): RecordedFamily {
  const { namespace, subsystem, name, help, stabilityLevel, deprecatedVersion, labels, buckets } = entry
  const type = types[entry.type] ?? entry.type.toLowerCase()
  const deprecation = deprecatedVersion === undefined ? '' : `(Deprecated since ${deprecatedVersion}) `
  return {
    name: [namespace, subsystem, name].filter((part) => part !== undefined && part !== '').join('_'),
    type,
    help: `[${stabilityLevel}] ${deprecation}${help}`,
    labels: [...(labels ?? [])].sort(),
    ...(type === 'histogram' && { buckets: buckets ?? defaultBuckets }),
    unseen: true,
  }
}

/** Returns the families of kube-apiserver in test/instrumentation/documentation/documentation-list.yaml of k8s.io/kubernetes. */
export function documentedFamilies(yaml: string): RecordedFamily[] {
  const entries = JSON.parse(readYaml(yaml).json) as readonly Documented[]
  const own = entries.filter(({ componentEndpoints }) =>
    componentEndpoints?.some(({ component, endpoint }) => component === 'kube-apiserver' && endpoint === '/metrics'),
  )
  return own.map(fromDocumentation)
}
