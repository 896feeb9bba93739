/** How the kinds of networking.k8s.io and discovery.k8s.io are shown. */
import type { JsonObject } from '../../go/json-value.ts'
import { ageColumn, ageOf, fieldOf, name, nameOf, printer } from './column.ts'
import { loadBalancerAddresses } from './core/service.ts'
import { formatSelector, shortened } from './format.ts'
import type { Printer, Printers } from './printer.ts'
import { child, children, has, number, text, textMap, texts } from './read.ts'

const MOST = 3

/** Rules without a host take a place among those that are left out, none among those that are shown. */
function hosts(ingress: JsonObject): string {
  const rules = children(child(ingress, 'spec'), 'rules')
  const shown: string[] = []
  for (const rule of rules) {
    if (shown.length === MOST) return `${shown.join(',')} + ${rules.length - MOST} more...`
    if (text(rule, 'host') !== '') shown.push(text(rule, 'host'))
  }
  return shown.join(',') || '*'
}

const ingresses = printer([
  name,
  {
    name: 'Class',
    description: 'The name of the IngressClass resource that should be used for additional configuration',
    cell: (object) => {
      const spec = child(object, 'spec')
      return has(spec, 'ingressClassName') ? text(spec, 'ingressClassName') : '<none>'
    },
  },
  {
    name: 'Hosts',
    description: 'Hosts that incoming requests are matched against before the ingress rule',
    cell: hosts,
  },
  {
    name: 'Address',
    description: 'Address is a list containing ingress points for the load-balancer',
    cell: loadBalancerAddresses,
  },
  {
    name: 'Ports',
    description: 'Ports of TLS configurations that open',
    cell: (object) => (children(child(object, 'spec'), 'tls').length === 0 ? '80' : '80, 443'),
  },
  ageColumn,
])

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class'

function className(ingressClass: JsonObject): string {
  const isDefault = textMap(child(ingressClass, 'metadata'), 'annotations')[DEFAULT_CLASS] === 'true'
  return `${nameOf(ingressClass)}${isDefault ? ' (default)' : ''}`
}

function classParameters(ingressClass: JsonObject): string {
  const spec = child(ingressClass, 'spec')
  if (!has(spec, 'parameters')) return '<none>'
  const parameters = child(spec, 'parameters')
  const group = has(parameters, 'apiGroup') ? `.${text(parameters, 'apiGroup')}` : ''
  return `${text(parameters, 'kind')}${group}/${text(parameters, 'name')}`
}

const ingressClasses = printer([
  { ...name, cell: className },
  {
    name: 'Controller',
    description: 'Controller that is responsible for handling this class',
    cell: (object) => text(child(object, 'spec'), 'controller'),
  },
  {
    name: 'Parameters',
    description: 'A reference to a resource with additional parameters',
    cell: classParameters,
  },
  ageColumn,
])

const networkPolicies = printer([
  name,
  {
    name: 'Pod-Selector',
    description: fieldOf('networking/v1.NetworkPolicySpec', 'podSelector'),
    // An absent selector is an empty one here.
    cell: (object) => formatSelector({ podSelector: child(object, 'spec', 'podSelector') }, 'podSelector'),
  },
  ageColumn,
])

const serviceCidrs = printer([
  name,
  {
    name: 'CIDRs',
    description: fieldOf('networking/v1.ServiceCIDRSpec', 'cidrs'),
    cell: (object) => texts(child(object, 'spec'), 'cidrs').join(','),
  },
  ageColumn,
])

function parentReference(address: JsonObject): string {
  const spec = child(address, 'spec')
  if (!has(spec, 'parentRef')) return '<none>'
  const parent = child(spec, 'parentRef')
  const group = text(parent, 'group')
  const resource = `${text(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase()
  const namespace = text(parent, 'namespace')
  return `${resource}${namespace === '' ? '' : `/${namespace}`}/${text(parent, 'name')}`
}

const ipAddressColumns = printer([
  name,
  { name: 'ParentRef', description: fieldOf('networking/v1.IPAddressSpec', 'parentRef'), cell: parentReference },
])

/** Rows end with the age, for which there is no column. */
const ipAddresses: Printer = {
  get columns() {
    return ipAddressColumns.columns
  },
  row: (object, now) => ({ cells: [...ipAddressColumns.row(object, now).cells, ageOf(object, now)] }),
}

/** A port by its number, or by its name; `*` for all ports. */
function endpointPort(port: JsonObject): string {
  if (has(port, 'port')) return String(number(port, 'port'))
  return has(port, 'name') ? text(port, 'name') : '*'
}

const endpointSlices = printer([
  name,
  {
    name: 'AddressType',
    description: fieldOf('discovery/v1.EndpointSlice', 'addressType'),
    cell: (object) => text(object, 'addressType'),
  },
  {
    name: 'Ports',
    description: fieldOf('discovery/v1.EndpointSlice', 'ports'),
    cell: (object) => shortened(children(object, 'ports').map(endpointPort), MOST) || '<unset>',
  },
  {
    name: 'Endpoints',
    description: fieldOf('discovery/v1.EndpointSlice', 'endpoints'),
    cell: (object) => {
      const addresses = children(object, 'endpoints').flatMap((endpoint) => texts(endpoint, 'addresses'))
      return shortened(addresses, MOST) || '<unset>'
    },
  },
  ageColumn,
])

export const networkingPrinters: Printers = {
  'endpointslices.discovery.k8s.io': endpointSlices,
  'ingressclasses.networking.k8s.io': ingressClasses,
  'ingresses.networking.k8s.io': ingresses,
  'ipaddresses.networking.k8s.io': ipAddresses,
  'networkpolicies.networking.k8s.io': networkPolicies,
  'servicecidrs.networking.k8s.io': serviceCidrs,
}
