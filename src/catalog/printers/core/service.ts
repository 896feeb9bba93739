/** Table columns of Services and Endpoints. */
import type { JsonObject } from '../../../go/json-value.ts'
import { compareText } from '../../../go/text.ts'
import { printersOf } from '../column.ts'
import { formatLabels, shortened } from '../format.ts'
import { child, children, number, text, texts } from '../read.ts'

/** Returns the addresses or names of a load balancer, sorted and without duplicates. For Services and Ingresses. */
export function loadBalancerAddresses(object: JsonObject): string {
  const entries = children(child(object, 'status', 'loadBalancer'), 'ingress')
  const addresses = new Set(entries.map((entry) => text(entry, 'ip') || text(entry, 'hostname')))
  addresses.delete('')
  return [...addresses].sort(compareText).join(',')
}

type ExternalAddress = (service: JsonObject, externalIps: string) => string

/** The external address of a Service, by its type. */
const EXTERNAL_ADDRESSES: ReadonlyMap<string, ExternalAddress> = new Map<string, ExternalAddress>([
  ['ClusterIP', (_, externalIps) => externalIps || '<none>'],
  ['NodePort', (_, externalIps) => externalIps || '<none>'],
  [
    'LoadBalancer',
    (service, externalIps) =>
      [loadBalancerAddresses(service), externalIps].filter((addresses) => addresses !== '').join(',') || '<pending>',
  ],
  ['ExternalName', (service) => text(child(service, 'spec'), 'externalName')],
])

function externalAddress(service: JsonObject): string {
  const spec = child(service, 'spec')
  return EXTERNAL_ADDRESSES.get(text(spec, 'type'))?.(service, texts(spec, 'externalIPs').join(',')) ?? '<unknown>'
}

function formatPort(port: JsonObject): string {
  const nodePort = number(port, 'nodePort')
  return `${number(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${text(port, 'protocol')}`
}

function formatPorts(service: JsonObject): string {
  return children(child(service, 'spec'), 'ports').map(formatPort).join(',') || '<none>'
}

const MOST_ENDPOINTS = 3

/** Returns each address with each port; the address alone if the subset has no ports. */
function endpointsOf(subset: JsonObject): string[] {
  const addresses = children(subset, 'addresses').map((address) => text(address, 'ip'))
  const ports = children(subset, 'ports')
  if (ports.length === 0) return addresses
  const hosts = addresses.map((ip) => (ip.includes(':') ? `[${ip}]` : ip))
  return ports.flatMap((port) => hosts.map((host) => `${host}:${number(port, 'port')}`))
}

export const services = printersOf({
  services: {
    Type: (service) => text(child(service, 'spec'), 'type'),
    'Cluster-IP': (service) => {
      const spec = child(service, 'spec')
      return texts(spec, 'clusterIPs')[0] ?? (text(spec, 'clusterIP') || '<none>')
    },
    'External-IP': externalAddress,
    'Port(s)': formatPorts,
    Selector: (service) => formatLabels(child(service, 'spec'), 'selector'),
  },
  endpoints: {
    Endpoints: (object) => {
      const subsets = children(object, 'subsets')
      return subsets.length === 0 ? '<none>' : shortened(subsets.flatMap(endpointsOf), MOST_ENDPOINTS)
    },
  },
})
