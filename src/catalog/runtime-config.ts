/** Reads the setting RUNTIME_CONFIG and the option `--runtime-config`: the versions and resources to switch on or off. */

/** A version, or with a resource only that, which is switched on or off by name. */
export interface NamedPreference {
  readonly group: string
  readonly version: string
  /** '' for the whole version. */
  readonly resource: string
  readonly isOn: boolean
}

/** A resource in one version. */
type Resource = Omit<NamedPreference, 'isOn'>

/** The words that stand for many versions, in the order in which they are applied: a later one wins. */
const manyVersions: Readonly<Record<string, RegExp>> = {
  'api/all': /^/,
  'api/ga': /^v\d+$/,
  'api/beta': /^v\d+beta\d+$/,
  'api/alpha': /^v\d+alpha\d+$/,
}

/** Go's words for true and false. */
const booleans: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['', '1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false])),
}

/** Preferences for versions and resources; those for a resource come before those for its version. */
export class RuntimeConfig {
  readonly named: readonly NamedPreference[]
  readonly #ofMany: readonly (readonly [versions: RegExp, isOn: boolean])[]

  constructor(named: readonly NamedPreference[], ofMany: readonly (readonly [versions: RegExp, isOn: boolean])[]) {
    this.named = named
    this.#ofMany = ofMany
  }

  /** Whether nothing is switched. */
  get isEmpty(): boolean {
    return this.named.length === 0 && this.#ofMany.length === 0
  }

  /** Returns whether a resource is switched on or off; undefined if neither. */
  preferenceOf(of: Resource): boolean | undefined {
    return this.#namedFor(of)?.isOn ?? this.#ofMany.findLast(([versions]) => versions.test(of.version))?.[1]
  }

  /** Whether a resource is switched on by its name or by that of its version. */
  isNamedOn(of: Resource): boolean {
    return this.#namedFor(of)?.isOn === true
  }

  #namedFor(of: Resource): NamedPreference | undefined {
    const named = this.named.filter(({ group, version }) => group === of.group && version === of.version)
    return named.find(({ resource }) => resource === of.resource) ?? named.find(({ resource }) => resource === '')
  }
}

/** Reads `KEY=VALUE,KEY`, as component-base's ConfigurationMap. */
function entriesOf(text: string): Map<string, string> {
  const entries = text.split(',').filter((entry) => entry.trim() !== '')
  return new Map(
    entries.map((entry) => {
      const at = entry.indexOf('=')
      return at < 0 ? [entry.trim(), ''] : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
    }),
  )
}

/** Replaces the names of the core API by /v1. `api/legacy` means nothing any more. */
function completed(entries: ReadonlyMap<string, string>): Map<string, string> {
  const core = /^(?:api\/)?v1(?:\/|$)/
  const named = [...entries].filter(([key]) => key !== 'api/legacy')
  return new Map(named.map(([key, value]) => [core.test(key) ? '/v1' : key, value]))
}

function preference(key: string, value: string): NamedPreference {
  const [group = '', version = '', resource = '', ...more] = key.split('/')
  if (version === '' || more.length > 0) throw new Error(`runtime-config invalid key ${key}`)
  const isOn = booleans[value]
  if (isOn === undefined) {
    throw new Error(`invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`)
  }
  if (resource !== resource.toLowerCase()) {
    const rule = `group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`
    throw new Error(`invalid key ${key}: ${rule}`)
  }
  // kube-apiserver crashes: it cannot do without the core API.
  if (key === '/v1' && !isOn) throw new Error('the core API v1 cannot be disabled')
  return { group, version, resource, isOn }
}

/**
 * Reads the preferences: `api/beta=true,batch/v1=false,apps/v1/daemonsets=false`.
 * @throws Error in kube-apiserver's words for invalid keys and values
 */
export function readRuntimeConfig(text: string): RuntimeConfig {
  const entries = completed(entriesOf(text))
  if (entries.size === 1 && entries.get('api/all') === 'false') throw new Error('invalid runtime-config with only api/all=false')
  const ofMany = Object.entries(manyVersions).flatMap(([key, versions]): [RegExp, boolean][] => {
    const value = entries.get(key)
    if (value === undefined) return []
    if (value !== 'true' && value !== 'false') throw new Error(`invalid value ${key}=${value}`)
    return [[versions, value === 'true']]
  })
  const named = [...entries].filter(([key]) => !Object.hasOwn(manyVersions, key))
  return new RuntimeConfig(
    named.map(([key, value]) => preference(key, value)),
    ofMany,
  )
}
