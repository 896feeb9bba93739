/**
 * The place of Durable Objects: the settings LOCATION and JURISDICTION. An object stays where it was first asked for, so a
 * deployment without these settings lives near its first client.
 */

/** The regions of Cloudflare's location hints. */
export const locations = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'apac-ne', 'apac-se', 'oc', 'afr', 'me'] as const
/** The jurisdictions of Durable Objects. */
export const jurisdictions = ['eu', 'fedramp', 'fedramp-high', 'us'] as const

type Location = (typeof locations)[number]
type Jurisdiction = (typeof jurisdictions)[number]

/** The settings of a deployment. */
export interface PlaceSettings {
  /** The region in which objects are made, for example `weur`; '' for the one of the first client. */
  readonly LOCATION?: string
  /** The jurisdiction that objects never leave, for example `eu`; '' for none. */
  readonly JURISDICTION?: string
}

function oneOf<T extends string>(name: string, allowed: readonly T[], text: string): T | undefined {
  if (text === '') return undefined
  const found = allowed.find((one) => one === text)
  if (found === undefined) throw new Error(`${name}: must be one of ${allowed.join(', ')}, not ${JSON.stringify(text)}`)
  return found
}

const locationOf = ({ LOCATION = '' }: PlaceSettings): Location | undefined => oneOf('LOCATION', locations, LOCATION)
const jurisdictionOf = ({ JURISDICTION = '' }: PlaceSettings): Jurisdiction | undefined =>
  oneOf('JURISDICTION', jurisdictions, JURISDICTION)

/** Whether the runtime knows jurisdictions. The local one does not: there all objects are on one machine. */
let hasJurisdictions = true

/** Returns the namespace of a class, restricted to a jurisdiction. */
export function namespaceAt(namespace: DurableObjectNamespace, settings: PlaceSettings): DurableObjectNamespace {
  const jurisdiction = jurisdictionOf(settings)
  if (jurisdiction === undefined || !hasJurisdictions) return namespace
  try {
    return namespace.jurisdiction(jurisdiction)
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('not implemented in workerd'))) throw error
    hasJurisdictions = false
    return namespace
  }
}

/** Whether objects of a jurisdiction have other addresses than those of the deployment. */
export const isApart = (namespace: DurableObjectNamespace, jurisdiction: string | undefined, settings: PlaceSettings): boolean =>
  jurisdiction !== undefined &&
  jurisdiction !== settings.JURISDICTION &&
  namespaceAt(namespace, { JURISDICTION: jurisdiction }) !== namespace

/** Returns the options with which an object is found, and made in the location of the deployment. */
export function optionsAt(settings: PlaceSettings): DurableObjectNamespaceGetDurableObjectOptions | undefined {
  const location = locationOf(settings)
  return location === undefined ? undefined : { locationHint: location }
}
